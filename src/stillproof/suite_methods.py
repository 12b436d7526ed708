"""The methods of a suite: distillers, and existing sets, in the words of people and of suites."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.core.spec import Json
from stillproof.given import ImportsTensors, text_of
from stillproof.image_finder import ImportsSets
from stillproof.set_finder import SetFinder
from stillproof.suites.fixed_set import NEAR, fixed_set


def with_sets(session: ImportsSets, suite: Any, *, allow_test_images: bool = False) -> Any:
    """Return a suite that knows every set among its methods; distillers stay as they are written.

    Raises:
        BadInput: A method is neither a distiller nor a set; a set is of another data set, size or number of classes
            than the run; or it has test images that are not allowed.
    """
    asked = getattr(suite, "dataset", ())
    finder = SetFinder(session, [asked] if isinstance(asked, str) else list(asked), allow_test_images)
    values = {f.name: getattr(suite, f.name) for f in dataclasses.fields(suite) if f.init and _names_methods(f.name)}
    found = {key: tuple(map(finder.method, value)) for key, value in values.items() if isinstance(value, tuple)}
    return dataclasses.replace(suite, **found)


def alone_in_size(rows: Sequence[Json]) -> list[str]:
    """Say of which sets no distiller is asked for as many images, so that nothing stands beside them."""
    asked = sorted({row["ipc"] for row in rows if not row.get("set") and row.get("ipc") is not None})
    there = dict.fromkeys((row["method"], row["ipc"]) for row in rows if row.get("set") and row["ipc"] not in asked)
    return [
        f"{name} has {ipc} images per class, and others are asked for {' and '.join(map(str, asked))}: --ipc {ipc} "
        "(ipc= in Python) sets them side by side."
        for name, ipc in there
        if asked
    ]


def near_tests(rows: Sequence[Json]) -> list[str]:
    """Say which sets have images that are nearly test images."""
    there = dict.fromkeys((row["method"], row["caveat"]) for row in rows if "caveat" in row)
    return [f"{name}: {caveat}." for name, caveat in there if name.endswith(NEAR)]


def in_words(session: ImportsTensors, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked of a suite with its methods as text; paths, tensors and what a session gave are among them.

    Tensors are taken for the data set that the run is about, if it is about one.
    """
    asked = options.get("dataset")
    about = asked[0] if isinstance(asked, list | tuple) and len(asked) == 1 else asked
    dataset = about if isinstance(about, str) else None
    listed = {key for key, value in options.items() if _names_methods(key) and isinstance(value, list | tuple)}
    return {
        key: [text_of(session, one, dataset) for one in value] if key in listed else value
        for key, value in options.items()
    }


def as_written(params: Json) -> Json:
    """Return the parameters of a suite as a person may write them again: sets by name and the beginning of their id."""
    listed = {key for key, value in params.items() if _names_methods(key) and isinstance(value, list)}
    return {key: [_short(one) for one in value] if key in listed else value for key, value in params.items()}


def _short(method: str) -> str:
    there = fixed_set(method)
    return there.short() if there else method


def _names_methods(parameter: str) -> bool:
    return parameter == "methods" or parameter.endswith("_methods")
