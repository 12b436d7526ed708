"""References: a component with its parameters as one text.

The outer form is ``name:key=value:key=value``, the one inside another reference ``name(key=value,key=value)``, as in
``smoke:objective=pgd-at(eps=0.03,base=kl(temperature=20))``. Nothing is split inside brackets, and brackets around a
whole value only hold it together: ``steps(at=(3,5))``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stillproof.core.errors import BadInput


def parse_reference(reference: str) -> tuple[str, dict[str, str]]:
    """Split a reference, in either form, into the name and its parameters."""
    head, *parts = split_outside(reference, ":")
    name, bracket, rest = head.partition("(")
    if bracket:
        if not rest.endswith(")"):
            raise BadInput(f"{reference!r}: {head!r} continues after its closing bracket.")
        inside = rest[:-1]
        parts = [part.strip() for part in split_outside(inside, ",") if inside.strip()] + parts
    params = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not (equals and key):
            raise BadInput(f"{reference!r}: {part!r} is not of the form key=value.")
        if (key := key.strip()) in params:
            raise BadInput(f"{reference!r} sets {key} twice: leave one of them out.")
        params[key] = _unwrapped(value)
    return name.strip(), params


def write_reference(name: str, params: Mapping[str, object]) -> str:
    """Write ``name:key=value:key=value``, which ``parse_reference`` takes apart into texts of the same values."""
    return name + "".join(f":{key}={_wrapped(_text(value), ':')}" for key, value in params.items())


def changed_reference(reference: str, **params: object) -> str:
    """Return ``reference`` with other values of some parameters, in its outer form."""
    name, given = parse_reference(reference)
    return write_reference(name, {**given, **params})


def write_nested(name: str, params: Mapping[str, object]) -> str:
    """Write ``name(key=value,key=value)``, which may stand as a value in another reference."""
    inside = ",".join(f"{key}={_wrapped(_text(value), ',')}" for key, value in params.items())
    return f"{name}({inside})" if inside else name


def parse_list(text: str) -> list[str]:
    """Split the text of a list at its commas."""
    return [_unwrapped(part) for part in split_outside(text, ",") if part.strip()]


def list_text(values: Sequence[object]) -> str:
    """Write a list, which ``parse_list`` takes apart into the same values."""
    return ",".join(_wrapped(str(value), ",") for value in values)


def split_outside(text: str, separator: str) -> list[str]:
    """Split ``text`` at every ``separator`` that is not inside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            raise BadInput(f"{text!r} has a closing bracket too many.")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth:
        raise BadInput(f"{text!r} lacks a closing bracket.")
    return parts


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list_text(value)
    return str(value)


def _wrapped(text: str, separator: str) -> str:
    """Put brackets around a value that would not be read back as it is."""
    alone = len(split_outside(text, separator)) == 1 and text == text.strip() and not _is_wrapped(text)
    return text if alone else f"({text})"


def _unwrapped(value: str) -> str:
    value = value.strip()
    return value[1:-1] if _is_wrapped(value) else value


def _is_wrapped(text: str) -> bool:
    """Say whether the first character opens a bracket that the last one closes."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for character in text[:-1]:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return False
    return True
