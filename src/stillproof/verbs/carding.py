"""Report cards: every side of a set or method, from all that a store knows of it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.shipped import shipped_results
from stillproof.given import Given, text_of
from stillproof.image_finder import find_set, is_foreign
from stillproof.report.answers import Answered
from stillproof.report.runs import AnyRun, run_meant
from stillproof.report.sets import named_set, sets_behind
from stillproof.sets.read import read_set
from stillproof.suites.report_card.card import ReportCard, SetFacts
from stillproof.suites.report_card.cards import ReportCards
from stillproof.suites.report_card.making import cards_of
from stillproof.suites.report_card.merging import Way, ways_of
from stillproof.suites.report_card.standing import ReadRight, Standings
from stillproof.verbs.auditing import Auditing
from stillproof.verbs.right_images import right_images


class Carding(Auditing):
    """Shows what a store knows of a set or method, from all of its runs; nothing is computed."""

    def card(
        self, given: Given, *, dataset: str | None = None, ipc: int | None = None, run: AnyRun | None = None
    ) -> ReportCards:
        """Return the cards of a method, or of a set: one for each data set and number of images per class.

        Args:
            given: A method as tables name it, or a set, as ``train`` takes it.
            dataset: Only the card of this data set; what tensors and third-party files stand for.
            ipc: Only the card of this number of images per class.
            run: Take numbers of this run alone, not of all runs of the store.
        """
        runs = None if run is None else [run_meant(self.store, run)]
        ways = ways_of(self.store, runs)
        if not ways:
            raise BadInput(
                "this store has no results for a card: `stillproof run report-card` computes all of them, and "
                f"`stillproof db import-results {' '.join(shipped_results()) or 'FILE'}` brings those of others."
            )
        text = text_of(self, given, dataset)
        known = dict.fromkeys(str(row["method"]) for row in _rows(ways) if row["ipc"] is not None)
        if text in known:
            found = cards_of(ways, text, dataset, ipc, Standings(self._reader()))
        else:
            found = self._of_set(ways, text, dataset, list(known))
        wanted = [*([dataset] if dataset else []), *([f"{ipc} images per class"] if ipc is not None else [])]
        if not found and not wanted:
            raise BadInput(f"this store has no answer for {text} that counts: run the suite again.")
        if not found:
            raise BadInput(f"no result of {text} with {' and '.join(wanted)} is in this store: leave that out.")
        return ReportCards([self._with_facts(ways, card) for card in found])

    def _of_set(self, ways: Sequence[Way], text: str, dataset: str | None, known: Sequence[str]) -> list[ReportCard]:
        """Return the card of the method that made a set, or of the existing set itself."""
        try:
            artifact = find_set(self, text, dataset)[0].artifact if is_foreign(text) else named_set(self.store, text).id
        except BadInput:
            raise UnknownName("method or set", text, known, of="this store's results") from None
        cell = self.store.cell_of(artifact)
        for row in _rows(ways):
            if row["ipc"] is not None and (row["set"] == artifact or self._stands_on(row.cells, cell)):
                return cards_of(
                    ways, str(row["method"]), str(row["dataset"]), int(row["ipc"]), Standings(self._reader())
                )
        asked = f"--dataset {named_set(self.store, artifact).card['dataset']} --methods {shlex.quote(text)}"
        raise BadInput(f"no run has looked at {text} yet: `stillproof run report-card {asked}` does.")

    def _stands_on(self, cells: Sequence[str], cell: str | None) -> bool:
        return cell is not None and cell in self.store.results.behind(cells)

    def _reader(self) -> ReadRight:
        """Return what says which test images trained networks have right, (networks, images), if all are known."""
        bundled = [bundle.answers.items() for bundle in self.store.bundles.all()]
        elsewhere = {cell: answer.right for answers in bundled for cell, answer in answers if answer.right is not None}

        def read(cells: Sequence[str]) -> npt.NDArray[np.bool_] | None:
            found = {cell: elsewhere[cell].images() for cell in cells if cell in elsewhere}
            found |= right_images(self.store, self.options, cells)
            is_whole = found.keys() >= set(cells) and len({len(right) for right in found.values()}) == 1
            return np.stack([found[cell] for cell in cells]) if is_whole else None

        return read

    def _with_facts(self, ways: Sequence[Way], card: ReportCard) -> ReportCard:
        """Return a card with what is known of the set itself: that of the first seed, where each has its own."""
        row = next(row for row in _rows(ways) if (row["method"], row["dataset"], row["ipc"]) == card.key)
        sets = [str(row["set"])] if row["set"] else sets_behind(self.store, list(row.cells[:1]))
        if not sets or not self.store.names_of(sets[:1], "distilled"):  # of results from elsewhere it is not here
            return card
        return dataclasses.replace(card, facts=self._facts(sets[0]), audit=self._stored_audit(sets[0]))

    def _facts(self, artifact: str) -> SetFacts:
        distilled = read_set(self.store, artifact)
        kind = str(distilled.labels.card()["labels"])
        return SetFacts(artifact, distilled.card.bytes, distilled.images.nbytes, distilled.card.licence, kind)


def _rows(ways: Sequence[Way]) -> Iterator[Answered]:
    return (row for way in ways for rows in way.rows.values() for row in rows)
