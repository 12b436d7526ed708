"""Plans: the cells that workers are to compute, in order of need, and which of them can be computed now."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, delete, exists, func, insert, or_, select, update

from stillproof.core.spec import Json, digest
from stillproof.store.clock import Now
from stillproof.store.database import Database, harmless_twice
from stillproof.store.owner import life_of
from stillproof.store.schema import cell_needs, cells, plan_cells, plans
from stillproof.store.strict_json import damaged, from_text, to_text

ENDED = ("done", "failed", "unsupported")
PLANNING_SECONDS = 600.0  # after which another may plan again what one has begun to: doing so twice harms nothing


@dataclass(frozen=True, slots=True)
class PlanState:
    """How a plan stands.

    Args:
        id: Its number.
        run: The run that it is of, if it is of one.
        question: What is planned again, once the answers are there that it depends on.
        plugins: Hashes of the plug-ins that it was planned with.
        open: Whether some of its cells wait for that.
        trouble: Why it could not be planned again.
        planning: Whether somebody who may be alive plans it again just now.
    """

    id: int
    run: int | None
    question: Json | None
    plugins: Sequence[str]
    open: bool
    trouble: str | None
    planning: bool


class Plans:
    """The plans of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @harmless_twice
    def begin(
        self, run: int | None = None, part: str = "", question: Json | None = None, plugins: Sequence[str] = ()
    ) -> int:
        """Return the number of the plan for a part of a run, or a new one for a single call.

        Args:
            run: The run.
            part: Which of its cells are asked for; nothing for all.
            question: What is planned again, once the answers are there that it depends on.
            plugins: Hashes of the plug-ins that it is planned with.
        """
        key = digest({"call": uuid.uuid4().hex} if run is None else {"run": run, "part": part})
        values = {
            "question": None if question is None else to_text(question, "the question of a plan"),
            "plugins": to_text(list(plugins), "the plug-ins of a plan"),
            "trouble": None,
        }
        with self._database.write() as connection:
            again = update(plans).where(plans.c.key == key).values(values).returning(plans.c.id)
            if (found := connection.execute(again).scalar()) is not None:
                return int(found)
            new = {"key": key, "run": run, "created": time.time(), "open": 0, **values}
            return int(connection.execute(insert(plans).values(new).returning(plans.c.id)).scalar_one())

    @harmless_twice
    def add(self, plan: int, ids: Sequence[str], last: Collection[str], *, is_open: bool) -> None:
        """Enter cells into a plan, in order of need; of a later round, those that are in it stay where they are.

        Args:
            plan: The plan.
            ids: The cells, which are in the store.
            last: Those among them that run when all others have ended.
            is_open: Whether there will be another round.
        """
        with self._database.write() as connection:
            own = plan_cells.c.plan == plan
            first = connection.execute(select(func.coalesce(func.max(plan_cells.c.place) + 1, 0)).where(own)).scalar()
            rows = [
                {"plan": plan, "cell": cell, "place": (first or 0) + place, "last": int(cell in last)}
                for place, cell in enumerate(ids)
            ]
            self._database.insert_new(connection, plan_cells, rows)
            closed = {"open": int(is_open), "owner": None, "lease_until": None, "trouble": None}
            connection.execute(update(plans).where(plans.c.id == plan).values(closed))

    @harmless_twice
    def drop(self, plan: int) -> None:
        """Forget a plan; its cells stay."""
        with self._database.write() as connection:
            connection.execute(delete(plan_cells).where(plan_cells.c.plan == plan))
            connection.execute(delete(plans).where(plans.c.id == plan))

    def of_run(self, run: int) -> list[PlanState]:
        """Return the plans of a run, the oldest first."""
        return self._states(plans.c.run == run)

    def unfinished(self) -> list[PlanState]:
        """Return the plans of runs that are not whole, the oldest first."""
        left = exists().where(
            plan_cells.c.plan == plans.c.id, plan_cells.c.cell == cells.c.id, cells.c.status.not_in(ENDED)
        )
        return self._states(plans.c.run.is_not(None) & or_(plans.c.open == 1, left))

    def get(self, plan: int) -> PlanState | None:
        """Return one plan, or nothing."""
        return next(iter(self._states(plans.c.id == plan)), None)

    @harmless_twice
    def _states(self, condition: ColumnElement[bool]) -> list[PlanState]:
        columns = (plans.c.id, plans.c.run, plans.c.question, plans.c.plugins, plans.c.open, plans.c.trouble)
        held = and_(plans.c.owner.is_not(None), plans.c.lease_until >= Now())
        holder = case((held, plans.c.owner)).label("holder")
        with self._database.read() as connection:
            rows = connection.execute(select(*columns, holder).where(condition).order_by(plans.c.id)).all()
        return [
            PlanState(
                row.id,
                row.run,
                from_text(row.question, dict),
                _words(row.plugins),
                bool(row.open),
                row.trouble,
                row.holder is not None and life_of(row.holder) != "dead",
            )
            for row in rows
        ]

    @harmless_twice
    def ready(self, plan: int, most: int, *, last: bool, machine: str = "", but: Collection[str] = ()) -> list[str]:
        """Return cells of a plan that nobody has begun and whose needs have ended, in its order.

        Args:
            plan: The plan.
            most: How many are looked for.
            last: Whether those that run last, or the others.
            machine: JSON of this machine: what measures another one is left out.
            but: Cells that are left out.
        """
        needed = cells.alias("needed")
        waits = exists().where(
            cell_needs.c.cell == cells.c.id, needed.c.id == cell_needs.c.need, needed.c.status.not_in(ENDED)
        )
        condition = and_(*_of(plan, last), cells.c.status == "pending", _fits(machine), ~waits)
        query = select(cells.c.id).where(condition).order_by(plan_cells.c.place).limit(most + len(but))
        with self._database.read() as connection:
            found = connection.execute(query).scalars()
            return [cell for cell in found if cell not in but][:most]

    @harmless_twice
    def running(self, plan: int, *, last: bool, machine: str = "") -> list[str]:
        """Return the cells of a plan that somebody computes, or has left unfinished, as ``ready`` does."""
        query = select(cells.c.id).where(*_of(plan, last), cells.c.status == "running", _fits(machine))
        with self._database.read() as connection:
            return list(connection.execute(query.order_by(plan_cells.c.place)).scalars())

    @harmless_twice
    def counts(self, plan: int, *, last: bool | None = None) -> Counter[str]:
        """Return how many cells of a plan there are in each state."""
        query = select(cells.c.status, func.count().label("cells")).where(*_of(plan, last)).group_by(cells.c.status)
        with self._database.read() as connection:
            return Counter({row.status: row.cells for row in connection.execute(query)})

    def left(self, plan: int, *, last: bool | None = None) -> int:
        """Return how many cells of a plan have not ended."""
        return sum(count for state, count in self.counts(plan, last=last).items() if state not in ENDED)

    @harmless_twice
    def statuses(self, plan: int) -> dict[str, str]:
        """Return the state of each cell of a plan, by id, in its order."""
        query = select(cells.c.id, cells.c.status).where(*_of(plan, None)).order_by(plan_cells.c.place)
        with self._database.read() as connection:
            return {row.id: row.status for row in connection.execute(query)}

    @harmless_twice
    def left_of_kind(self, plan: int, kind: str) -> int:
        """Return how many cells of a kind have not ended."""
        query = select(func.count()).where(*_of(plan, None), cells.c.kind == kind, cells.c.status.not_in(ENDED))
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    @harmless_twice
    def claim_planning(self, plan: int, owner: str) -> bool:
        """Say whether ``owner`` may plan a plan again: it is open, its cells have ended, and nobody else is at it."""
        left = exists().where(*_of(plan, None), cells.c.status.not_in(ENDED))
        with self._database.read() as connection:
            holder = connection.execute(select(plans.c.owner).where(plans.c.id == plan)).scalar()
        gone = [owner] if holder is None or life_of(holder) != "dead" else [owner, holder]
        free = or_(plans.c.lease_until.is_(None), plans.c.lease_until < Now(), plans.c.owner.in_(gone))
        may = and_(plans.c.id == plan, plans.c.open == 1, plans.c.trouble.is_(None), free, ~left)
        values = {"owner": owner, "lease_until": Now() + PLANNING_SECONDS}
        with self._database.write(alone=False) as connection:
            return connection.execute(update(plans).where(may).values(values)).rowcount == 1

    @harmless_twice
    def give_up_planning(self, plan: int, trouble: str | None) -> None:
        """End planning again without a next round: for good, if there is ``trouble``, else so that others may try."""
        with self._database.write(alone=False) as connection:
            values = {"owner": None, "lease_until": None, "trouble": trouble}
            connection.execute(update(plans).where(plans.c.id == plan).values(values))


