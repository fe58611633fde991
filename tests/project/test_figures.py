"""Numbers that pages state are those of the code: counts of things, limits, and defaults of options.

A page states a number in a sentence. If the code changes, the sentence is not found, and the test names it.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, Final

import pytest
from support.constants import constant, default, size_of
from support.journals import JOURNALS
from support.nasty_files import table
from support.pressure_jobs import PRESSED, REAL
from support.project_files import PACKAGE, ROOT

from bookbuilder.book.formats.registry import FORMATS
from bookbuilder.book.reach import MIN_SHARE

WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CRATE: Final = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text(encoding="utf-8"))["package"]
LOCKED: Final = tomllib.loads((ROOT / "core" / "Cargo.lock").read_text(encoding="utf-8"))["package"]
PATHS: Final = json.loads((PACKAGE / "explorer" / "openapi.json").read_text(encoding="utf-8"))["paths"]
PINNED: Final = re.findall(r"^(\S+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
OLDEST: Final = dict(
    re.findall(r"^(\S+)==(\S+)$", (ROOT / "constraints-oldest.txt").read_text(), re.MULTILINE)
)
TARGETS: Final = len(list((ROOT / "core" / "fuzz" / "fuzz_targets").glob("*.rs")))
PYTHON: Final = PROJECT["requires-python"].removeprefix(">=")
RUST: Final = CRATE["rust-version"]
MIB: Final = 1 << 20

FOREIGN = "tests/acceptance/test_foreign_books.py"
LIMITS, FACETS = "tests/faults/test_limits.py", "tests/tally/test_facets.py"
GUARD, SEARCH = "bookbuilder/explorer/guard.py", "bookbuilder/explorer/api/search.py"
BODY, IMPORT, PATH = (constant(GUARD, f"_MOST_{name}") for name in ("BODY", "IMPORT", "PATH"))
SEARCHES = constant("bookbuilder/explorer/engine_values.py", "_MOST")
KEPT = constant("bookbuilder/explorer/builds.py", "_KEPT")
LAYOUT, SUMS = "core/src/book/layout.rs", "core/src/store/columns.rs"
REACH = "bookbuilder/book/reach.py"
CLUSTERS = constant(LAYOUT, "CLUSTERS")
VETO, GROW = "bookbuilder/selection/veto.py", "bookbuilder/engine/grow/log.py"
LOSS, WALK = "bookbuilder/evals/loss.py", "engine walk"
RUN, TIME, HINTS = (
    "bookbuilder/tally/cluster/run.py",
    "core/src/search/time.rs",
    "core/src/search/book/hints.rs",
)
CACHE = "core/src/endgame/cache.rs"
PAGES = "core/src/archive/input/aix/pages.rs"
PLAN = "bookbuilder/engine/evaluate/plan.py"

COUNTS: Final[list[tuple[str, str, Any]]] = [
    ("README.md", "Python {} or newer and [Rust](https://rustup.rs) {} or newer", (PYTHON, RUST)),
    ("CONTRIBUTING.md", "Rust {} or newer and Python {} or newer", (RUST, PYTHON)),
    ("docs/install.md", "| Python | {} or newer |", PYTHON),
    ("docs/install.md", "| Rust | {} or newer,", RUST),
    ("docs/install.md", "such as pandas {}", OLDEST["pandas"]),
    ("docs/install.md", "numpy {} and", ".".join(OLDEST["numpy"].split(".")[:2])),
    ("docs/install.md", "pyarrow {}.", OLDEST["pyarrow"].split(".")[0]),
    ("docs/compared.md", "[{} formats]", WORDS[len(FORMATS)]),
    # `tally compact` is tested apart.
    ("docs/reliability.md", "each of {} commands that write", len(PRESSED) + 1),
    ("docs/reliability.md", "| {} of the commands, ", len(REAL) + 1),
    ("docs/reliability.md", "| {} commands, 2,354 states of the disk |", len(PRESSED)),
    ("docs/reliability.md", "_file_size_limit_is_reported` | {} commands |", len(PRESSED)),
    ("docs/reliability.md", "| {} commands; four that", len(PRESSED) - 4),
    ("docs/reliability.md", "| {} commands; in one", len(PRESSED) - 1),
    ("docs/reliability.md", "_unwritable_folder_is_reported` | {} commands |", size_of(LIMITS, "SOME")),
    ("docs/reliability.md", "_clock_changes_no_output` | {} commands |", size_of(LIMITS, "SOME")),
    (
        "docs/reliability.md",
        "_closed_pipe_ends_command_quietly` | {} commands |",
        size_of(LIMITS, "PRINTING"),
    ),
    ("docs/reliability.md", "| {} journals, ", len(JOURNALS)),
    ("docs/reliability.md", "of {} shapes", size_of("tests/archives/test_hostile_pgn.py", "SHAPES")),
    ("docs/reliability.md", "| {} questions, the tables equal |", size_of(FACETS, "QUESTIONS")),
    ("docs/reliability.md", "| {} names,", size_of("tests/faults/test_sizes.py", "NAMES")),
    ("docs/reliability.md", "| {} paths |", len(PATHS)),
    (
        "docs/reliability.md",
        "| {} routes that change something |",
        sum(len(set(methods) - {"get", "parameters"}) for methods in PATHS.values()),
    ),
    ("docs/reliability.md", "| {} crates, {} packages |", (len(LOCKED) - 1, len(PINNED))),
    ("docs/reliability.md", "`core/fuzz` has {} fuzz targets", WORDS[TARGETS]),
    ("docs/formats.md", "{} books of others, byte for byte", WORDS[size_of(FOREIGN, "POLYGLOT_BOOKS")]),
    ("docs/verified.md", "{} books of other authors", WORDS[size_of(FOREIGN, "POLYGLOT_BOOKS")]),
    ("docs/pgn-readers.md", "All three read {} files", len(list(table()))),
    ("core/fuzz/README.md", "{} targets, one for each check", WORDS[TARGETS].capitalize()),
]
"""Page, sentence, and the number or numbers that belong into it."""

SERVED: Final[list[tuple[str, str, Any]]] = [
    ("SECURITY.md", "a body over {} KiB (an import: {} MiB", (BODY >> 10, IMPORT // MIB)),
    ("SECURITY.md", "a path over {} KiB", PATH >> 10),
    (
        "SECURITY.md",
        "within {} seconds",
        WORDS[int(constant("bookbuilder/explorer/serving.py", "REQUEST_SECONDS"))],
    ),
    ("SECURITY.md", "at most {} processes of each", WORDS[SEARCHES]),
    ("SECURITY.md", "the last {} kept", WORDS[KEPT]),
    ("SECURITY.md", "archives of at most {} MiB", IMPORT // MIB),
    ("SECURITY.md", "with {} MiB of memory", constant("bookbuilder/explorer/imports.py", "_MEMORY") // MIB),
    ("docs/explorer.md", "at most {} MiB", IMPORT // MIB),
    (
        "docs/explorer.md",
        "bodies over {} KiB (imports: {} MiB), paths over {} KiB",
        (BODY >> 10, IMPORT // MIB, PATH >> 10),
    ),
    (
        "docs/explorer.md",
        "games over {} MiB",
        constant("bookbuilder/explorer/archive_game.py", "_MAX_GAME_BYTES") // MIB,
    ),
    ("docs/explorer.md", "up to {} nodes", constant("bookbuilder/explorer/api/tree.py", "_MOST_NODES")),
    ("docs/explorer.md", "{} searches run at a time", WORDS[SEARCHES]),
    ("docs/explorer.md", "keeps the last {} builds", WORDS[KEPT]),
    ("docs/explorer.md", "each move with {} nodes", constant(SEARCH, "_VALUE_NODES")),
    ("docs/explorer.md", "they lose {} centipawns", constant("bookbuilder/explorer/web/cells.js", "LOSS")),
    (
        "docs/explorer.md",
        "`--plies` ({}) and `--positions` ({} of each",
        (default("serve", "--plies"), default("serve", "--positions")),
    ),
    (
        "docs/explorer.md",
        "by default {} and {}.",
        (default("serve", "--host"), str(default("serve", "--port"))),
    ),
]

STORED: Final[list[tuple[str, str, Any]]] = [
    ("docs/book-file.md", "A record has {} bytes", constant(LAYOUT, "RECORD_BYTES")),
    ("docs/book-file.md", "| header, {} bytes |", constant(LAYOUT, "HEADER_BYTES")),
    ("docs/book-file.md", "| {} entries: the records", CLUSTERS + 1),
    ("docs/book-file.md", "for each {} bytes from the start", constant(LAYOUT, "SUM_BLOCK")),
    ("docs/book-file.md", "write version {}.", constant(LAYOUT, "VERSION")),
    ("docs/faq.md", "an index of {} entries", CLUSTERS + 1),
    ("docs/literature.md", "takes {} bytes for any size of book", 4 * (CLUSTERS + 1)),
    (
        "docs/store.md",
        "until a part has {} million rows",
        constant("bookbuilder/tally/store/reduce.py", "ROWS_PER_PART") // 10**6,
    ),
    (
        "docs/store.md",
        "the top {} bits 0",
        WORDS[constant("bookbuilder/tally/store/reduce.py", "_SAMPLE_BITS")],
    ),
    (
        "docs/store.md",
        "row groups of {} rows, and pages of {} rows",
        (constant(SUMS, "GROUP_ROWS"), constant(SUMS, "PAGE_ROWS")),
    ),
    ("docs/store.md", "one of each {} bytes of pages", constant("core/src/store/sums.rs", "BLOCK")),
    (
        "docs/cluster.md",
        "| merge | {} run files,",
        constant("bookbuilder/tally/store/reduce.py", "MOST_RUNS"),
    ),
    ("docs/cluster.md", "by default {} MiB.", constant(RUN, "TASK_BYTES") // MIB),
    (
        "docs/cluster.md",
        "cut into {} stretches at most",
        constant("bookbuilder/tally/cluster/plan.py", "MOST_CUTS"),
    ),
    ("docs/cluster.md", "by default {} GiB.", constant(RUN, "_TASK_MEMORY") >> 30),
    (
        "docs/faq.md",
        "by default {} GiB or half",
        constant("bookbuilder/tally/store/spill.py", "_DEFAULT_MEMORY") >> 30,
    ),
    (
        "docs/guides/archives.md",
        "at most {} MiB and {} million values",
        (constant(PAGES, "MAX_PAGE_BYTES") // MIB, constant(PAGES, "MAX_PAGE_VALUES") // MIB),
    ),
    ("docs/endgame.md", "blocks of {} KiB", constant("core/src/endgame/file/layout.rs", "BLOCK_BYTES") >> 10),
    (
        "docs/endgame.md",
        "stay unpacked, up to {} MiB",
        constant(CACHE, "SETS")
        * constant(CACHE, "SLOTS")
        * constant("core/src/endgame/file/layout.rs", "BLOCK_BYTES")
        // MIB,
    ),
    ("docs/endgame.md", "{} king pairs", constant("core/src/endgame/chess/kings.rs", "PAIRS")),
    ("docs/time.md", "a tree of at most {} moves", constant("core/src/tally/run/openings.rs", "EDGES")),
]

JUDGED: Final[list[tuple[str, str, Any]]] = [
    ("docs/engine.md", "({} without a time control)", constant(TIME, "EXPECTED_MOVES")),
    ("docs/engine.md", "at {} times the target", WORDS[constant(TIME, "LIMIT_PER_TARGET")]),
    ("docs/engine.md", "below a usage of {} never", constant(HINTS, "MIN_HINT_USAGE")),
    ("docs/repetition.md", "{} counters indexed", constant("core/src/history/detectors.rs", "SLOTS")),
    (
        "docs/matches.md",
        "more than {} centipawns ahead",
        constant("bookbuilder/engine/match/openings.py", "_MOST_CENTIPAWNS"),
    ),
    ("docs/matches.md", "{} lines (`--walks`)", default(WALK, "--walks")),
    ("docs/matches.md", "until ply {} (`--ply`)", default(WALK, "--ply")),
    ("docs/matches.md", "with {} nodes each (`--nodes`)", default(WALK, "--nodes")),
    ("docs/matches.md", "count as ±{}", constant("bookbuilder/engine/walk/judges.py", "MOST_CENTIPAWNS")),
    ("docs/matches.md", "the {} most visited moves (`--positions`)", default(WALK, "--positions")),
    ("docs/matches.md", "with {} nodes (`--verify-nodes`)", default(WALK, "--verify-nodes")),
    (
        "docs/guides/sound.md",
        "By default {} positions are searched with {} nodes",
        (default("evaluate", "--positions"), default("evaluate", "--nodes")),
    ),
    ("docs/guides/sound.md", "up to {} times as many", 2 ** constant(PLAN, "MOST_STEPS")),
    ("docs/guides/sound.md", "lose more than {} centipawns by both", default("evaluate", "--verify")),
    (
        "docs/guides/sound.md",
        "they gain {} centipawns",
        constant("bookbuilder/engine/evaluate/adds.py", "LEAST_GAIN"),
    ),
    ("docs/guides/sound.md", "more than `--blunder` ({})", default("book check", "--blunder")),
    (
        "docs/guides/sound.md",
        "from −{} to {} centipawns",
        (-default("book suite", "--min-cp"), default("book suite", "--max-cp")),
    ),
    (
        "docs/guides/learn.md",
        "as if {} own games",
        constant("bookbuilder/learning/posterior.py", "PRIOR_GAMES"),
    ),
    (
        "docs/guides/learn.md",
        "half after {} later ones",
        constant("bookbuilder/learning/learned.py", "HALF_LIFE"),
    ),
    (
        "docs/selection.md",
        "`--veto` centipawns ({}; in xiangqi {})",
        tuple(
            constant("bookbuilder/selection/evidence.py", name) for name in ("DEFAULT_LIMIT", "XIANGQI_LIMIT")
        ),
    ),
    ("docs/selection.md", "by more than {} |", constant(VETO, "LEAST_FALL")),
    (
        "docs/selection.md",
        "at most {} centipawns, if the move has at least {} results",
        (constant(VETO, "MOST_OVERRULED"), constant(VETO, "LEAST_RESULTS")),
    ),
    (
        "docs/selection.md",
        "fewer than {} evaluated positions of {} results each, c is {}",
        (
            constant(VETO, "_LEAST_POSITIONS"),
            constant(VETO, "_LEAST_FITTED"),
            int(constant(VETO, "_USUAL_SCALE")),
        ),
    ),
    ("docs/selection.md", "cut at ±{}", constant(LOSS, "MOST_CENTIPAWNS")),
    ("docs/selection.md", "if at least {} of them", constant(LOSS, "LEAST_OWN")),
    (
        "docs/selection.md",
        "in units of 1/{} of a game",
        constant("bookbuilder/selection/weights.py", "SCALE"),
    ),
    ("docs/selection.md", "of at most {} plies", constant("bookbuilder/selection/perpetuals.py", "_LONGEST")),
    ("docs/guides/build.md", "more than {} % of the games", int(100 * MIN_SHARE)),
    (
        "docs/guides/build.md",
        "one game in {}, and at least {} games",
        (constant(REACH, "_GAMES_A_REPLY"), constant(REACH, "_MIN_GAMES")),
    ),
    (
        "docs/guides/build.md",
        "at most {} rows every move counts",
        constant("bookbuilder/book/book_graph.py", "_FEW_ROWS"),
    ),
    ("docs/guides/build.md", "the {} most played first moves", WORDS[constant(REACH, "_FIRST_MOVES")]),
    ("docs/guides/sound.md", "with {} times the nodes.", WORDS[constant(LOSS, "CONFIRMING")]),
    ("docs/selection.md", "have {} times the nodes of the shortest", WORDS[constant(LOSS, "CONFIRMING")]),
    ("docs/guides/large.md", "Up to {} games the", constant("bookbuilder/cli/sampling.py", "READ_GAMES")),
]


MEASURED: Final[dict[str, tuple[str, ...]]] = {
    "13.2 ± 2.0": ("README.md", "docs/compared.md", "docs/measurements.md"),
    "27.8 ± 3.2": ("docs/guides/sound.md", "docs/measurements.md"),
    "104.7 ± 9.6": ("docs/guides/sound.md", "docs/measurements.md"),
    "+61 Elo [+38, +85]": ("docs/guides/sound.md", "docs/measurements.md"),
    "0 Elo [−24, +24]": ("docs/guides/sound.md", "docs/measurements.md"),
    "1.91 s": ("docs/faq.md", "docs/measurements.md"),
    "5.8 s": ("docs/faq.md", "docs/measurements.md"),
    "477 MiB": ("docs/store.md", "docs/measurements.md"),
    "355 MiB": ("docs/store.md", "docs/guides/large.md"),
    "0.65 µs": ("docs/store.md", "docs/guides/large.md"),
    "14,852 plies": ("docs/verified.md", "docs/repetition.md"),
    "13,538 random": ("docs/verified.md", "docs/repetition.md", "docs/literature.md"),
    "1,146,786": ("docs/verified.md", "docs/literature.md"),
    "1,365,403": ("docs/verified.md", "docs/literature.md"),
    "266,713 games": ("docs/verified.md", "docs/pgn-readers.md"),
    "65.9 %": ("docs/selection.md", "docs/guides/tune.md"),
    "59.4 %": ("docs/selection.md", "docs/guides/tune.md"),
}
"""Figures that were measured once, and the pages that state them: a new figure must reach all of them."""


def text_of(page: str) -> str:
    """Return a page as one line, because sentences wrap."""
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def shown(value: Any) -> str:
    """Return a number as pages show it."""
    return f"{value:,}" if isinstance(value, int) else str(value)


@pytest.mark.parametrize(("page", "sentence", "values"), [*COUNTS, *SERVED, *STORED, *JUDGED])
def test_page_states_the_number_of_the_code(page: str, sentence: str, values: Any) -> None:
    numbers = values if isinstance(values, tuple) else (values,)
    stated = sentence.format(*map(shown, numbers))
    found = re.findall(re.escape(sentence).replace(r"\{\}", r"[\w.,]+"), text_of(page))
    assert stated in text_of(page), f"{page}: expected {stated!r}, found {found}"


@pytest.mark.parametrize("figure", MEASURED)
def test_measured_figure_is_the_same_on_all_pages(figure: str) -> None:
    assert [page for page in MEASURED[figure] if figure not in text_of(page)] == []
