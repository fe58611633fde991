"""Parameters of a selection in requests: they give the verdicts of `select`."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient
from support.explorer_server import Served

from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"
# No rule at all: what a query adds to it is the only rule.
ALL = "min_games=1&margin=off&min_share=off&max_ply=all"


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", {}),
        ("min_games=1", {"min_games": 1}),
        ("min_games=1&margin=0.2", {"min_games": 1, "margin": "0.2"}),
        ("min_games=1&margin=10%25", {"min_games": 1, "margin": "0.1"}),
        ("min_games=0&margin=0&min_share=0.1&max_ply=2",
         {"min_games": 0, "margin": 0, "min_share": "0.1", "max_ply": 2}),
        ("margin=off&min_games=auto&max_ply=all", {"margin": None, "max_ply": None}),
    ],
)  # fmt: skip
def test_margin_parameters_are_those_of_select(
    client: TestClient, served: Served, query: str, options: dict[str, Any]
) -> None:
    rows = select(Tally.open(served.chess), **options).table.to_pylist()
    verdicts = {(row["key"], row["lock"]): (row["kept"], row["reason"]) for row in rows}
    for play in ("", "e2e4", "e2e4,e7e5", "e2e4,e7e5,g1f3"):
        for row in client.get(f"{V1}/position?play={play}&{query}").json()["moves"]:
            after = client.get(f"{V1}/position", params={"fen": row["fen_after"]}).json()
            verdict = verdicts[int(after["key"], 16), int(after["lock"], 16)]
            if verdict[1] == "unreachable":
                continue  # whether lines lead there, one position cannot tell
            # A position is kept if any move that leads to it is.
            assert verdict == (row["kept"], row["reason"]) or (verdict[0] and not row["kept"])
            assert row["reason_text"]


@pytest.mark.parametrize("words", ["margin=2", "margin=x", "sharpen=-1", "sharpen=9", "min_games=off"])
def test_wrong_margin_parameters_are_refused(client: TestClient, words: str) -> None:
    for route in ("position", "size"):
        refused = client.get(f"{V1}/{route}?{words}")
        assert refused.status_code == 400
        assert "expected" in refused.json()["error"]["message"]


def test_empty_values_are_missing_and_unknown_names_ignored(client: TestClient) -> None:
    plain = client.get(f"{V1}/position?play=e2e4").json()
    for query in ("src=&min_games=&p=&margin=&max_ply=&for=", "no_such_name=1", "fen="):
        assert client.get(f"{V1}/position?play=e2e4&{query}").json() == plain, query
