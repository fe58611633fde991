"""The package says what an old processor lacks, and starts on every other."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookbuilder.processor import CPUINFO, require_processor

FLAGS = "fpu sse sse2 pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm avx"
MODERN = f"processor\t: 0\nflags\t\t: {FLAGS}\n\nprocessor\t: 1\n"


def test_this_processor_is_known_and_good_enough() -> None:
    if Path(CPUINFO).exists():
        assert "processor" in Path(CPUINFO).read_text()
    require_processor()


@pytest.mark.parametrize("missing", ["sse4_2", "popcnt", "ssse3"])
def test_old_processor_is_refused_with_what_it_lacks(tmp_path: Path, missing: str) -> None:
    (tmp_path / "cpuinfo").write_text(MODERN.replace(f" {missing}", ""))
    with pytest.raises(ImportError, match=f"this one lacks {missing}. Build it from source"):
        require_processor(str(tmp_path / "cpuinfo"))


@pytest.mark.parametrize("text", [MODERN, "", "Features\t: fp asimd aes\n", "flags\n", "\xff" * 9000])
def test_other_processors_are_not_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "cpuinfo").write_text(text, encoding="latin-1")
    require_processor(str(tmp_path / "cpuinfo"))


def test_missing_description_refuses_nothing(tmp_path: Path) -> None:
    require_processor(str(tmp_path / "cpuinfo"))
