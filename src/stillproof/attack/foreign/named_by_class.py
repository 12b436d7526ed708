"""Names of attacks of other libraries: a class, and what is given to it, as in ``art/HopSkipJump:max_iter=5``."""

from __future__ import annotations

import abc
import inspect
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import Any, ClassVar

from stillproof.attack.foreign.installed import DISTRIBUTIONS, version_of
from stillproof.attack.foreign.library import classes_of, parameters_of, used_class
from stillproof.attack.foreign.options import NEEDED, option_text, option_value, read_options, written_options
from stillproof.core.errors import BadInput, UnknownName


class NotInstalled(BadInput):
    """An attack of a library that is not on this machine."""


@dataclass(frozen=True)
class NamedByClass(abc.ABC):
    """What is behind a library's name: any of its classes.

    Args:
        attack: The class.
        options: Its options, written in one form.
        release: The version of the library.
    """

    attack: str
    options: str = ""
    release: str = ""

    family: ClassVar[str]
    install: ClassVar[str]  # the command
    refused: ClassVar[Mapping[str, str]] = {}  # options that would break the bridge, and why

    @classmethod
    def from_below(cls, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters of the attack that a class makes with what is given to it; as they are in a stored name."""
        if not name:
            if given.keys() >= {"attack", "release"}:
                return dict(given)
            raise BadInput(
                f"attack {cls.family!r} is a library: name one of its classes, as in {cls.family}/{cls.example()}; "
                f"`stillproof show {cls.family}` lists them."
            )
        own = {field.name for field in fields(cls)} - {field.name for field in fields(NamedByClass)}
        release = cls.installed(name)
        params, usual = cls.parameters(name), cls.own_defaults(name)
        options = {}
        for key, value in cls.spelled(name, given).items():
            if key in own:
                continue
            if key in cls.refused:
                raise BadInput(f"attack '{cls.family}/{name}': leave {key} out, {cls.refused[key]}.")
            if key not in params:
                raise UnknownName("option", key, params, of=f"attack '{cls.family}/{name}'")
            read = option_value(value if isinstance(value, str) else option_text(value), params[key])
            if key in usual or not _same(read, params[key]):
                options[key] = read
        if missing := [key for key, default in params.items() if default is NEEDED and key not in options]:
            raise BadInput(f"attack '{cls.family}/{name}' needs a value for {missing[0]}, which has no default.")
        built = {"attack": name, "options": written_options(options), "release": release}
        cls(**built).refuse_what_its_class_refuses()
        return built | {key: value for key, value in given.items() if key in own}

    def to_below(self) -> tuple[str, dict[str, Any]]:
        """Return the class and what is given to it."""
        own = [field for field in fields(self) if field.name not in NamedByClass.__dataclass_fields__]
        changed = {field.name: value for field in own if (value := getattr(self, field.name)) != field.default}
        return self.attack, read_options(self.options) | {key: option_text(value) for key, value in changed.items()}

    @classmethod
    def shown_below(cls, name: str) -> tuple[str, dict[str, Any]]:
        """Return what a class says of itself, and its options with their defaults; without a name, all classes."""
        if not name:
            said = inspect.cleandoc(cls.__doc__ or "").partition("\n\nArgs:")[0]
            if version_of(cls.family) is None:
                return f"{said}\n\nIt is not installed: {cls.install}", {}
            return f"{said}\n\nIts classes: {', '.join(classes_of(cls.family, cls.install))}.", {}
        library, release = DISTRIBUTIONS.get(cls.family, cls.family), cls.installed(name)
        said = inspect.cleandoc(used_class(cls.family, name).__doc__ or "")
        usual = cls.parameters(name) | cls.own_defaults(name)
        return f"{library} {release}\n\n{said}", {key: _shown(usual[key]) for key in usual if key not in cls.refused}

    @classmethod
    def installed(cls, name: str = "") -> str:
        """Return the library's version.

        Raises:
            NotInstalled: It is not there.
            UnknownName: It has no such class.
        """
        release = version_of(cls.family)
        if release is None:
            library = DISTRIBUTIONS.get(cls.family, cls.family)
            what = f"attack '{cls.family}/{name}'" if name else f"attack {cls.family!r}"
            raise NotInstalled(f"{what} is one of {library}, which is not installed: {cls.install}")
        known = classes_of(cls.family, cls.install)
        if name and name not in known:
            raise UnknownName("attack", name, known, of=cls.family)
        return release

    @classmethod
    @abc.abstractmethod
    def example(cls) -> str:
        """Return a class that shows how attacks of the library are named."""

    @classmethod
    def parameters(cls, name: str) -> dict[str, Any]:
        """Return the options of a class with their defaults, ``NEEDED`` where there is none."""
        return parameters_of(cls.family, name)

    @classmethod
    def own_defaults(cls, name: str) -> dict[str, Any]:
        """Return options that are given to a class unless told otherwise."""
        return {}

    @classmethod
    def spelled(cls, name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what is given to a class by the names that it has for it."""
        return given

    @abc.abstractmethod
    def refuse_what_its_class_refuses(self) -> None:
        """Make the attack once, on nothing."""

    @property
    def name(self) -> str:
        """Return what it is called."""
        return f"{self.family}/{self.attack}"

    def takes(self, option: str) -> bool:
        """Say whether an option can be given to it."""
        known = self.parameters(self.attack)
        return all(key in known for key in self.spelled(self.attack, {option: ""}))

    def given(self) -> dict[str, Any]:
        """Return the options that are given to the class."""
        params = self.parameters(self.attack)
        return {key: option_value(text, params.get(key, NEEDED)) for key, text in read_options(self.options).items()}


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _shown(default: Any) -> Any:
    """Return a default as a JSON value; ``MISSING`` where there is none."""
    if default is NEEDED:
        return MISSING
    endless = isinstance(default, float) and not isfinite(default)
    plain = default is None or (isinstance(default, bool | int | float | str) and not endless)
    return default if plain else option_text(default)
