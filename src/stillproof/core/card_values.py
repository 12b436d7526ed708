"""What may stand on the card of an artifact that somebody else has sealed: plain values that can be shown."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json, plain
from stillproof.core.validate import wanted

MOST_DEEP = 20  # values within values
LARGEST = 2**63  # of whole numbers
LONGEST = 20_000  # letters of a text
SHOWN = 80  # letters of a value that is refused
# Letters that would do something to a terminal, or to the order of others, or that cannot be written at all.
UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINES = str.maketrans("\n\t", "  ")  # may stand in remarks


def _shown(text: str) -> str:
    """Refuse letters that would do something to a terminal instead of being shown."""
    if UNSHOWN.search(text):
        raise ValueError("it has letters that cannot be shown")
    return text


Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(_shown)]
Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=1, lt=2**31)]
Whole = Annotated[int, Field(gt=-LARGEST, lt=LARGEST)]


class CardPart(BaseModel):
    """Base of all parts of a card: types are as they are declared, and numbers are finite; there may be more keys."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False, extra="ignore", protected_namespaces=())


class SpacePart(CardPart, extra="forbid"):
    """A space, as ``core.types.Space``."""

    kind: Annotated[str, StringConstraints(pattern="^(pixels|normalised|zca)$")]
    mean: list[float] = []
    std: list[Annotated[float, Field(gt=0)]] = []
    ref: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")] = ""


class ComponentPart(CardPart):
    """A component with its parameters; cards from before names that last have no more than the name."""

    name: Text
    params: dict[Text, Any]


P = TypeVar("P", bound=CardPart)


def checked(part: type[P], card: Json, what: str) -> P:
    """Return a card's values in the form ``part``; ``what`` says what the artifact should be.

    Raises:
        BadInput: A value is missing, of another type, or none that a card can have.
    """
    refuse = f"this artifact is not {what} that this version can read: its card"
    try:
        _check_plain(card)
        return part.model_validate(plain(card))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise BadInput(f"{refuse} lacks {_short(key)}.") from None
        raise BadInput(f"{refuse} says {key} = {_short(first['input'])}: {wanted(first)}.") from None
    except ValueError as error:
        raise BadInput(f"{refuse} {error}.") from None


def _check_plain(card: Json) -> None:
    """Refuse what nobody writes on a card, wherever it is: no recursion, since it may be as deep as it likes."""
    left: list[tuple[Any, int]] = [(card, 0)]
    while left:
        value, depth = left.pop()
        if depth > MOST_DEEP:
            raise ValueError(f"has values within values more than {MOST_DEEP} deep")
        if isinstance(value, Mapping):
            left += [(one, depth + 1) for pair in value.items() for one in pair]
        elif isinstance(value, list | tuple):
            left += [(one, depth + 1) for one in value]
        elif isinstance(value, str) and (len(value) > LONGEST or UNSHOWN.search(value.translate(_LINES))):
            raise ValueError(f"has a text that cannot be shown: {_short(value)}")
        elif isinstance(value, int) and abs(value) >= LARGEST:
            raise ValueError(f"has a number of {len(str(abs(value)))} digits")


def _short(value: Any) -> str:
    shown = reprlib.repr(value)  # cut short, whatever it is, with letters that cannot be shown as codes
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
