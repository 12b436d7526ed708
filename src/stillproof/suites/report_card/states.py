"""What rows stand on: the code of every component and the content of all data behind their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from stillproof.core.spec import canonical_json
from stillproof.report.answers import Answered
from stillproof.report.asked import components_of, data_of
from stillproof.store.store import Store

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle, BundledAnswer

State: TypeAlias = Mapping[str, str]  # by the name of a component, its code; by that of a data set's part, its id


def states_here(store: Store, rows: Sequence[Answered]) -> list[State]:
    """Return what each row of a run of this store stands on."""
    cells = list(dict.fromkeys(cell for row in rows for cell in row.cells))
    components, data = components_of(store, cells), data_of(store, cells)
    by_cell = {cell: _said(found) | _contents(data[cell]) for cell, found in components.items()}
    return [_together(by_cell[cell] for cell in row.cells if cell in by_cell) for row in rows]


def states_there(bundle: Bundle) -> list[State]:
    """Return what each row of a bundle stands on; of data it names only those of all rows together."""
    data = _contents(bundle.data)
    return [_together([data, *(_code(bundle, answer) for answer in bundle.answers_of(row))]) for row in bundle.rows]


def contradict(one: State, other: State) -> bool:
    """Say whether two rows stand on different code of one component, or on other data of one name."""
    return any(one[name] != other[name] for name in one.keys() & other.keys())


def _code(bundle: Bundle, answer: BundledAnswer) -> State:
    components = {one.name: one.model_dump(exclude={"name"}, exclude_none=True) for one in bundle.stands_on(answer)}
    return _said(
        {name: {key: value for key, value in code.items() if value != {}} for name, code in components.items()}
    )


def _said(components: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    return {name: canonical_json(dict(code)) for name, code in components.items()}


def _contents(data: Iterable[str]) -> dict[str, str]:
    return {f"data {found.partition('@')[0]}": found for found in data}


def _together(states: Iterable[State]) -> State:
    return {name: said for state in states for name, said in state.items()}
