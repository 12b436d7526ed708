"""The rows of a bundle that a person names, as in ``NAME/METHOD/IPC``, and what asking for them again takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.spec import Json
from stillproof.report.bundle_rows import bundle_row
from stillproof.report.claims import claims_of

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle, BundledRow


@dataclass(frozen=True)
class Claimed:
    """Rows of a bundle whose numbers are to be computed again.

    Args:
        text: How a person named them.
        bundle: The bundle.
        rows: The rows.
        some: Whether they are those of one method.
    """

    text: str
    bundle: Bundle
    rows: Sequence[BundledRow]
    some: bool

    def config(self) -> Json:
        """Return the suite's parameters without data sets, and methods, that the rows do not need."""
        config = dict(self.bundle.config)
        for key in ("dataset", *(["methods"] if self.some else [])):
            said = {_head(row, key.removesuffix("s")) for row in self.rows}
            if isinstance(config.get(key), list):
                config[key] = [one for one in config[key] if str(one).partition(":")[0] in said] or config[key]
        return config


def rows_named(bundle: Bundle, chosen: Sequence[str], text: str) -> list[BundledRow]:
    """Return the rows of a method, and of a number of images per class, as far as these are chosen."""
    if len(chosen) > 2:
        raise BadInput(f"{text!r} says more than NAME/METHOD/IPC: leave the rest out.")
    rows = list(bundle.rows)
    for key, said in zip(("method", "ipc"), chosen, strict=False):
        known = {_said(row, key): row for row in rows}
        kept = [row for row in rows if said in (_said(row, key), _head(row, key))]
        if not kept:
            raise UnknownName("method" if key == "method" else "number of images per class", said, known, bundle.name)
        rows = kept
    return rows


def rows_with_numbers(bundle: Bundle, rows: Sequence[BundledRow]) -> list[BundledRow]:
    """Return the rows that claim a share of images: times are other ones on every machine."""
    return [row for row in rows if claims_of(bundle_row(bundle, row, whatever_version=True))]


def _said(row: BundledRow, key: str) -> str:
    value = row.keys.get(key)
    return "all" if value is None else str(value)


def _head(row: BundledRow, key: str) -> str:
    """Return what a row says under a key, without parameters."""
    return _said(row, key).partition(":")[0]


def keys_of(row: Json) -> Json:
    """Return what a planned row is about."""
    return {key: value for key, value in row.items() if key not in ("cells", "reason")}
