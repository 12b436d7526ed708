"""A bundle: the results of one run as one JSON file, checked like everything that comes from elsewhere.

Names and units are those of the store: fractions, seconds, cells by id. Nothing in a bundle is an answer of the store
that holds it: what was not computed there is never used by a run.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from stillproof.core.spec import canonical_json
from stillproof.store.bundle_values import LONGEST, check_counts, check_keys, check_name, check_values, printable

SCHEMA = 1
SEEDS = re.compile(r"seeds=(\d{1,9})\b", re.ASCII)  # in words such as ``mad:seeds=1``
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
JUDGED = ("accuracy", "robust_accuracy")  # what single images have right or wrong, in order of preference
COUNTED = {"accuracy": ("n_test", "n"), "robust_accuracy": ("n",)}  # and what their number is called

Text = Annotated[str, AfterValidator(printable)]
Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]


class Part(BaseModel):
    """Base of all parts of a bundle: nothing else is in them, and every number is finite."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, str_max_length=LONGEST, protected_namespaces=()
    )


class Machine(Part):
    """What answers were computed on."""

    processor: Text
    cores: int | None
    system: Text
    python: Text
    device: Text | None
    threads: int | None
    torch: Text


class Component(Part):
    """A component that answers stand on, by kind and name as in ``attacks/pgd``, with what of its code names it."""

    name: Text
    version: Annotated[int, Field(ge=0)]
    generations: dict[Text, int] = {}
    edited: Text | None = None
    own: Text | None = None


