"""What the answers of each stage look like, so that one of another store can be read like our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from stillproof.core.safe_name import is_file_name
from stillproof.core.spec import Json
from stillproof.store.foreign_rows import Id, sentence


def _file_name(text: str) -> str:
    if not is_file_name(text):
        raise ValueError("is no name that a folder could have")
    return text


Share = Annotated[float, Field(ge=0, le=1)]
Number = Annotated[float, Field(ge=-1e30, le=1e30)]
Amount = Annotated[float, Field(ge=0, le=1e30)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Some = Annotated[int, Field(ge=1, le=2**53)]
Name = Annotated[str, AfterValidator(_file_name)]


class Notes(TypedDict):
    """Remarks on how an answer came about."""

    warnings: NotRequired[dict[str, str]]
    few_classes: NotRequired[str]


class Answer(TypedDict):
    """What any answer may have."""

    notes: NotRequired[Notes]


class Training(Answer):
    """A curve, and what was kept of it."""

    epochs: Annotated[list[Count], Field(min_length=1)]
    losses: list[Number]
    test_accuracy: Annotated[list[Share], Field(min_length=1)]
    heldout_accuracy: list[Share] | None
    models: Annotated[dict[str, Id], Field(min_length=1)]
    outcomes: Id
    n_test: Some


class Selection(Answer):
    """One point of a curve."""

    accuracy: Share
    heldout_accuracy: Share | None
    epoch: Count
    model: Id
    outcomes: Id
    n_test: Some


class Tried(TypedDict):
    """What one learning rate did."""

    rate: Number
    judged: Share | None
    loss: Number | None
    reason: NotRequired[str]


class BestRate(Answer):
    """The choice among learning rates."""

    rule: str
    chosen: Number
    tried: list[Tried]


class Outcomes(Answer):
    """What came of an attack, as far as every form of it says."""

    n: Some
    clean_accuracy: Share
    robust_accuracy: Share
    success_rate: Share
    outcomes: Id
    passes_to_success: NotRequired[Amount | None]
    no_gradient: NotRequired[Share]
    median_linf: NotRequired[Amount | None]
    median_l2: NotRequired[Amount | None]
    median_l1: NotRequired[Amount | None]
    draws: NotRequired[Some]


class Attack(Outcomes):
    """An attack that was made."""

    model: Id
    passes_per_image: Amount
    seconds: Amount
    clean_seconds: Amount
    examples: NotRequired[Id | None]


class Within(Outcomes):
    """An attack within a ball."""

    passes_per_image: NotRequired[Amount]


class Transfer(Outcomes):
    """An attack that another model judged."""

    model: Id
    crafted_on: Id


class WorstCase(Answer):
    """What withstands several attacks."""

    n: Some
    clean_accuracy: Share
    robust_accuracy: Share
    attacks: Some


class Checked(TypedDict):
    """A curve at the radius of another attack."""

    eps: Amount
    curve: Share
    robust_accuracy: Share


class RobustCurve(Answer):
    """Accuracy over the size of changes."""

    n: Some
    clean_accuracy: Share
    norm: str
    eps: list[Amount]
    accuracies: list[Share]
    area: Amount
    checks: list[Checked]
    gap: Number


class Judged(Answer):
    """A network's accuracy on any images."""

    n: Some
    accuracy: Share
    outcomes: Id
    model: Id


class ByClass(Answer):
    """Images of each class, and those that were right."""

    classes: list[str]
    images: list[Count]
    right: list[Count]


class Pair(TypedDict):
    """On how many images two networks were right."""

    both: Count
    only_first: Count
    only_second: Count
    neither: Count


class Compared(Answer):
    """Pairs of networks on the same images."""

    n_test: Some
    pairs: list[Pair]
    net: list[Annotated[list[int], Field(min_length=2, max_length=2)]]


class AttackCheck(Answer):
    """Signs of gradient masking."""

    eps: Amount
    norm: str
    images: Some
    right: Count
    alarms: list[str]
    means: dict[str, Number | None]
    outcomes: Id


class AttackBench(Answer):
    """How near an attack comes."""

    n: Some
    clean_accuracy: Share
    turned: Share
    passes_per_image: Amount
    seconds: Amount
    outcomes: Id
    model: Id


class OnAClock(Answer):
    """What was timed alone."""

    others_cpu: Amount | None
    threads: Some
    machine: str


class AttackTime(OnAClock):
    """An attack on a clock."""

    images: Some
    seconds: Amount
    clean_seconds: Amount
    passes_per_image: Amount


