"""`bookbuilder …` and `python -m bookbuilder …`: the command line."""

from __future__ import annotations

from bookbuilder.cli.app import app


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    app(prog_name="bookbuilder")


if __name__ == "__main__":
    main()