class Right(Part):
    """Which of ``n`` images a network has right: bits packed into bytes, the first image in the highest, as base64."""

    n: Count
    bits: str = Field(max_length=4_000_000)

    def images(self) -> npt.NDArray[np.bool_]:
        """Return whether each image is right, (n,)."""
        return np.unpackbits(np.frombuffer(base64.b64decode(self.bits), np.uint8))[: self.n].astype(bool)

    @classmethod
    def of(cls, right: npt.NDArray[np.bool_]) -> Self:
        """Pack what is right of each image, (n,)."""
        return cls(n=len(right), bits=base64.b64encode(np.packbits(right).tobytes()).decode())

    @model_validator(mode="after")
    def _fits(self) -> Self:
        try:
            length = len(base64.b64decode(self.bits, validate=True))
        except binascii.Error:
            raise ValueError("the bits of its images are not base64") from None
        if length != -(-self.n // 8):
            raise ValueError(f"{self.n} images take {-(-self.n // 8)} bytes of bits, and there are {length}")
        return self


class Effort(Part):
    """What the training behind an answer took."""

    seconds: Amount | None
    flops: Amount | None


class BundledAnswer(Part):
    """What is known of one cell.

    Args:
        asks: What it asks apart from its seed, as ``report.asked`` has it.
        state: That of the cell when the bundle was made; ``missing`` if it was never entered.
        reason: Why there is no answer, in one sentence.
        seconds: What computing it took.
        result: The numbers of the answer, without what has a meaning only where it was computed.
        right: Which images are right, where that is known.
        training: What the training behind it took, if there is one.
        origin: The store that it, or what it rests on, was merged from, if it was not computed where the bundle was
            made.
    """

    asks: Id | None
    state: Literal["done", "unsupported", "failed", "missing"]
    reason: Text | None = None
    seconds: Amount | None = None
    result: dict[str, Any] | None = None
    right: Right | None = None
    training: Effort | None = None
    origin: Text | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if (self.state == "done") != (self.result is not None):
            raise ValueError(f"an answer that is {self.state} has {'no' if self.result is None else 'a'} result")
        if self.result is not None:
            check_values(self.result)
            check_counts(self.result)
            _check_right(self.result, self.right)
        return self

    def number(self, name: str) -> float | None:
        """Return a number of the answer; nothing if it has none of that name."""
        value = None if self.result is None else self.result.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


class BundledRow(Part):
    """One row of the run's tables: what it is about, and the cell of each seed, from seed 0 on."""

    keys: dict[str, Any]
    cells: list[Id]
    reason: Text | None = None  # why it can have no answer at all

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        check_keys(self.keys)
        if len(set(self.cells)) < len(self.cells):
            raise ValueError("a row names one cell for two seeds")
        return self


class Question(Part):
    """What cells ask apart from seeds: the places, in the bundle's list, of the components that it stands on."""

    components: list[Annotated[int, Field(ge=0)]]


class Bundle(Part):
    """The results of one run.

    Args:
        kind: Tells such a file from others.
        schema_: The version of this form; ``schema`` in the file.
        name: What people call it.
        suite: The suite.
        config: Its parameters.
        command: The command that asks for the run.
        stillproof: The version that it was exported with.
        date: The day on which its last answer was finished.
        machines: What its answers were computed on.
        seconds: What computing all cells behind it took, each counted once.
        data: The ids of the data that they were computed of.
        sections: The titles of the suite's sections, by name.
        components: All components that answers stand on.
        questions: What cells ask, by ``asks``.
        rows: The rows of the run's tables.
        answers: What is known of each cell, by id.
    """

    kind: Literal["stillproof results"]
    schema_: Literal[1] = Field(alias="schema")
    name: Text
    suite: Text
    config: dict[str, Any]
    command: Text
    stillproof: Text
    date: Text
    machines: list[Machine]
    seconds: Amount
    data: list[Text]
    sections: dict[Text, Text]
    components: list[Component]
    questions: dict[Id, Question]
    rows: list[BundledRow]
    answers: dict[Id, BundledAnswer]

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        check_name(self.name)
        check_values(self.config)
        if not DAY.fullmatch(self.date):
            raise ValueError(f"date {self.date[:40]!r} is no day such as 2026-11-19")
        most = max(_seeds_in(self.config), default=None)
        if len({canonical_json(row.keys) for row in self.rows}) < len(self.rows):
            raise ValueError("two of its rows say the same of themselves")
        for row in self.rows:
            if most is not None and len(row.cells) > most:
                raise ValueError(f"a row has {len(row.cells)} results, and {most} seeds were asked for")
            if missing := [cell for cell in row.cells if cell not in self.answers]:
                raise ValueError(f"a row names cell {missing[0][:12]}, of which the bundle says nothing")
        for cell, answer in self.answers.items():
            if answer.asks is not None and answer.asks not in self.questions:
                raise ValueError(f"what cell {cell[:12]} asks is not among the questions")
        if any(place >= len(self.components) for one in self.questions.values() for place in one.components):
            raise ValueError("a question names a component that is not in the list")
        return self

    @property
    def done(self) -> int:
        """Return how many cells have an answer."""
        return sum(answer.state == "done" for answer in self.answers.values())

    @property
    def merged(self) -> int:
        """Return how many answers were not computed where the bundle was made."""
        return sum(answer.origin is not None for answer in self.answers.values())

    def answers_of(self, row: BundledRow) -> list[BundledAnswer]:
        """Return what is known of each seed of a row."""
        return [self.answers[cell] for cell in row.cells]

    def stands_on(self, answer: BundledAnswer) -> list[Component]:
        """Return the components that an answer stands on."""
        places = self.questions[answer.asks].components if answer.asks is not None else []
        return [self.components[place] for place in places]


def _seeds_in(config: Mapping[str, Any]) -> Iterator[int]:
    """Yield every number of seeds in a configuration, those among the parameters of a suite's parts too."""
    for key, value in config.items():
        if key.endswith("seeds") and isinstance(value, int) and not isinstance(value, bool):
            yield value
        elif isinstance(value, list):
            texts = [text for text in value if isinstance(text, str)]
            yield from (int(found) for text in texts for found in SEEDS.findall(text))


def _check_right(result: Mapping[str, Any], right: Right | None) -> None:
    """Refuse bits that contradict the share; of a model that answers at random they are the majority of its draws."""
    judged = next((name for name in JUDGED if isinstance(result.get(name), int | float)), None)
    if right is None or judged is None or "draws" in result:
        return
    counts = [result[key] for key in COUNTED[judged] if isinstance(result.get(key), int)]
    if counts and counts[0] != right.n:
        raise ValueError(f"it has {counts[0]} images, and the bits are of {right.n}")
    share = int(right.images().sum()) / right.n
    if abs(share - result[judged]) > 1e-6:
        raise ValueError(f"{judged} = {result[judged]:g} contradicts its images, of which {share:g} are right")
