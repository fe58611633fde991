"""The steps of every run that ends with a store: count, report, merge, publish.

A run in this process and a run on a cluster only differ in who does the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol, TypeAlias, TypeVar

from bookbuilder.archives.sources import Source
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.report import Figures, TallyReport, add_figures, first_rejects, report_of
from bookbuilder.tally.store.layout import Manifest
from bookbuilder.tally.store.reduce import Reducer, mergeable, publish

R = TypeVar("R")

OnRuns: TypeAlias = Callable[[Sequence[Figures]], None]
"""Called once with the run files before they are merged, for their rejects."""


class Steps(Protocol[R]):
    """The steps of one run. `R` is what names a run file."""

    def count(self) -> Sequence[R]:
        """Count the archives into run files, and return those in the order of the plan."""

    def opened(self, runs: Sequence[R]) -> AbstractContextManager[Sequence[Figures]]:
        """Yield the figures and rejects of run files."""

    def merge(self, groups: Sequence[tuple[Sequence[R], str]]) -> Sequence[R]:
        """Merge groups of neighbouring runs, each into a run file of the given name."""

    def reducer(self, runs: Sequence[R]) -> Reducer:
        """Return what merges runs and the parts of the store that is grown."""


def run_steps(
    steps: Steps[R],
    options: TallyOptions,
    sources: Sequence[Source],
    base: Manifest | None,
    on_runs: OnRuns | None = None,
) -> TallyReport:
    """Do the steps of a run and return its report. Its `rows` are 0 if no store was written.

    No store is written if no game was counted, or if games of the store begin new ones: `report.superseded`.

    Args:
        steps: what does the work.
        options: what is counted.
        sources: the archives of the run.
        base: the manifest of the store that is grown; None = a new store.
        on_runs: called with the run files.
    """
    runs = steps.count()
    with steps.opened(runs) as opened:
        figures = add_figures(opened)
        if figures["superseded"]:
            return TallyReport(superseded=figures["superseded"])
        report = replace(report_of(figures, sources), first_rejects=first_rejects(opened))
        if on_runs is not None:
            on_runs(opened)
    if base is None and not report.observations:
        return report
    before = base.sources if base else ()
    # A source has the figures of the run that read it.
    reducer = steps.reducer(mergeable(runs, steps.merge))
    manifest = publish(reducer, options, [*before, *report.sources])
    return replace(report, rows=manifest.rows, repeats=reducer.count_repeats(manifest))
