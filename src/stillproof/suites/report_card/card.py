"""The card of one distilled set or method: every side of it, with its interval, its rank and its rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stillproof.core.spec import Json
from stillproof.report.audit.audit import Audit
from stillproof.report.figures.radar import Radar
from stillproof.report.figures.values import Curves
from stillproof.report.rows import images
from stillproof.report.tables.formats import to_json
from stillproof.report.tables.table import Bytes, Column, Percent, Table, Value
from stillproof.report.tables.text import Shown, shown
from stillproof.score.stats import Summary
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.radar import radar_of
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed

COLUMNS = (
    Column("side", "side"),
    Column("value", "value", Summary),
    Column("rank", "rank", fold="empty"),
    Column("first", "first %", Percent, "empty"),
    Column("suite", "suite"),
    Column("about", "what it is"),
    Column("home", "network", fold="same"),
    Column("protocol", "protocol", fold="same"),
    Column("selection", "selection", fold="same"),
    Column("scale", "scale", fold="same"),
    Column("run", "from", fold="same"),
)
RANK_NOTE = (
    "rank: by the mean, among methods with the same settings; in brackets, the ranks that cannot be excluded: two "
    "methods count as different only if their seeds and, for accuracies, the test images show it (5 % overall, "
    "Holm-adjusted over all pairs). first: how often it comes first, alone or with others, in 2,000 resamples of the "
    "seeds and, for accuracies, of the test images; with few seeds, that overstates certainty."
)


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What is known of a set itself: its id, bytes of all that training needs, of its images alone, licence, labels."""

    artifact: str
    bytes: int
    image_bytes: int
    licence: str
    labels: str = "hard"


