"""BEARD's logs: what is read, what follows, and what is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from commands import Commands
from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.importers.beard_log import read_log, read_logs
from stillproof.importers.beard_names import NETWORKS
from stillproof.nets.convnet import ConvNet
from stillproof.session import Session
from stillproof.verbs.log_scores import scores_of_logs

# BACON on CIFAR-10: accuracy and seconds, targeted and untargeted, as the shipped logs have them.
LINES = {
    1: {
        "Clean": (44.95, 2.50, 44.95, 2.25),
        "FGSM": (29.59, 3.01, 24.51, 3.12),
        "PGD": (30.61, 8.52, 20.80, 8.79),
        "PGD_L2": (33.73, 8.71, 33.73, 8.77),
        "Deepfool": (44.95, 2.50, 11.52, 1650.0),
        "CW": (36.58, 73.94, 13.70, 74.70),
    },
    50: {
        "Clean": (69.95, 3.04, 69.95, 2.31),
        "FGSM": (44.68, 3.01, 38.16, 3.68),
        "PGD": (45.59, 11.96, 28.86, 12.21),
        "PGD_L2": (50.81, 12.22, 50.80, 9.18),
        "Deepfool": (69.95, 3.04, 18.28, 2374.80),
        "CW": (44.71, 75.82, 8.31, 76.49),
    },
}


def line(attack: str, values: tuple[float, float, float, float], ipc: int, more: str = "") -> str:
    first, second, third, fourth = values
    measured = (
        f"target_attack: {first:.2f} +- 0.00, attack time is {second:.2f}; "
        f"non_target_attack: {third:.2f} +- 0.00, attack time is {fourth:.2f}"
    )
    about = f"dataset: CIFAR10, IPC: {ipc}, DSA:True, num_eval: 0, aug:False , model: ConvNet, attack_type: ['Clean']"
    end = f"target_attack: [True, False], src_dataset: True{more}"
    return f"2025-07-01 12:50:44,512 - INFO - {attack} attack on BACON: final acc is:  {measured}, {about}, {end}"


def write_log(folder: Path, ipc: int, more: str = "") -> Path:
    path = folder / f"ConvNet_CIFAR10_{ipc}_evaluation_log.txt"
    lines = [line(attack, values, ipc, more) for attack, values in LINES[ipc].items()]
    path.write_text("\n".join(["2025-07-01 11:35:32,302 - INFO - Logging setup complete.", *lines]), encoding="utf-8")
    return path


def test_a_log_is_read_as_fractions_and_seconds(tmp_path: Path) -> None:
    log = read_log(write_log(tmp_path, 50))
    assert (log.method, log.dataset, log.ipc, log.network) == ("BACON", "cifar10", 50, "convnet-3")
    assert log.clean.targeted == (0.6995, 3.04)
    assert {one.attack: one.untargeted[0] for one in log.attacks}["CW"] == pytest.approx(0.0831)


def test_a_log_of_transfer_has_the_accuracies_of_other_models(tmp_path: Path) -> None:
    more = (
        ", eval_accuracies_target: {[{'DC': 0.3056, 'DM': 0.4119}]}"
        ", eval_accuracies_non_target: {[{'DC': 0.2942, 'DM': 0.392}]}"
    )
    log = read_log(write_log(tmp_path, 50, more))
    assert log.attacks[1].transfer == {"DC": (0.3056, 0.2942), "DM": (0.4119, 0.392)}


def test_a_folder_of_logs_gives_the_published_scores(tmp_path: Path, stillproof: Commands) -> None:
    for ipc in LINES:
        write_log(tmp_path, ipc)
    answer = stillproof("import", str(tmp_path), "--json", cwd=tmp_path).json()
    assert [log["ipc"] for log in answer["logs"]] == [1, 50]
    scores = {
        name: {key: round(100 * value, 2) for key, value in one.items()} for name, one in answer["scores"].items()
    }
    assert scores["BACON 1 ipc, targeted"]["rr"] == 19.78 and scores["BACON 50 ipc, targeted"]["ae"] == 31.21
    assert "BACON, all sizes together, untargeted" in scores
    again = stillproof("import", str(tmp_path), cwd=tmp_path)
    assert "RR 6.99" in again.out and "already in the store" in again.out and "44.68" in again.out


METRICS = """
from dataclasses import dataclass
from typing import ClassVar

from stillproof.plugin import ShareUnderAttack, Unsupported, metrics

@metrics.register("lost", version=1)
@dataclass(frozen=True)
class Lost(ShareUnderAttack):
    \"\"\"What the first attack takes from the first model.\"\"\"

    title: ClassVar[str] = "lost first %"

    def value(self, evidence):
        model = evidence.models[0]
        return model.clean_accuracy - model.attacks["0"].accuracy

@metrics.register("by-image", version=1)
@dataclass(frozen=True)
class ByImage(ShareUnderAttack):
    \"\"\"What logs do not hold.\"\"\"

    title: ClassVar[str] = "by image"

    def value(self, evidence):
        raise Unsupported("what came of single images is not stored.")
