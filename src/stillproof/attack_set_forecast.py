"""The cost of an attacked data set: time, passes and bytes of each attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.core.amounts import duration
from stillproof.core.spec import Json
from stillproof.report.attacked_set_table import title_of
from stillproof.report.tables.table import Bytes, Column, Number, Seconds, Table, Value

COLUMNS = (
    Column("attack", "attack"),
    Column("title", "what it is", fold="empty", absent=""),
    Column("images", "images", int),
    Column("passes", "passes per image", Number, absent="?"),
    Column("seconds", "time", Seconds, absent="?"),
    Column("bytes", "size", Bytes),
    Column("state", "state"),
)


@dataclass(frozen=True)
class AttackCost:
    """The cost of one attack.

    Args:
        attack: What it is called.
        images: Images that it is made on.
        passes: Passes of one image; None if they were not counted.
        seconds: The time that is left to compute, in one process.
        bytes: What its images take.
        state: ``built``, ``timed``, ``estimated`` (from its passes alone), or why it cannot be made.
    """

    attack: str
    images: int
    passes: float | None
    seconds: float
    bytes: int
    state: str


@dataclass(frozen=True)
class AttackSetForecast:
    """The cost of a set.

    Args:
        title: What is built.
        before: Seconds of what must be there before, such as the training of the victim.
        attacks: What each attack takes.
        workers: Processes that share the work.
    """

    title: str
    before: float
    attacks: Sequence[AttackCost]
    workers: int = 1

    @property
    def seconds(self) -> float:
        """Return the time that is left, of all together."""
        return self.before + sum(one.seconds for one in self.attacks) / self.workers

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        keys = ("attack", "images", "passes", "seconds", "bytes", "state")
        return {
            "seconds": self.seconds,
            "seconds_before": self.before,
            "bytes": sum(one.bytes for one in self.attacks),
            "attacks": [{key: getattr(one, key) for key in keys} for one in self.attacks],
        }

    def table(self) -> Table:
        """Return one line per attack."""
        notes = [f"In all {duration(self.seconds)}, and {sum(one.bytes for one in self.attacks) / 1e6:.1f} MB."]
        if self.before:
            notes.append(f"Of it {duration(self.before)} for the victim, which is trained first.")
        return Table("attack-set", self.title, COLUMNS, [_line(one) for one in self.attacks], notes)

    def __repr__(self) -> str:
        """Return it as text for people."""
        return repr(self.table())


def _line(one: AttackCost) -> dict[str, Value]:
    return {
        "attack": one.attack,
        "title": title_of(one.attack) or None,
        "images": one.images,
        "passes": None if one.passes is None else Number(one.passes, ".0f"),
        "seconds": Seconds(one.seconds),
        "bytes": Bytes(one.bytes),
        "state": one.state,
    }