@dataclass(frozen=True, slots=True)
class ReportCard:
    """Every side of a method with one number of images per class.

    Args:
        method: The method, or the name of an existing set.
        dataset: Its data set.
        ipc: Images per class.
        sides: What is known of each side, and where the method stands there.
        absent: The sides that nothing is known of, with the reason.
        runs: For each suite, the runs that its numbers are from.
        curves: Its robust accuracy over the size of the change, beside random and all real images, by norm.
        facts: What is known of the set itself, if there is one.
        audit: What an audit of it found, if one was made.
        notes: What else must be said.
    """

    method: str
    dataset: str
    ipc: int
    sides: Sequence[Placed]
    absent: Mapping[str, str]
    runs: Mapping[str, Sequence[str]]
    curves: Mapping[str, Curves] = field(default_factory=dict)
    facts: SetFacts | None = None
    audit: Audit | None = None
    notes: Sequence[str] = ()

    @property
    def key(self) -> tuple[str, str, int]:
        """Return method, data set and images per class."""
        return self.method, self.dataset, self.ipc

    @property
    def title(self) -> str:
        """Return what it is a card of."""
        return f"{self.method}, {self.dataset}, {images(self.ipc)}"

    def __repr__(self) -> str:
        """Return the card as people read it."""
        return repr(self.table())

    def table(self) -> Table:
        """Return one line per side."""
        lines = [self._line(one) for one in self.sides]
        lines += [self._dash(side) for side in SIDES if side.name in self.absent]
        about_set = [*_fact_lines(self.facts), *_audit_lines(self.audit)]
        lines += [self._rules(self.sides[0]) | line for line in about_set]
        reasons = dict.fromkeys(self.absent.values())
        dashes = [
            f"No {', '.join(name for name, why in self.absent.items() if why == reason)}: {reason}."
            for reason in reasons
        ]
        ranks = [RANK_NOTE] if any(one.place for one in self.sides) else []
        notes = [*self._recipes(), *ranks, *self.notes, *dashes, *_audit_notes(self.audit)]
        return Table(f"card-{self.method}-{self.dataset}-{self.ipc}", self.title, COLUMNS, lines, notes)

    def newest_runs(self) -> list[str]:
        """Return the newest run that each suite's numbers are from, each once."""
        return list(dict.fromkeys(self.runs[one.side.suite][0] for one in self.sides))

    def shown(self) -> Shown:
        """Return its table as text, cell by cell."""
        return shown(self.table())

    def figures(self) -> dict[str, Radar | Curves]:
        """Return its ranks as a radar, and its curves, by name."""
        radar = radar_of(self.title, {self.method: self.sides})
        return {**({"radar": radar} if radar.shown() else {}), **self.curves}

    def as_dict(self) -> Json:
        """Return the card as JSON values."""
        return {
            "method": self.method,
            "dataset": self.dataset,
            "ipc": self.ipc,
            "sides": [self._as_dict(one) for one in self.sides],
            "absent": [{"side": side, "why": why} for side, why in self.absent.items()],
            "set": None if self.facts is None else dataclasses.asdict(self.facts),
            "audit": self.audit and self.audit.verdict,
            "notes": list(self.notes),
        }

    def _as_dict(self, one: Placed) -> Json:
        column = Column("value", "", one.side.holds)
        (line,) = to_json(Table("", "", [column], [{"value": one.measured.value}]))["rows"]
        rules = self._rules(one)
        return {
            "side": one.side.key,
            "title": one.side.title,
            **line,
            "ranking": one.ranking(),
            "about": one.side.about,
            "suite": one.side.suite,
            "network": rules["home"],
            **{key: rules[key] for key in ("protocol", "selection", "scale")},
            "from": list(self.runs[one.side.suite]),
        }

    def _line(self, one: Placed) -> dict[str, Value]:
        return self._rules(one) | {
            "side": one.side.title,
            "value": one.measured.value,
            "rank": one.rank_text,
            "first": None if one.first is None else Percent(one.first, 0),
            "about": one.side.about,
            "suite": one.side.suite,
        }

    def _recipes(self) -> list[str]:
        """Return how networks were trained: suites that share a side's name may not share the recipe."""
        used: dict[str, list[str]] = {}
        for one in self.sides:
            suites_of = used.setdefault(str(one.row["recipe"]), []) if one.row["recipe"] else []
            suites_of += [] if one.side.suite in suites_of else [one.side.suite]
        said = [f"{recipe} ({', '.join(suites_of)})" for recipe, suites_of in used.items()]
        return [f"recipes: {'; '.join(said)}."] if said else []

    def _rules(self, one: Placed) -> dict[str, Value]:
        """Return under which rules a number was found, and in which run."""
        said = {key: one.row[key] for key in ("protocol", "selection", "scale")}
        return said | {"home": one.row["home"] or one.row["network"], "run": ", ".join(self.runs[one.side.suite])}

    def _dash(self, side: Side) -> dict[str, Value]:
        rules = self._rules(self.sides[0])
        if len(set(map(tuple, self.runs.values()))) > 1:  # else it stands below the table
            rules |= {"run": None}
        return rules | {"side": side.title, "value": None, "about": side.about, "suite": side.suite}


def _fact_lines(facts: SetFacts | None) -> list[dict[str, Value]]:
    if facts is None:
        return []
    labels = facts.bytes - facts.image_bytes
    return [
        {"side": "bytes", "value": Bytes(facts.bytes), "about": "all that training needs"},
        {"side": "of labels", "value": Bytes(labels), "about": "what of these is labels and teachers"},
    ]


def _audit_lines(audit: Audit | None) -> list[dict[str, Value]]:
    """Return the verdict of an audit; what it found stands below the table."""
    return (
        [] if audit is None else [{"side": "audit", "value": audit.verdict, "about": "copies of test images and more"}]
    )


def _audit_notes(audit: Audit | None) -> list[str]:
    lines = [] if audit is None else audit.lines
    return [f"Audit: {one.looked_at}: {one.found} ({one.verdict})." for one in lines if one.verdict != "ok"]