def planned_cells(connection: Connection) -> list[str]:
    """Return the cells of the plans of runs."""
    query = select(plan_cells.c.cell).join(plans, plans.c.id == plan_cells.c.plan).where(plans.c.run.is_not(None))
    return list(connection.execute(query.distinct()).scalars())


def forget_calls(connection: Connection) -> None:
    """Forget the plans of single calls, which those leave behind that are killed."""
    calls = select(plans.c.id).where(plans.c.run.is_(None))
    connection.execute(delete(plan_cells).where(plan_cells.c.plan.in_(calls)))
    connection.execute(delete(plans).where(plans.c.run.is_(None)))


def _fits(machine: str) -> ColumnElement[bool]:
    """Return the condition that a cell may be computed on a machine, which is given as JSON."""
    return or_(cells.c.machine.is_(None), cells.c.machine == machine)


def _words(text: str) -> list[str]:
    """Return a list of texts as the store keeps it."""
    found = from_text(text, list) or []
    if not all(isinstance(word, str) for word in found):
        raise damaged("a list with more than texts")
    return list(found)


def _of(plan: int, last: bool | None) -> list[ColumnElement[bool]]:
    """Return the conditions that a cell is of a plan, and whether it runs last."""
    own = [plan_cells.c.plan == plan, plan_cells.c.cell == cells.c.id]
    return own if last is None else [*own, plan_cells.c.last == int(last)]
