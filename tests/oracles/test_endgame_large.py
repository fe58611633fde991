"""The largest tables: five men of chess, two attackers against all defenders of xiangqi.

Built and verified within 8 GiB. Chess counts equal Syzygy's; in xiangqi two rooks beat a full defence.
BOOKBUILDER_TABLES may name a folder of finished tables; missing tables are built:
KQRvKQ in 145 CPU seconds, KRPvKR in 640, KRRvKAABB in 170.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from bookbuilder.engine.endgames import table_stats

pytestmark = pytest.mark.slow

# Maximum address space of the building process.
MEMORY = 8 << 30
# Won, drawn and lost up to symmetry, the first side to move and the second: the statistics of the Syzygy
# tables (syzygy-tables.info, regular-stats.txt), without the fifty-move rule: cursed wins are wins.
COUNTS = {
    "KQRvKQ": [(51_565_260, 1_464_845, 126_971), (16_645_021, 14_465_009, 37_028_152)],
    "KRPvKR": [(158_650_355, 78_681_546, 972_793), (49_187_154, 133_273_976, 62_586_644)],
}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """The folder of tables."""
    ready = os.environ.get("BOOKBUILDER_TABLES")
    return Path(ready) if ready else tmp_path


def build(material: str, game: str, tables: Path) -> None:
    """Build and verify a table in a process with limited address space."""
    script = (
        "import sys\nfrom bookbuilder.engine.endgames import build_tables\n"
        "build_tables(sys.argv[3:], sys.argv[1], game=sys.argv[2], memory_mib=7 << 10)\n"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", script, str(tables), game, material],
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


@pytest.mark.parametrize("material", COUNTS)
def test_five_men_counts_equal_syzygy(material: str, tables: Path) -> None:
    build(material, "chess", tables)
    sides = table_stats(tables, material)["sides"]
    counted = [sides[side]["up_to_symmetry"] for side in ("first", "second")]
    assert [(each["win"], each["draw"], each["loss"]) for each in counted] == COUNTS[material]


def test_two_rooks_always_beat_a_full_defence(tables: Path) -> None:
    build("KRRvKAABB", "xiangqi", tables)
    sides = table_stats(tables, "KRRvKAABB", game="xiangqi")["sides"]
    first, second = sides["first"], sides["second"]
    assert first["win"] == first["legal"] == 26_116_248
    # The defender may capture a rook, but cannot win without attackers.
    assert second["win"] == 0
    assert second["loss"] > 0.9 * second["legal"]
