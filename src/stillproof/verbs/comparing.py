"""Sets, models and methods that a session compares."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence

from stillproof.answers import Score
from stillproof.contender_finder import find, scored
from stillproof.given import Given, text_of
from stillproof.nets.home_network import HOME
from stillproof.report.compare.comparison import compared
from stillproof.report.compare.table import Comparisons
from stillproof.report.merged import merged_cells, merged_note
from stillproof.report.runs import AnyRun, run_meant
from stillproof.suites.requests import Request
from stillproof.verbs.training import Training


class Comparing(Training):
    """Tells whether differences are real."""

    def compare(
        self,
        given: Sequence[Given | Request],
        *,
        network: str = HOME,
        recipe: str | None = None,
        seeds: int = 5,
        dataset: str | None = None,
        run: AnyRun | None = None,
        sections: Collection[str] | None = None,
    ) -> Comparisons:
        """Compare sets, models or methods of a run pair by pair: are they different?

        Sets are trained on first, as ``train`` does with ``network``, ``recipe`` and ``seeds``; scores stand for the
        networks that they are of. Methods are those of ``run``, without one of the newest that has them, from whatever
        has been computed so far.
        """
        train = functools.partial(self.train, network=network, recipe=recipe, seeds=seeds)
        if run is None and sections is None and any(isinstance(one, Score | Request) for one in given):
            found = scored(
                self.store,
                [
                    one if isinstance(one, Score) else train(one, dataset=None if isinstance(one, Request) else dataset)
                    for one in given
                ],
            )
        else:
            names = [text_of(self, one, dataset) for one in given]
            asked = None if run is None else run_meant(self.store, run)
            found = find(self, names, train, dataset=dataset, run=asked, sections=sections)
        cells = [match.cells for match in found.matches]
        answers = self.answers([Request("compare", first=first, second=second) for first, second in cells])
        merged = merged_cells(self.store, dict.fromkeys(cell for sides in cells for side in sides for cell in side))
        notes = [*found.notes, *merged_note(list(merged.values()))]
        return Comparisons(found.of, found.run, compared(found.matches, answers), notes)
