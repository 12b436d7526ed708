"""The parameters of a component that are not defaults: what of them names it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from stillproof.core.reference import write_nested
from stillproof.core.spec import Json, plain

PLAIN_IDENTITY = ("name", "version", "params")  # of a component whose code is as it was first released
NONE = "none"  # no augmentation


def given_params(component: Any, base: type | None = None) -> Json:
    """Return the parameters that are not defaults, as JSON values; defaults are those of ``base``, if given.

    A parameter that names another component is that component's identity.
    """
    defaults = {f.name: default_of(f) for f in dataclasses.fields(base or component)}
    values = {f.name: getattr(component, f.name) for f in dataclasses.fields(component) if f.init}
    kinds: Mapping[str, str] = getattr(component, "references", {})
    found = {key: _named(value, kinds[key]) if key in kinds else plain(value) for key, value in values.items()}
    usual = {key for key, value in values.items() if value == defaults.get(key, dataclasses.MISSING)}
    return {key: value for key, value in found.items() if key not in usual or _is_special(value, key in kinds)}


def rebuilt_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return given parameters as they are written: other components by reference."""
    return {key: _written(value) for key, value in params.items()}


def default_of(field: dataclasses.Field[Any]) -> Any:
    """Return the default of a field, ``MISSING`` if it has none."""
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _named(reference: str, kind: str) -> Json | str:
    """Return the identity of the component that a parameter names."""
    from stillproof.core.components import REGISTRIES

    registry = REGISTRIES[kind]
    return reference if names_nothing(reference, kind) else registry.identity(registry.build(reference))


def names_nothing(reference: str, kind: str) -> bool:
    """Say whether a reference stands for no component of its kind, which only augmentations have a word for."""
    return reference == NONE and kind == "augmentations"


def _is_special(value: Any, is_component: bool) -> bool:
    """Say whether a default has to be named: a component does whose code is not of the first generation any more."""
    return is_component and isinstance(value, dict) and (value["version"] > 1 or len(value) > len(PLAIN_IDENTITY))


def _written(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() >= set(PLAIN_IDENTITY):
        return write_nested(value["name"], rebuilt_params(value["params"]))
    return value