"""


def test_scores_of_logs_show_metrics_of_plug_ins(tmp_path: Path, stillproof: Commands) -> None:
    path = write_log(tmp_path, 50)
    (tmp_path / "more.py").write_text(METRICS, encoding="utf-8")
    asked = ("import", str(path), "--plugin", "more.py")
    scores = stillproof(*asked, "--json", cwd=tmp_path).json()["scores"]
    assert scores["BACON 50 ipc, targeted"]["metric_lost"] == pytest.approx(0.6995 - 0.4468)
    assert scores["BACON 50 ipc, untargeted"]["metric_by_image"] is None
    shown = stillproof(*asked, cwd=tmp_path).out
    assert "lost first % 25.27" in shown and "by image" not in shown


def test_logs_of_several_models_are_told_apart_and_pooled_by_method_alone(tmp_path: Path) -> None:
    texts = {ipc: write_log(tmp_path, ipc).read_text(encoding="utf-8") for ipc in LINES}
    (tmp_path / "DM_evaluation_log.txt").write_text(texts[1].replace("BACON", "DM"), encoding="utf-8")
    again = texts[50].replace("38.16", "39.16").replace("Deepfool", "DeepFool")
    (tmp_path / "again_evaluation_log.txt").write_text(again, encoding="utf-8")
    with Session(str(tmp_path / "s.db")) as session:
        names = [name for name in scores_of_logs(session.import_logs(tmp_path)) if name.endswith(", targeted")]
        found = scores_of_logs(session.import_logs(tmp_path))
    assert len(names) == 5 and sum("BACON 50 ipc (" in name for name in names) == 2
    assert [name for name in names if "together" in name] == ["BACON, all sizes together, targeted"]
    ratios = [found[name]["rr"] for name in names if "BACON 50 ipc (" in name]
    assert [round(100 * ratio, 2) for ratio in ratios] == [6.99, 6.99], "DeepFool has no targeted form, however spelled"


def test_numbers_and_networks_are_read_as_they_are_written(tmp_path: Path) -> None:
    path = write_log(tmp_path, 50)
    text = path.read_text(encoding="utf-8").replace("attack time is 3.04", "attack time is 1e-05")
    path.write_text(text.replace("model: ConvNet,", "model: ConvNetD4,"), encoding="utf-8")
    log = read_log(path)
    assert log.clean.targeted[1] == 1e-05 and log.network == "convnet-4"


# What BEARD's names change of its ConvNet; the other names are those of networks.
VARIANTS: dict[str, dict[str, Any]] = {
    **{f"ConvNetD{depth}": {"depth": depth} for depth in (1, 2, 3, 4)},
    **{f"ConvNetW{width}": {"width": width} for width in (32, 64, 128, 256)},
    **{f"ConvNetA{letter}": {"activation": name} for letter, name in (("S", "sigmoid"), ("R", "relu"))},
    **{f"ConvNetA{letter}": {"activation": name} for letter, name in (("L", "leaky-relu"), ("Swish", "swish"))},
    **{f"ConvNet{letter}N": {"norm": name} for letter, name in (("N", "none"), ("B", "batch"), ("L", "layer"))},
    **{f"ConvNet{letter}N": {"norm": name} for letter, name in (("I", "instance"), ("G", "group"))},
    **{f"ConvNet{letter}P": {"pooling": name} for letter, name in (("N", "none"), ("M", "max"), ("A", "avg"))},
    "ConvNetASwishBN": {"activation": "swish", "norm": "batch"},
    "ConvNet_4": {"depth": 4},
    "ConvNet_5": {"depth": 5},
    "ConvNet_BN": {"norm": "batch"},
    "ConvNet_FullyConv": {"pooling": "none"},
}


def test_networks_of_beard_are_ours_with_the_same_changes() -> None:
    usual = ConvNet(depth=3)
    assert {name for name in NETWORKS if name.startswith("ConvNet")} == {"ConvNet", *VARIANTS}
    for name, changes in VARIANTS.items():
        assert networks.build(NETWORKS[name]) == dataclasses.replace(usual, **changes), name
    assert all(networks.build(text) for text in NETWORKS.values())


@pytest.mark.parametrize(
    ("gone", "says"),
    [
        ("IPC: 50, ", "line 2 lacks IPC"),
        ("dataset: CIFAR10, ", "lacks dataset"),
        ("; non_target_attack: 69.95 +- 0.00, attack time is 2.31", "lacks non_target_attack"),
        (" , model: ConvNet", "lacks model"),
    ],
)
def test_a_log_with_missing_fields_is_refused(tmp_path: Path, gone: str, says: str) -> None:
    path = write_log(tmp_path, 50)
    text = path.read_text(encoding="utf-8")
    assert gone in text
    path.write_text(text.replace(gone, "", 1), encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        read_log(path)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Clean attack on", "FGSM attack on", "no line of the Clean attack"),
        ("attack on", "attempt at", "is no log of BEARD"),
        ("PGD attack on", "PGD  attack on", "line 4 measures something, and does not say"),
        (
            "INFO - PGD attack",
            "ck on DC: final acc is: - INFO - PGD attack",
            "line 4 says what it is about more than once",
        ),
        ("attack time is 3.01;", "attack time is 3+01;", "line 3 lacks target_attack"),
        ("IPC: 50", "IPC: 10", "mixes ipc"),
        ("69.95 +-", "169.95 +-", "an accuracy of 169.95 %"),
        ("CIFAR10", "CIFAR11", "did you mean 'CIFAR10"),
    ],
)
def test_a_log_that_cannot_be_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = write_log(tmp_path, 50)
    text = path.read_text(encoding="utf-8")
    many = -1 if old == "attack on" else 1
    path.write_text(text.replace(old, new, many), encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        read_log(path)
    with pytest.raises(BadInput, match="holds no log of BEARD"):
        read_logs(tmp_path / "nowhere")
