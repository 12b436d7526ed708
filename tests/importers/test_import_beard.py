"""BEARD's logs and configurations: what is read, what follows, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from commands import Commands
from stillproof.cli.config import read_toml
from stillproof.core.components import networks, suites
from stillproof.core.errors import BadInput
from stillproof.defend.base.defence import defence_of
from stillproof.importers.beard_config import read_config
from stillproof.importers.beard_log import read_log, read_logs
from stillproof.importers.beard_names import NETWORKS
from stillproof.nets.convnet import ConvNet
from stillproof.session import Session
from stillproof.sets.read import read_set
from stillproof.suite_methods import with_sets
from stillproof.suites.accuracy import Accuracy
from stillproof.suites.fixed_set import fixed_set
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
TRAIN: dict[str, Any] = {
    "dataset": "CIFAR10",
    "model": "ConvNet",
    "method": "BACON",
    "ipc": "50",
    "dsa_strategy": "color_crop_cutout_flip_scale_rotate",
    "aug": True,
    "data_file": "./dataset_pool/BACON/BACON_cifar10_ipc50_conv.pt",
    "train_attack": "None",
    "target_attack": False,
    "test_attack": "None",
    "src_dataset": False,
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


def write_config(folder: Path, **changes: Any) -> Path:
    path = folder / "train_config.json"
    kept = {key: value for key, value in (TRAIN | changes).items() if value is not ...}
    path.write_text(json.dumps(kept), encoding="utf-8")
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
        ("IPC: 50, ", "line 2 says nothing of IPC"),
        ("dataset: CIFAR10, ", "says nothing of dataset"),
        ("; non_target_attack: 69.95 +- 0.00, attack time is 2.31", "says nothing of non_target_attack"),
        (" , model: ConvNet", "says nothing of model"),
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


def test_a_configuration_becomes_one_that_runs(tmp_path: Path, stillproof: Commands) -> None:
    write_config(tmp_path, dataset="MNIST", ipc="10", method="DM", epoch_eval_train=300, dsa_strategy="none")
    done = stillproof("import", "train_config.json", "--out", "mine.toml", cwd=tmp_path)
    assert done.code == 0 and "stillproof run accuracy --config mine.toml" in done.out
    params = read_toml(tmp_path / "mine.toml", "accuracy")
    suite: Any = suites.build("accuracy", params)
    assert "dc-aug" in suite.recipe, "the authors of DC augment MNIST where there is no DSA"
    assert (suite.dataset, suite.methods, suite.ipc, suite.network) == (("mnist",), ("dm",), (10,), ("convnet-3",))
    assert suite.recipe == "beard:augment=dc-aug:epochs=301:decay_epochs=152" and suite.protocol == "faithful"
    assert len(suite.rows()) == 1
    assert not (tmp_path / "stillproof.db").exists()


def test_a_configuration_for_attacks_asks_suite_beard(tmp_path: Path) -> None:
    asked = ["Clean", "PGD_e4", "Deepfool", "CW"]
    read = read_config(write_config(tmp_path, load_file="x.pth", test_attack=asked, target_attack=[True, False]))
    assert read.suite == "beard" and read.params["sections"] == ["scores"] and read.params["defences"] == []
    assert read.params["attacks"] == ["pgd:eps=4/255", "deepfool", "cw"]
    assert read.params["targeted_attacks"] == ["pgd:eps=4/255", "cw"]
    command = "stillproof attack x.pth --dataset cifar10 --protocol faithful --attack pgd:eps=4/255"
    assert read.commands == (f"{command},cw --targeted", f"{command},deepfool,cw")
    spelled = read_config(write_config(tmp_path, test_attack=["DeepFool", "cw"], target_attack=True))
    assert spelled.params["targeted_attacks"] == ["cw"]


def test_a_configuration_takes_the_first_experiment_and_cuts_its_images_if_it_says_so(tmp_path: Path) -> None:
    images, labels = torch.rand(20, 1, 8, 8), torch.arange(10).repeat_interleave(2)
    torch.save({"data": [[images, labels], [images / 2, labels]]}, tmp_path / "rome.pt")
    for aug, decode in ((True, "grid2x2"), (False, "none"), (..., "none")):
        read = read_config(write_config(tmp_path, method="ROME", data_file="rome.pt", aug=aug, dataset="MNIST"))
        (method,) = read.params["methods"]
        assert method == f"ROME:artifact={tmp_path / 'rome.pt'}:experiment=0:decode={decode}"
        with Session(str(tmp_path / "s.db")) as session:
            (found,) = with_sets(session, Accuracy(dataset=("digits",), methods=(method,))).methods
            there = fixed_set(found)
            assert there is not None and there.name == "ROME"
            made = read_set(session.store, there.artifact)
        assert made.decode == decode and len(made.images) == 20
        assert there.count == (80 if decode == "grid2x2" else 20)


@pytest.mark.parametrize(("method", "name"), [("bacon", "BACON"), ("BACON (ours)", "BACON-ours"), ("ROME", "ROME")])
def test_a_set_of_a_configuration_has_a_name_that_no_distiller_has(tmp_path: Path, method: str, name: str) -> None:
    (tmp_path / "set.pt").touch()
    read = read_config(write_config(tmp_path, method=method, data_file="set.pt"))
    assert read.params["methods"][0].startswith(f"{name}:artifact=")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": "ResNet18"}, "takes ConvNet whatever `model` says"),
        ({"eval_mode": "M"}, "eval_mode 'M' asks for several networks"),
        ({"load_file": "x.pth", "test_attack": ["PGD"]}, "augments test images"),
        ({"load_file_model_DC": "x.pth"}, "judges the changed images by other models"),
        ({"train_attack": "PGD", "target_attack": ...}, "aims at the class after the image's own"),
    ],
)
def test_what_beards_code_does_otherwise_is_said(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    assert any(says in sentence for sentence in read_config(write_config(tmp_path, **changes)).found)
    assert not any(says in sentence for sentence in read_config(write_config(tmp_path)).found)


def test_batches_of_real_images_are_those_of_the_recipe(tmp_path: Path) -> None:
    assert "batch=32" in read_config(write_config(tmp_path, batch_train=32)).params["recipe"]
    assert "batch" not in read_config(write_config(tmp_path, batch_train=32, src_dataset=True)).params["recipe"]


def test_a_model_whose_method_is_not_here_can_be_attacked_all_the_same(tmp_path: Path, stillproof: Commands) -> None:
    write_config(tmp_path, method="ROME", load_file="rome.pth", test_attack=["PGD"], target_attack=[True])
    done = stillproof("import", "train_config.json", "--out", "mine.toml", cwd=tmp_path)
    command = "stillproof attack rome.pth --dataset cifar10 --protocol faithful --attack pgd --targeted"
    assert done.code == 0 and f"next: {command}" in done.out and "only its model is attacked" in done.err
    assert command in (tmp_path / "mine.toml").read_text(encoding="utf-8")


def test_commands_name_the_network_and_quote_the_file(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, load_file="my net.pth", test_attack=["PGD"], model="ConvNetAS"))
    command = "stillproof attack 'my net.pth' --dataset cifar10 --protocol faithful"
    assert read.commands == (f"{command} --network convnet-3:activation=sigmoid --attack pgd",)


def test_a_configuration_without_attacks_on_a_model_asks_for_its_clean_accuracy(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, load_file="x.pth", test_attack=["Clean"], target_attack=[True, False]))
    assert read.commands == ("stillproof attack x.pth --dataset cifar10 --protocol faithful --attack none",)


def test_a_configuration_of_targeted_attacks_alone_asks_for_no_others(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, test_attack=["PGD", "AA"], target_attack=[True], train_attack="PGD"))
    assert (read.params["attacks"], read.params["targeted_attacks"]) == ([], ["pgd"])
    assert any("any wrong class" in sentence for sentence in read.found)


def test_a_configuration_for_defended_training_asks_suite_beard(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, train_attack="PGD"))
    assert read.suite == "beard" and read.params["sections"] == ["defences"] and read.params["attacks"] == ["pgd"]
    assert read.params["defences"] == ["pgd-at:random_start=false:step=2/225"]
    defence: Any = defence_of(read.params["defences"][0])
    assert defence.step == 2 / 225 and not defence.random_start


def test_a_configuration_for_real_images_has_no_method(tmp_path: Path) -> None:
    real = read_config(write_config(tmp_path, src_dataset=True))
    assert real.suite == "accuracy" and real.params["methods"] == [] and real.params["full_recipe"] == "beard"


@pytest.mark.skipif("beard" not in suites.entries(), reason="suite beard is not there")
@pytest.mark.parametrize("changes", [{"test_attack": ["PGD", "CW"], "target_attack": [True]}, {"train_attack": "PGD"}])
def test_what_suite_beard_is_asked_can_be_planned(tmp_path: Path, changes: dict[str, Any]) -> None:
    read = read_config(write_config(tmp_path, **changes))
    suite: Any = suites.build(read.suite, read.params)
    assert suite.rows()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ipc": ..., "model": ...}, "says nothing of model and ipc"),
        ({"ipc": "many"}, "ipc is 'many', where a number is needed"),
        ({"method": "ROME"}, "nor a distiller called 'ROME'"),
        ({"model": "ConvNet_GBN"}, "unknown network of BEARD 'ConvNet_GBN'"),
        ({"train_attack": "FGSM"}, "train_attack 'FGSM' is not known"),
        ({"dsa_strategy": "colour_crop"}, "strategy holds 'colour'"),
        ({"test_attack": ["AA"], "target_attack": [True]}, "AA cannot aim"),
        ({"load_file": "x", "test_attack": ["Foo"]}, "unknown attack of BEARD 'Foo'"),
    ],
)
def test_a_configuration_with_missing_or_wrong_fields_is_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        read_config(write_config(tmp_path, **changes))


def test_what_is_not_read_is_refused(tmp_path: Path, stillproof: Commands) -> None:
    write_config(tmp_path)
    for argv, says in (
        (["nothere.json"], "nothere.json is not there"),
        (["train_config.json", "--dataset", "cifar10"], "says by itself what it is about: leave --dataset out"),
        (["train_config.json", "--network", "mlp"], "leave --network out"),
        (["train_config.json", "--space", "zca"], "leave --space out"),
    ):
        assert says in stillproof("import", *argv, cwd=tmp_path).sentence()


def test_what_is_no_json_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, says in (("[1]", "no JSON object"), ("{", "cannot be read as JSON")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match=says):
            read_config(path)
