"""Builds a component from values that a person wrote, or says in one sentence why it cannot."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from stillproof.core.errors import BadInput
from stillproof.core.reference import parse_list

T = TypeVar("T")
MOST_SHOWN = 200  # letters of a value that is refused


def validated(cls: type[T], values: Mapping[str, Any], what: str) -> T:
    """Build ``cls`` with its values checked and converted to the types that its fields declare."""
    import pydantic

    try:
        built: T = _adapter(cls).validate_python(_with_lists(cls, values))
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        if first["type"] == "missing":
            raise BadInput(f"{what} needs a value for {key}, which has no default.") from None
        # No key: the class's own check speaks.
        subject = f"{key} = {_shown(first['input'])} is not allowed: " if key else ""
        raise BadInput(f"{what}: {subject}{wanted(first)}.") from None
    for key in values:
        value = getattr(built, key)
        if isinstance(value, float) and not math.isfinite(value):
            raise BadInput(f"{what}: {key} = {value} is not allowed: give a finite number.")
    return built


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def choices(cls: Any) -> dict[str, list[Any]]:
    """Return the allowed values of every parameter of a class that lists them, be it alone or in a list of its own."""
    fields: dict[str, Any] = _adapter(cls).json_schema().get("properties", {})
    listed = {name: list(_listed_in(field)) for name, field in fields.items()}
    return {name: values for name, values in listed.items() if values}


def _listed_in(schema: Mapping[str, Any]) -> Iterator[Any]:
    yield from schema.get("enum", ())
    for inner in (*schema.get("anyOf", ()), schema.get("items")):
        if isinstance(inner, Mapping):
            yield from _listed_in(inner)


def wanted(details: Mapping[str, Any]) -> str:
    """Return what a value should have been, from the details of an error of pydantic's, in our own words."""
    kind = details["type"]
    if kind == "literal_error":
        return f"choose {details['ctx']['expected']}"
    said: str = details["msg"]
    return _WANTED.get(kind, said.removeprefix("Value error, "))


_WANTED = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "give a whole number"),
    "int_parsing_size": "give a smaller number",
    **dict.fromkeys(("float_parsing", "float_type"), "give a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "give true or false"),
    "string_type": "give text",
    **dict.fromkeys(("tuple_type", "list_type"), "give a comma-separated list"),
}


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
