"""The rows of a bundle as reports take them, one place per seed, without answers of older versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from stillproof.core.components import REGISTRIES
from stillproof.report.answers import Answered, Effort
from stillproof.report.identities import has_risen

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle, BundledAnswer, BundledRow, Component


def bundle_rows(bundle: Bundle) -> list[Answered]:
    """Return all rows of a bundle; an answer that stands on a component which has risen since is left out."""
    return [bundle_row(bundle, row) for row in bundle.rows]


def bundle_row(bundle: Bundle, row: BundledRow, *, whatever_version: bool = False) -> Answered:
    """Return a row of a bundle, answers of earlier versions among them if so wanted."""
    answers = bundle.answers_of(row)
    older = [None if whatever_version else next(risen(bundle.stands_on(answer)), None) for answer in answers]
    fresh = [answer if why is None else None for answer, why in zip(answers, older, strict=True)]
    ended = [answer for answer in fresh if answer is not None and answer.state in ("failed", "unsupported")]
    return Answered(
        keys=row.keys,
        results=[None if answer is None else answer.result for answer in fresh],
        reasons=[row.reason] if row.reason else sorted({answer.reason or "unknown" for answer in ended}),
        waiting=sum(answer is not None and answer.state == "missing" for answer in fresh),
        stale=[why for why in older if why is not None],
        merged=[answer.origin for answer in fresh if answer is not None and answer.origin is not None],
        efforts=[_effort(answer) for answer in fresh],
        unsupported=bool(answers) and all(answer is not None and answer.state == "unsupported" for answer in fresh),
        cells=tuple(row.cells),
    )


def risen(components: Iterable[Component]) -> Iterator[str]:
    """Yield the components that are of a later version or generation here, as in ``distiller dm``."""
    for component in components:
        kind, _, name = component.name.partition("/")
        known = component.model_dump(exclude_none=True)
        if kind in REGISTRIES and has_risen(kind, name, known):
            yield f"{REGISTRIES[kind].kind} {name}"


def _effort(answer: BundledAnswer | None) -> Effort | None:
    if answer is None or answer.training is None:
        return None
    return Effort(answer.training.seconds, answer.training.flops)