class Cost(OnAClock):
    """What a method costs."""

    step_seconds: Amount | None
    steps_timed: Count
    steps: Count | None
    total_seconds: Amount
    extrapolated: bool
    peak_bytes: Count | None
    shared_seconds: Amount | None


class Made(Answer):
    """An artifact that was made."""

    artifact: Id


class Set(Made):
    """A distilled set."""

    name: Name
    bytes: Count
    images: Some


class Distilled(Set):
    """A distilled set, and those on the way."""

    snapshots: NotRequired[dict[str, Id]]
    history: NotRequired[list[dict[str, Number]]]


class Expert(Made):
    """The weights of every epoch."""

    bytes: Count
    losses: list[Number]


class Zca(Made):
    """A whitening."""

    bytes: Count


class AttackedSet(Made):
    """Images as an attack left them."""

    n: Some
    bytes: NotRequired[Count]
    model: NotRequired[Id]
    right: NotRequired[Count | None]
    clean_accuracy: NotRequired[Share | None]
    robust_accuracy: NotRequired[Share | None]
    passes_per_image: NotRequired[Amount | None]
    turned: NotRequired[dict[str, Count] | None]
    success: NotRequired[dict[str, Share | None] | None]
    success_ci95: NotRequired[dict[str, list[Share] | None] | None]


class Adapted(Answer):
    """What episodes came to."""

    model: Id
    start: Id
    outcomes: Id
    episodes: Some
    n: Some
    n_clean: Some
    sa: Share
    ra: list[Share]
    sa_after: list[Share]
    ra_after: list[Share]
    curve: list[Share]


class MetaTrained(Answer):
    """A network that learned in episodes."""

    model: Id
    start: Id


class Coverage(Answer):
    """How much of the real images a set covers."""

    coverage: Share
    per_class: list[Share]
    k: Some
    real: Count
    synthetic: Count


class Cloud(TypedDict):
    """The images of a set in a plane."""

    points: list[list[Number]]
    coverage: Share


class Map(Answer):
    """Images of a class in a plane."""

    class_name: str
    real: list[list[Number]]
    sets: list[Cloud]
    k: Some
    coverage_real: Count
    perplexity: Number


class Searched(TypedDict):
    """A split that was searched."""

    id: str
    images: Some


class Audit(Answer):
    """Where the images of a set come from."""

    arrays: Id
    images: Some
    stored: Some
    decode: str
    per_class: list[Count]
    classes: list[str]
    bytes: dict[str, Count | None]
    train: Searched
    test: Searched
    reference: Count
    network: str
    recipe: str


class Truth(Answer):
    """Published accuracies."""

    accuracy: dict[str, Number]
    source: str
    label: str


class StoredModel(Answer):
    """A model that was in the store."""

    model: Id


class Measured(TypedDict):
    """What computing took, and other numbers that any answer may have."""

    seconds: NotRequired[Amount | None]
    peak_bytes: NotRequired[Count | None]
    points: NotRequired[Some]
    rate: NotRequired[Number]


FORMS: Mapping[str, Any] = {
    "adapt": Adapted,
    "attack": Attack,
    "attack-bench": AttackBench,
    "attack-check": AttackCheck,
    "attack-others": Attack,
    "attack-time": AttackTime,
    "attacked-set": AttackedSet,
    "audit": Audit,
    "best-rate": BestRate,
    "by-class": ByClass,
    "compare": Compared,
    "cost": Cost,
    "coverage": Coverage,
    "distil-attacked": AttackedSet,
    "distill": Distilled,
    "expert": Expert,
    "judge": Judged,
    "map": Map,
    "meta-train": MetaTrained,
    "model": StoredModel,
    "noisy": Set,
    "relabel": Set,
    "robust-curve": RobustCurve,
    "same-space": Set,
    "select": Selection,
    "snapshot": Set,
    "train": Training,
    "transfer": Transfer,
    "truth": Truth,
    "tuned": Selection,
    "within": Within,
    "worst-case": WorstCase,
    "zca": Zca,
}
_MEASURED: TypeAdapter[Any] = TypeAdapter(Measured)
_ADAPTERS: dict[str, TypeAdapter[Any]] = {}


def form_fault(stage: str, result: Json) -> str | None:
    """Say why something is no answer of a built-in stage; nothing, if it looks like one."""
    if stage not in _ADAPTERS:
        _ADAPTERS[stage] = TypeAdapter(FORMS[stage])
    try:
        _MEASURED.validate_python(result, strict=True)
        _ADAPTERS[stage].validate_python(result, strict=True)
    except ValidationError as error:
        return f"in its answer {sentence(error)}"
    return None
