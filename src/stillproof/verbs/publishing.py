"""The static site of a store: leaderboards, and a page for every method."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path

from stillproof.core.amounts import duration
from stillproof.core.errors import BadInput
from stillproof.report.run_command import run_command
from stillproof.report.runs import called
from stillproof.report.sets import PREVIEW
from stillproof.site.board import boards_of
from stillproof.site.pages import Site, SiteFacts
from stillproof.site.suite_page import suite_pages
from stillproof.site.writing import write_site
from stillproof.store.records import Record
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.making import cards_of
from stillproof.suites.report_card.merging import Way, ways_of
from stillproof.suites.report_card.standing import Standings
from stillproof.verbs.carding import Carding

TITLE = "Stillproof"


class Publishing(Carding):
    """Writes a store as a site that works from a folder."""

    def site(self, out: Path | str, *, force: bool = False) -> Path:
        """Write the site of all runs of the store, and of results from elsewhere; return its front page.

        Args:
            out: The folder.
            force: Whether other files in it make room.
        """
        ways = ways_of(self.store)
        standings = Standings(functools.cache(self._reader()))
        boards = boards_of(ways, standings)
        if not boards:
            raise BadInput("this store has no results for a site: `stillproof run report-card` computes some.")
        methods = list(dict.fromkeys(line.method for board in boards for line in board.lines))
        cards = {
            method: [self._with_facts(ways, card) for card in cards_of(ways, method, None, None, standings)]
            for method in methods
        }
        bundles = self.store.bundles.all()
        took = self.store.results.seconds_done() + sum(bundle.seconds for bundle in bundles)
        done = sum(states.get("done", 0) for states in self.store.results.counts().values())
        done += sum(bundle.done for bundle in bundles)
        pictures = self._pictures(cards.values())
        facts = SiteFacts(done, duration(took))
        found = Site(TITLE, boards, suite_pages(ways), cards, facts, self._commands(), pictures, self._cells(ways))
        write_site(Path(out), found.pages(), force=force)
        return Path(out) / "index.html"

    def _cells(self, ways: Iterable[Way]) -> dict[str, Record]:
        """Return the cells that rows stand on, directly or not."""
        first = [cell for way in ways for rows in way.rows.values() for row in rows for cell in row.cells]
        return self.store.results.get_many(list(self.store.results.behind(first)))

    def _commands(self) -> dict[str, str]:
        """Return the command of each run, by what cards call it."""
        own = {called(run): run_command(run) for run in self.store.results.runs()}
        return own | {f"results {bundle.name}": bundle.command for bundle in self.store.bundles.all()}

    def _pictures(self, cards: Iterable[Sequence[ReportCard]]) -> dict[str, bytes]:
        """Return the picture of each set that a card is about."""
        sets = {card.facts.artifact for found in cards for card in found if card.facts is not None}
        folders = {artifact: self.store.artifacts.folder(artifact) for artifact in sorted(sets)}
        return {
            artifact: (folder / PREVIEW).read_bytes()
            for artifact, folder in folders.items()
            if (folder / PREVIEW).is_file()
        }
