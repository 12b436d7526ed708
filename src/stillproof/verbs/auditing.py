"""Audits of distilled sets, from a session."""

from __future__ import annotations

from pathlib import Path

from stillproof.core.data_title import data_title
from stillproof.core.spec import Json
from stillproof.data.load import source
from stillproof.given import Given, request_for
from stillproof.report.audit.audit import Audit
from stillproof.report.audit.origin import origin_of
from stillproof.report.drawing.save import check_ending, save_figure
from stillproof.report.stale import stale_cells
from stillproof.run.labelled_images import artifact_in
from stillproof.run.stage import answer_of
from stillproof.sets.read import check_fits, read_set
from stillproof.suites.requests import Request
from stillproof.verbs.importing import Importing


class Auditing(Importing):
    """Tells what is suspicious about a set."""

    def audit(self, given: Given | Request, *, dataset: str | None = None, out: Path | str | None = None) -> Audit:
        """Look for test images, copies and duplicates among a set's images, and at what its labels may know.

        Args:
            given: A distilled set, as ``train`` takes it.
            dataset: Data set whose images it is compared with, if not the set's own; required for tensors and
                third-party files.
            out: The picture to write.
        """
        if out is not None:
            check_ending(Path(out))
        request, _ = request_for(self, given, dataset)
        if request.stage == "artifact":  # before a network is trained to look at it
            check_fits(read_set(self.store, request.artifact), source(request.dataset).info)
        result = self.answer(Request("audit", of=request))
        made = self._planner().images(request)
        artifact = made.spec.get("artifact") or artifact_in(answer_of(made.spec["cell"], self.store))
        found = self._as_audit(artifact, made.dataset, result)
        if out is not None:
            save_figure(found.figure(), Path(out))
        return found

    def _stored_audit(self, artifact: str) -> Audit | None:
        """Return the audit of a set that is in the store; nothing if none was made."""
        named = (artifact, self.store.cell_of(artifact))
        for cell, spec in self.store.results.specs("audit").items():
            asked = spec["set"]["artifact"] if isinstance(spec["set"], dict) else spec["set"]
            record = self.store.results.get(cell) if asked in named else None
            if record is not None and record.result is not None and not stale_cells(self.store, [cell]):
                return self._as_audit(artifact, str(record.where["dataset"]), record.result)
        return None

    def _as_audit(self, artifact: str, dataset: str, result: Json) -> Audit:
        name = self.store.names_of([artifact], "distilled").get(artifact) or artifact[:12]
        arrays = self.store.artifacts.arrays(result["arrays"])
        return Audit(name, data_title(dataset), result, arrays, origin_of(self.store, artifact))
