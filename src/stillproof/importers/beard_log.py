"""BEARD's result logs: what each attack left of a model's accuracy, and how long it took."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.printable import one_line
from stillproof.core.regular_file import read_regular_text
from stillproof.importers.beard_names import CLEAN, DATASETS, NETWORKS, known

FORMAT = "beard-log"
ENDING = "evaluation_log.txt"
ABOUT = re.compile(r" (?P<attack>\S+) attack on (?P<method>\S+): final acc is:")
MEASURES = "final acc is"  # says every line that measures
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
MEASURED = rf"{NUMBER} \+- [\d.]+, attack time is {NUMBER}(?=[,;\s]|$)"
# What a line must say once, by what people call it: how it begins, and how it goes on. The second of the two
# measurements begins as the first does.
FIELDS = {
    "target_attack": (r"[^_]target_attack: (?=[-\d])", MEASURED),
    "non_target_attack": (r"non_target_attack: (?=[-\d])", MEASURED),
    "dataset": (r"[ ,]dataset: ", r"([^,\s]+)"),
    "IPC": (r"IPC: ", r"(\d{1,9})(?!\d)"),
    "model": (r"[ ,]model: ", r"([^,\s]+)"),
}
TRANSFER = {aim: re.compile(rf"eval_accuracies_{aim}: \{{\[(\{{.*?\}})\]\}}") for aim in ("target", "non_target")}
SHOWN = 60  # letters of a value that is refused
LONGEST = 20_000  # letters of a line: a few dozen other models, each with two accuracies
SAME = ("method", "dataset", "ipc", "network")  # what all lines of a log agree in


@dataclass(frozen=True)
class LoggedAttack:
    """One line of a log; accuracies are fractions and times are seconds of a pass over all test images.

    Args:
        attack: Its name there, such as ``PGD_L2``.
        targeted: Accuracy and seconds under the targeted attack.
        untargeted: The same under the untargeted one.
        transfer: Accuracies of other models on the changed images, by model, targeted and untargeted.
    """

    attack: str
    targeted: tuple[float, float]
    untargeted: tuple[float, float]
    transfer: dict[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class AttackLog:
    """A log of one model: what it is about, and its lines; the first is that without attack."""

    method: str
    dataset: str
    ipc: int
    network: str
    attacks: tuple[LoggedAttack, ...]

    @property
    def clean(self) -> LoggedAttack:
        """Return the line without attack."""
        return self.attacks[0]


def is_log(path: Path) -> bool:
    """Say whether a file, or a folder of files, is named as BEARD names its logs."""
    return path.name.endswith(ENDING) if path.is_file() else any(path.glob(f"*{ENDING}"))


def read_logs(path: Path) -> list[AttackLog]:
    """Return the log of a file, or those of a folder, by images per class."""
    files = [path] if path.is_file() else sorted(path.glob(f"*{ENDING}"))
    if not files:
        raise BadInput(f"{path} holds no log of BEARD: its files are called ..._{ENDING}.")
    return sorted((read_log(file) for file in files), key=lambda log: (log.dataset, log.method, log.ipc))


def read_log(path: Path) -> AttackLog:
    """Read a log; where an attack was logged several times, the last counts.

    Raises:
        BadInput: A line lacks something, or lines are about different models.
    """
    try:
        lines = read_regular_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as a log: {plain_reason(error)}.") from error
    measuring = [(number, line) for number, line in enumerate(lines, 1) if MEASURES in line]
    if not any(ABOUT.search(line) for _, line in measuring):
        raise BadInput(f"{path} is no log of BEARD: no line says `... attack on METHOD: final acc is: ...`.")
    found = [_read_line(line, f"{path}, line {number}") for number, line in measuring]
    about = _same([one for one, _ in found], path)
    attacks = {attack.attack: attack for _, attack in found}
    if CLEAN not in attacks:
        raise BadInput(f"{path} has no line of the {CLEAN} attack, so the accuracy without attack is unknown.")
    return AttackLog(*about, (attacks.pop(CLEAN), *attacks.values()))


def _read_line(line: str, place: str) -> tuple[tuple[str, str, int, str], LoggedAttack]:
    """Return what a line is about and what it measured."""
    if len(line) > LONGEST:  # what is looked for in it could take for ever to find
        raise BadInput(f"{place} has {len(line)} letters, and a line of BEARD's logs has at most {LONGEST}.")
    match = ABOUT.search(line)
    if match is None:
        raise BadInput(f"{place} measures something, and does not say `... attack on METHOD: final acc is: ...`.")
    said = {name: re.search(begins + goes_on, line) for name, (begins, goes_on) in FIELDS.items()}
    twice = [name for name, (begins, _) in FIELDS.items() if len(re.findall(begins, line)) > 1]
    if twice or line.count(MEASURES) > 1:  # two lines became one
        raise BadInput(f"{place} says {' and '.join(twice) or 'what it is about'} more than once.")
    missing = [name for name, one in said.items() if one is None]
    if missing:
        raise BadInput(f"{place} lacks {' and '.join(missing)}: a line of BEARD's logs has all of them.")
    got = {name: one.groups() for name, one in said.items() if one}
    dataset, network = known("data set", got["dataset"][0], DATASETS), known("network", got["model"][0], NETWORKS)
    targeted, untargeted = (_measured(got[name], place) for name in ("target_attack", "non_target_attack"))
    about = (match["method"], dataset, int(got["IPC"][0]), network)
    return about, LoggedAttack(match["attack"], targeted, untargeted, _transfer(line, place))


def _measured(texts: Sequence[str], place: str) -> tuple[float, float]:
    percent, seconds = map(float, texts)
    if not 0 <= percent <= 100 or not 0 <= seconds < math.inf:
        raise BadInput(f"{place} has an accuracy of {percent:g} % in {seconds:g} s, which is impossible.")
    return percent / 100, seconds


def _transfer(line: str, place: str) -> dict[str, tuple[float, float]]:
    texts = [one[1] for pattern in TRANSFER.values() if (one := pattern.search(line))]
    if not texts:
        return {}
    if len(texts) < len(TRANSFER):
        raise BadInput(f"{place} has accuracies of other models under one kind of attack only: it needs both or none.")
    try:
        targeted, untargeted = (ast.literal_eval(text) for text in texts)
        found = {str(name): (float(targeted[name]), float(untargeted[name])) for name in targeted}
    except (ValueError, SyntaxError, KeyError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise BadInput(f"{place} has accuracies of other models that cannot be read.") from error
    if not all(0 <= percent <= 100 for both in found.values() for percent in both):
        raise BadInput(f"{place} has accuracies of other models that are no percentages.")
    return found


def _same(found: Sequence[tuple[str, str, int, str]], path: Path) -> tuple[str, str, int, str]:
    for name, values in zip(SAME, zip(*found, strict=True), strict=True):
        if len(set(values)) > 1:
            first, second = (one_line(str(value)[:SHOWN]) for value in list(dict.fromkeys(values))[:2])
            raise BadInput(f"{path} mixes {name} {first} and {second}: a log is about one model.")
    return found[0]
