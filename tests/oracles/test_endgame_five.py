"""Tables of five men: built and verified within 8 GiB, counted as Syzygy's are.

BOOKBUILDER_TABLES may name a folder of finished tables; what is not there is built, KQRvKQ in 145
CPU seconds.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from bookbuilder.endgame import table_stats

pytestmark = pytest.mark.slow

# Most address space of the program that builds.
MEMORY = 8 << 30
# Won, drawn and lost up to symmetry, the first side to move and the second: the statistics of the Syzygy
# tables (syzygy-tables.info, regular-stats.txt), the fifty-move rule left out: cursed wins are wins.
COUNTS = {
    "KQRvKQ": [(51_565_260, 1_464_845, 126_971), (16_645_021, 14_465_009, 37_028_152)],
}


@pytest.mark.parametrize("material", COUNTS)
def test_five_men_fit_into_memory_and_are_counted_as_by_syzygy(material: str, tmp_path: Path) -> None:
    ready = os.environ.get("BOOKBUILDER_TABLES")
    tables = Path(ready) if ready else tmp_path
    script = (
        "import sys\nfrom bookbuilder.endgame import build_tables\n"
        "build_tables(sys.argv[2:], sys.argv[1], memory_mib=7 << 10)\n"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", script, str(tables), material],
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    sides = table_stats(tables, material)["sides"]
    counted = [sides[side]["up_to_symmetry"] for side in ("first", "second")]
    assert [(each["win"], each["draw"], each["loss"]) for each in counted] == COUNTS[material]
