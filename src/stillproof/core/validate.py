"""Builds a component from values that a person wrote, or says in one sentence why it cannot."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_list

T = TypeVar("T")


def validated(cls: type[T], values: Mapping[str, Any], what: str) -> T:
    """Build ``cls`` with its values checked and converted to the types that its fields declare."""
    import pydantic

    try:
        built: T = _adapter(cls).validate_python(_with_lists(cls, values))
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise BadInput(f"{what} needs a value for {key}, which has no default.") from None
        message = first["msg"].removeprefix("Value error, ")
        subject = f"{key} = {first['input']!r} is not allowed: " if key else ""  # no key: the class's own check speaks
        raise BadInput(f"{what}: {subject}{message}.") from None
    for key in values:
        value = getattr(built, key)
        if isinstance(value, float) and not math.isfinite(value):
            raise BadInput(f"{what}: {key} = {value} is not allowed: Input should be a finite number.")
    return built


def _adapter(cls: Any) -> Any:
    """Return what checks the values of a class; it is kept, since making one takes a while."""
    import pydantic

    if cls not in _ADAPTERS:
        _ADAPTERS[cls] = pydantic.TypeAdapter(cls)
    return _ADAPTERS[cls]


_ADAPTERS: dict[Any, Any] = {}


def _with_lists(cls: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Make a list of every parameter that is one: its text is split at commas, and a number stands for itself."""
    lists = {field.name for field in dataclasses.fields(cls) if isinstance(field.default, tuple)}
    return {key: _listed(value) if key in lists else value for key, value in values.items()}


def _listed(value: Any) -> Any:
    if isinstance(value, str):
        return parse_list(value)
    return [value] if isinstance(value, int | float) else value
