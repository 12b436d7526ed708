"""The static site of a store: leaderboards, and a page for every method."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stillproof.author_report import author_reports
from stillproof.core.amounts import duration
from stillproof.core.errors import BadInput
from stillproof.report.answers import Answered, answers_to
from stillproof.report.bundle_facts import bundle_line
from stillproof.report.bundle_rows import bundle_row
from stillproof.report.merged import merged_cells
from stillproof.report.rows import FULL
from stillproof.report.run_command import run_command
from stillproof.report.runs import called
from stillproof.report.sets import PREVIEW, named_set
from stillproof.report.verification import Verification, checked
from stillproof.score.stats import Summary
from stillproof.sets.artifact import ORIGIN
from stillproof.sets.fronts import front_of
from stillproof.sets.preview import previews
from stillproof.sets.read import read_set
from stillproof.sets.reported import reported_on
from stillproof.site.board import boards_of
from stillproof.site.claims import Claimed, Claims
from stillproof.site.entry import Beside
from stillproof.site.pages import Site, SiteFacts
from stillproof.site.suite_page import suite_pages
from stillproof.site.writing import write_site
from stillproof.store.records import Record
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.making import cards_of
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.merging import RESULTS, Way, ways_elsewhere, ways_of
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
        cards = self._all_cards(ways, standings)
        cells = self._cells(ways)
        labels = {card.key: card.facts.labels for found in cards.values() for card in found if card.facts}
        claims = Claims(ways_elsewhere(self.store))
        boards = boards_of(
            ways,
            standings,
            labels=lambda method, dataset, ipc: labels.get((method, dataset, ipc), ""),
            beside=lambda side, row: [*claims.beside(side, row), *self._reported(side, row)],
            here=self._computed_here(cells),
        )
        if not boards:
            raise BadInput("this store has no results for a site: `stillproof run report-card` computes some.")
        found = Site(
            title=TITLE,
            boards=boards,
            suites=suite_pages(ways),
            cards=cards,
            claimed=self._claimed_results(),
            facts=self._facts_of_all(),
            commands=self._commands(),
            pictures=self._pictures(cards.values()),
            cells=cells,
        )
        write_site(Path(out), found.pages(), force=force)
        return Path(out) / "index.html"

    def _all_cards(self, ways: Sequence[Way], standings: Standings) -> dict[str, list[ReportCard]]:
        """Return the cards of every method; of one that no side knows there are none."""
        rows = (row for way in ways for rows in way.rows.values() for row in rows)
        methods = dict.fromkeys(str(row["method"]) for row in rows if row["ipc"] is not None)
        cards = {
            method: [self._with_facts(ways, card) for card in cards_of(ways, method, None, None, standings)]
            for method in methods
            if method != FULL
        }
        return {method: found for method, found in cards.items() if found}

    def _facts_of_all(self) -> SiteFacts:
        bundles = self.store.bundles.all()
        took = self.store.results.seconds_done() + sum(bundle.seconds for bundle in bundles)
        done = sum(states.get("done", 0) for states in self.store.results.counts().values())
        return SiteFacts(done + sum(bundle.done for bundle in bundles), duration(took))

    def _claimed_results(self) -> list[Claimed]:
        """Return results from elsewhere, with what this store computed of the same questions."""
        found = []
        for bundle in self.store.bundles.all():
            rows = [{**row.keys, "cells": list(row.cells)} for row in bundle.rows]
            answers = answers_to(self.store, rows, own=True)  # what others say bears nobody out
            both = [
                (bundle_row(bundle, row), answer)
                for row, answer in zip(bundle.rows, answers, strict=True)
                if answer.missing < len(answer.results)
            ]
            checks = checked([claim for claim, _ in both], [answer for _, answer in both])
            here = Verification(bundle.name, checks) if checks else None
            found.append(Claimed(bundle.name, bundle_line(bundle), here, f"stillproof verify {bundle.name}"))
        return found

    def _reported(self, side: Side, row: Answered) -> list[Beside]:
        """Return what the author of an existing set reports of its accuracy on the same network."""
        accuracy = row.summary() if side.key == "accuracy" and row["set"] else None
        if accuracy is None or not self.store.names_of([str(row["set"])], "distilled"):
            return []  # results from elsewhere may be of a set that is not here
        return self._author_says(str(row["set"]), row.keys, accuracy)

    def _author_says(self, artifact: str, keys: Mapping[str, str], ours: Summary) -> list[Beside]:
        claims = reported_on(named_set(self.store, artifact).card.get("provenance", {}).get(ORIGIN, {}))
        if not claims:
            return []
        network, recipe, defence = keys["network"], keys["recipe"], keys.get("defence") or None
        reports = author_reports(claims, read_set(self.store, artifact), network, recipe, keys["dataset"], defence)
        same = [report for report in reports if report.same_network is not False]
        return [
            Beside("reported", f"{100 * one.claim.accuracy:.1f}", ". ".join(one.sentences(ours, recipe)))
            for one in same
        ]

    def _cells(self, ways: Iterable[Way]) -> dict[str, Record]:
        """Return the cells that rows stand on, directly or not."""
        first = [cell for way in ways for rows in way.rows.values() for row in rows for cell in row.cells]
        return self.store.results.get_many(list(self.store.results.behind(first)))

    def _computed_here(self, cells: Mapping[str, Record]) -> set[str]:
        """Return those of the cells that have an answer, and rest on none that was merged from another store."""
        merged = merged_cells(self.store, cells)
        return {cell for cell, record in cells.items() if record.status == "done" and cell not in merged}

    def _commands(self) -> dict[str, str]:
        """Return the command of each run, by what cards call it."""
        own = {called(run): run_command(run) for run in self.store.results.runs()}
        return own | {f"{RESULTS}{bundle.name}": bundle.command for bundle in self.store.bundles.all()}

    def _pictures(self, cards: Iterable[Sequence[ReportCard]]) -> dict[str, bytes]:
        """Return the picture of each set that a card is about, drawn: a file beside it could be of anything."""
        sets = {card.facts.artifact for found in cards for card in found if card.facts is not None}
        return {artifact: self._picture(artifact) for artifact in sorted(sets)}

    def _picture(self, artifact: str) -> bytes:
        distilled = read_set(self.store, artifact)
        return previews(distilled, front_of(distilled.space, self.store))[PREVIEW]
