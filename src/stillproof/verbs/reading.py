"""What a session reads from its store: tables, figures, pictures and stored answers; nothing is computed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.answers import Score
from stillproof.core.errors import BadInput
from stillproof.given import Given, text_of
from stillproof.image_finder import find_set, is_foreign
from stillproof.report.by_class import ClassReport, class_report
from stillproof.report.figures.pages import page_named
from stillproof.report.merged import merged_cells, merged_note
from stillproof.report.pictures import Gallery, gallery_of
from stillproof.report.run_report import RunReport, report_of
from stillproof.report.runs import AnyRun, chosen_run, run_meant, trained_rows
from stillproof.report.sets import named_set, sets_of_run
from stillproof.report.stale import stale_cells, stale_notes
from stillproof.report.store_status import StoreStatus, status_of
from stillproof.report.tables.table import Table
from stillproof.sets.drawn import drawn_from
from stillproof.store.records import Run
from stillproof.stored_predictions import StoredPredictions, predictions_of
from stillproof.suites.requests import Request
from stillproof.verbs.importing import Importing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Reading(Importing):
    """Shows stored results. A run is found by its number, name or hash; the default is the newest of the suite."""

    def status(self) -> StoreStatus:
        """Return the runs of the store, how much of each is done, and what failed or is left over."""
        return status_of(self.store)

    def table(
        self, suite: str | None = None, *, run: AnyRun | None = None, methods: Collection[str] | None = None
    ) -> Table:
        """Return the first table of a run; many suites have only one."""
        return self.tables(suite, run=run, methods=methods)[0]

    def tables(
        self,
        suite: str | None = None,
        *,
        run: AnyRun | None = None,
        methods: Collection[str] | None = None,
        sections: Collection[str] | None = None,
        own: bool = False,
    ) -> list[Table]:
        """Return all tables of a run, or those of some sections, from whatever has been computed so far.

        With ``own``, answers that were merged from other stores are left out, and those that rest on them.
        """
        return self._report(suite, run, methods, sections, own=own).tables()

    def plot(
        self,
        suite: str | None = None,
        *,
        run: AnyRun | None = None,
        methods: Collection[str] | None = None,
        sections: Collection[str] | None = None,
        out: Path | str | None = None,
        form: str = "png",
        style: str = "screen",
    ) -> dict[str, Figure]:
        """Return the figures of a run by name; with a folder ``out``, also write them there as png, pdf or svg.

        The style ``paper`` makes them as wide as a column, without title and caption.
        """
        from stillproof.report.drawing.draw import draw  # matplotlib is slow to load
        from stillproof.report.drawing.save import save_figures

        page = page_named(style)
        found = self._report(suite, run, methods, sections).figures()
        figures = {name: draw(figure, page) for name, figure in found.items()}
        if out is not None:
            save_figures(figures, Path(out), form, page)
        return figures

    def by_class(
        self, suite: str | None = None, *, run: AnyRun | None = None, sections: Collection[str] | None = None
    ) -> ClassReport:
        """Return the accuracies of a run for each class of its data sets, of whatever has been computed so far."""
        asked = self._run(suite, run)
        rows = trained_rows(self.store, asked, sections)
        done = self.store.results.statuses([cell for row in rows for cell in row["cells"]])
        finished = [cell for cell, status in done.items() if status == "done"]
        stale = stale_cells(self.store, finished)
        cells = [cell for cell in finished if cell not in stale]
        answers = self.answers([Request("by-class", of=cell) for cell in cells])
        merged = merged_cells(self.store, cells)
        notes = [*stale_notes(list(stale.values())), *merged_note(list(merged.values()))]
        return class_report(asked, rows, dict(zip(cells, answers, strict=True)), notes)

    def gallery(
        self,
        *given: Given,
        run: AnyRun | None = None,
        ipc: Collection[int] | None = None,
        animate: bool = False,
        dataset: str | None = None,
        out: Path | str | None = None,
    ) -> Gallery:
        """Return a labelled picture of distilled sets, and write it if ``out`` names a file.

        Args:
            given: Distilled sets, as ``train`` takes them.
            run: All sets of a run, seed 0, too.
            ipc: Of these, only those with this many images per class.
            animate: Show the snapshots that ``distill`` kept, one after another.
            dataset: Data set that tensors and third-party files stand for.
            out: The picture to write.
        """
        if ipc is not None and run is None:
            raise BadInput(f"ipc={ipc} selects sets of a run: name the run with run=, or leave it out.")
        texts = [text_of(self, one, dataset) for one in given]
        known = [find_set(self, text, dataset)[0].artifact if is_foreign(text) else text for text in texts]
        shown = [named_set(self.store, text) for text in known]
        if run is not None:
            shown += sets_of_run(self.store, run_meant(self.store, run), ipc)
        found = gallery_of(self.store, shown, animate, drawn_from(self.store))
        if out is not None:
            found.save(Path(out))
        return found

    def predictions(self, model: str | Score) -> StoredPredictions:
        """Return what a trained network said of every test image: one of ``Score.models``, by id, prefix or name."""
        if isinstance(model, Score):
            if len(model.models) > 1:
                raise BadInput(f"this score is of {len(model.models)} networks: name one, such as score.models[0].")
            (model,) = model.models
        return predictions_of(self.store, self.options, model)

    def _report(
        self,
        suite: str | None,
        run: AnyRun | None,
        methods: Collection[str] | None,
        sections: Collection[str] | None,
        *,
        own: bool = False,
    ) -> RunReport:
        return report_of(self.store, self._run(suite, run), sections, methods, own=own)

    def _run(self, suite: str | None, run: AnyRun | None) -> Run:
        return run if isinstance(run, Run) else chosen_run(self.store, suite, None if run is None else str(run))
