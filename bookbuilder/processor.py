"""Whether the processor has what the native core is built for; else the process would end without a word.

This runs whenever the package is imported, so it imports nothing.
"""

from __future__ import annotations

CPUINFO = "/proc/cpuinfo"
"""Where Linux describes the processors. Macs all have what is needed, and Windows has no such file."""

# The features of x86-64-v2 beyond the baseline, as Linux names them. `.cargo/config.toml` builds for them.
_NEEDED = {b"cx16", b"lahf_lm", b"popcnt", b"pni", b"sse4_1", b"sse4_2", b"ssse3"}
# Enough for the first processor, whose features stand near the beginning.
_HEAD_BYTES = 8192


def require_processor(path: str = CPUINFO) -> None:
    """Refuse a processor that is too old.

    Args:
        path: the description of the processors; without one, nothing is known and nothing refused.

    Raises:
        ImportError: the processor lacks features that the core uses.
    """
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 (pathlib takes longer than all of this)
            head = stream.read(_HEAD_BYTES)
    except OSError:
        return
    flags = next((line for line in head.split(b"\n") if line.startswith(b"flags")), b"").split()
    missing = sorted(_NEEDED.difference(flags))
    # Other architectures name other features, or none.
    if b"sse2" in flags and missing:
        names = b", ".join(missing).decode()
        raise ImportError(
            f"bookbuilder is built for processors of 2009 and later (x86-64-v2); this one lacks {names}. "
            "Build it from source without the file .cargo/config.toml"
        )
