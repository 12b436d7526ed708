"""Results that come from elsewhere, computed again: do they lie where they are claimed to?"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.amounts import duration
from stillproof.core.errors import BadInput, DataMissing, UnknownName
from stillproof.core.shipped import shipped_results
from stillproof.core.spec import Json, canonical_json
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.asked import asked_of
from stillproof.report.bundle_rows import bundle_row, risen
from stillproof.report.runs import find_run_or_call
from stillproof.report.verification import Verification, checked, unasked
from stillproof.run.estimate import Estimate
from stillproof.run.plan import Planner
from stillproof.store.read_bundle import read_bundle
from stillproof.store.records import Run
from stillproof.verbs.claimed_rows import Claimed, keys_of, rows_named, rows_with_numbers
from stillproof.verbs.running import Running, with_needs

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle

log = logging.getLogger("stillproof")


@dataclass(frozen=True)
class VerifyCost:
    """What computing claimed rows again would take, and what it took where they come from."""

    claimed: Claimed
    estimate: Estimate

    def __repr__(self) -> str:
        """Say it in one sentence."""
        there, here = self.claimed.bundle, self.estimate
        left = here.cells - here.cached
        time = f", about {duration(here.seconds)} here" if left else "; a new store (--store) computes them again"
        whole = f"all of {there.name!r} took {duration(there.seconds)}{_machine(there)}"
        return f"{here.cells} cells, {here.cached} of them in the store already{time}; {whole}"

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {
            "name": self.claimed.bundle.name,
            "seconds_there": self.claimed.bundle.seconds,
        } | self.estimate.as_dict()


class Verifying(Running):
    """Computes results of others again."""

    def verify(self, results: str) -> Verification:
        """Compute claimed results again, as far as this store has not computed them itself, and compare.

        Args:
            results: Results that come with Stillproof, or were imported, by name, or the file of a bundle; ``/METHOD``
                and ``/METHOD/IPC`` behind it choose some of the rows.
        """
        claimed = self._claimed(results)
        self._reopen_merged(lambda: self._plan_claimed(claimed)[0])  # what others say bears nobody out
        planner, planned = self._plan_claimed(claimed)
        rows = _each_once(claimed, planned)
        log.info("%r", VerifyCost(claimed, self.estimate(planner)))
        call = self._save_call(claimed, rows)
        self._finish(planner, lambda: self._plan_claimed(claimed)[0], must_succeed=False)
        found = answered_rows(self.store, dataclasses.replace(call, rows=rows))
        bundle = claimed.bundle
        by_keys = {canonical_json(dict(row.keys)): row for row in claimed.rows}
        asked = [by_keys[canonical_json(dict(row.keys))] for row in found]
        checks = checked([bundle_row(bundle, row, whatever_version=True) for row in asked], found)
        absent = by_keys.keys() - {canonical_json(keys_of(row)) for row in planned}
        there = [bundle_row(bundle, row, whatever_version=True) for key, row in by_keys.items() if key in absent]
        checks += unasked(there)
        return Verification(claimed.text, checks, [*self._notes(claimed, rows, len(absent)), *_failed(found)])

    def _save_call(self, claimed: Claimed, rows: Sequence[Json]) -> Run:
        """Keep what is asked as a single call, so that the newest run of the suite stays what it is."""
        cells = list(dict.fromkeys(cell for row in rows for cell in row["cells"]))
        about = dict.fromkeys(str(row["dataset"]) for row in rows if row.get("dataset"))
        row = {"dataset": ", ".join(about), "method": claimed.text, "cells": cells}
        number = self.store.results.save_run("", {"results": claimed.bundle.name}, [row], verb="verify")
        return find_run_or_call(self.store, str(number))

    def verify_cost(self, results: str) -> VerifyCost:
        """Say what ``verify`` would take; nothing is computed."""
        claimed = self._claimed(results)
        return VerifyCost(claimed, self.estimate(self._plan_claimed(claimed)[0], own=True))

    def _claimed(self, text: str) -> Claimed:
        """Return the bundle and the rows that a text means; the longest beginning that means a bundle counts."""
        parts = text.split("/")
        for count in range(len(parts), 0, -1):
            bundle = self._bundle("/".join(parts[:count]))
            if bundle is not None:
                rows = rows_with_numbers(bundle, rows_named(bundle, parts[count:], text))
                if not rows:
                    raise BadInput(f"{text} claims no share of images, and only those are compared: name other rows.")
                return Claimed(text, bundle, rows, some=count < len(parts))
        known = [*self.store.bundles.names(), *shipped_results()]
        if known:
            raise UnknownName("results", parts[0], known)
        raise BadInput(
            f"there are no results {text!r}: name a file of results, or import one by `stillproof db import-results`."
        )

    def _bundle(self, name: str) -> Bundle | None:
        if Path(name).is_file():
            return read_bundle(Path(name))
        if name in self.store.bundles.names():
            return self.store.bundles.get(name)
        shipped = shipped_results()
        return read_bundle(shipped[name]) if name in shipped else None

    def _plan_claimed(self, claimed: Claimed) -> tuple[Planner, list[Json]]:
        """Plan the claimed rows alone; what they need and is not here ends it."""
        bundle = claimed.bundle
        try:
            # Sets with test images have a mark in their rows' names, which the claim must have, too.
            planner, every, _ = self._planned(bundle.suite, claimed.config(), None, allow_test_images=True)
        except DataMissing as error:
            raise DataMissing(
                f"{error} Computing {bundle.name!r} again also takes time: it took {duration(bundle.seconds)}"
                f"{_machine(bundle)}."
            ) from error
        except BadInput as error:
            raise BadInput(
                f"{bundle.name!r} cannot be computed again here: {error} (`--plugin FILE` brings components that are "
                "not part of Stillproof, `stillproof import` brings sets.)"
            ) from error
        wanted = {canonical_json(dict(row.keys)) for row in claimed.rows}
        rows = [row for row in every if row["cells"] and canonical_json(keys_of(row)) in wanted]
        if not rows:
            raise BadInput(
                f"this version of Stillproof asks for none of the rows of {claimed.text}: another version made it."
            )
        planner.cells = with_needs(planner.cells, {cell for row in rows for cell in row["cells"]})
        return planner, rows

    def _notes(self, claimed: Claimed, rows: Sequence[Json], absent: int) -> list[str]:
        """Say what of the claim is not what is asked here, and why."""
        bundle, notes = claimed.bundle, []
        there = {canonical_json(dict(row.keys)): row for row in claimed.rows}
        answers = [answer for row in claimed.rows for answer in bundle.answers_of(row)]
        older = list(dict.fromkeys(why for answer in answers for why in risen(bundle.stands_on(answer))))
        if older:
            notes.append(f"Claimed with an earlier version of {', '.join(older)}: its numbers may differ.")
        asked = asked_of(self.store, [cell for row in rows for cell in row["cells"]])
        others = 0
        for row in rows:
            claims = {answer.asks for answer in bundle.answers_of(there[canonical_json(keys_of(row))])}
            others += not {asked[cell] for cell in row["cells"] if cell in asked} <= claims
        if others and not older:
            notes.append(f"{others} rows ask something else here: data or code differ from those of the claim.")
        if absent:
            notes.append(f"{absent} rows of the claim are not asked for here.")
        return notes


def _each_once(claimed: Claimed, planned: Sequence[Json]) -> list[Json]:
    """Return planned rows without those that ask, and are claimed to ask, the same as one before them."""
    cells = {canonical_json(dict(row.keys)): tuple(row.cells) for row in claimed.rows}
    first: dict[tuple[Sequence[str], Sequence[str]], Json] = {}
    for row in planned:
        first.setdefault((cells[canonical_json(keys_of(row))], tuple(row["cells"])), row)
    return list(first.values())


def _machine(bundle: Bundle) -> str:
    """Say where it was computed, if that is one machine."""
    processors = {f"{one.processor or 'a processor without a name'}, {one.cores} cores" for one in bundle.machines}
    return f" on {processors.pop()}" if len(processors) == 1 else ""


def _failed(found: Sequence[Answered]) -> list[str]:
    reasons = dict.fromkeys(reason for row in found for reason in row.reasons)
    return [f"Not measured: {reason}" for reason in reasons]
