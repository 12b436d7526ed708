"""The published accuracies of NAS-Bench-201, read from a table of one architecture per row."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.plain_reason import plain_reason
from stillproof.core.printable import one_line
from stillproof.core.regular_file import TEXT_BYTES, read_regular, unpack_gzip
from stillproof.core.spec import digest

NAMES = ("nas_bench_201.csv", "nas_bench_201.csv.gz")
SHOWN = 60  # letters of a value that is refused
ARCH, ACCURACY = "arch", "cifar10_test"  # the columns that are read; accuracies are in percent


@dataclass(frozen=True, slots=True)
class NasTruth:
    """What is published of a search space."""

    accuracy: Mapping[str, float]  # on CIFAR-10, a fraction, by architecture as the source writes it
    id: str  # "nas_bench_201@sha256:...": the source, and a hash of the accuracies


def load_truth(where: Path, known: Collection[str]) -> NasTruth:
    """Read the table.

    Args:
        where: The file, or the folder of the data sets that nas_bench_201.csv or nas_bench_201.csv.gz lies in.
        known: All architectures of the space, as the table writes them; it may lack some.

    Raises:
        DataMissing: There is no such file.
        BadInput: It cannot be read, or a row is wrong.
    """
    path = _find(where)
    accuracy = _accuracies(path, _rows(path), frozenset(known))
    return NasTruth(accuracy, f"nas_bench_201@sha256:{digest(accuracy)}")


def _find(where: Path) -> Path:
    candidates = [where / name for name in NAMES] if where.is_dir() else [where]
    for path in candidates:
        if path.is_file():
            return path
    raise DataMissing(
        f"the accuracies of NAS-Bench-201 are missing ({' or '.join(map(str, candidates))}): "
        f"a table with the columns {ARCH} and {ACCURACY} (in percent) is needed."
    )


def _rows(path: Path) -> list[tuple[str, str]]:
    """Return architecture and accuracy of every row, as they are written."""
    try:
        text = read_regular(path, TEXT_BYTES)
        text = unpack_gzip(text, TEXT_BYTES) if path.suffix == ".gz" else text
        reader = csv.DictReader(text.decode("utf-8-sig").splitlines(), strict=True)
        for column in (ARCH, ACCURACY):
            if column not in (reader.fieldnames or ()):
                raise BadInput(f"{path} has no column {column!r}: {ARCH} and {ACCURACY} are needed.")
        return [(row[ARCH] or "", row[ACCURACY] or "") for row in reader]
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read as a table of comma-separated values: {plain_reason(error)}.") from error


def _accuracies(path: Path, rows: list[tuple[str, str]], known: frozenset[str]) -> dict[str, float]:
    accuracy: dict[str, float] = {}
    for number, (arch, text) in enumerate(rows, start=1):
        if arch not in known:
            raise BadInput(f"{path}, row {number}: {arch[:SHOWN]!r} is not an architecture of NAS-Bench-201.")
        if arch in accuracy:
            raise BadInput(f"{path}, row {number}: {arch!r} occurs twice.")
        accuracy[arch] = _percent(text, f"{path}, row {number}") / 100
    if not accuracy:
        raise BadInput(f"{path} has no rows.")
    if max(accuracy.values()) <= 0.01:  # nothing that was trained is right once in a hundred times
        raise BadInput(f"{path}: no {ACCURACY} is above 1: accuracies are needed in percent.")
    return accuracy


def _percent(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise BadInput(f"{where}: {ACCURACY} is {text[:SHOWN]!r}, which is not a number.") from None
    if not 0 <= value <= 100:
        raise BadInput(f"{where}: {ACCURACY} is {one_line(text[:SHOWN])}, which is not a percentage from 0 to 100.")
    return value
