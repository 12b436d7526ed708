"""stillproof attack: what it prints, what it finds again, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from commands import Commands, Done, query
from stillproof.core.components import networks

NETWORK = "convnet-1:width=8"
KEYS = {
    "clean_accuracy",
    "robust_accuracy",
    "n",
    "attack",
    "eps",
    "norm",
    "targeted",
    "protocol",
    "passes_per_image",
    "seconds",
    "alarms",
}


@dataclass(frozen=True)
class Place:
    folder: Path
    model: str
    commands: Commands

    def attack(self, *argv: str, model: str | None = None) -> Done:
        return self.commands("attack", model or self.model, "--dataset", "digits", *argv, cwd=self.folder)

    def json(self, *argv: str, model: str | None = None) -> dict[str, Any]:
        found: dict[str, Any] = self.attack(*argv, "--json", model=model).json()
        return found


@pytest.fixture(scope="module")
def place(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("attack")
    train = ["train", "digits", "--network", NETWORK, "--recipe", "quick-real:epochs=4", "--seeds", "1", "--json"]
    model = stillproof(*train, cwd=folder).json()["models"][0]
    body = networks.build(NETWORK).build(channels=1, size=8, num_classes=10)
    torch.save(body.state_dict(), folder / "theirs.pth")
    torch.save({"images": torch.rand(20, 1, 8, 8), "labels": torch.arange(20) % 10}, folder / "set.pt")
    torch.save({"odd.weight": torch.ones(7, 3), "more.bias": torch.ones(7)}, folder / "odd.pth")
    stillproof("distill", "digits", "random", "--ipc", "1", "--network", NETWORK, "--out", "set", cwd=folder)
    return Place(folder, model, stillproof)


def test_one_attack_has_the_documented_keys(place: Place) -> None:
    found = place.json("--attack", "fgsm", "--eps", "0.1", "--limit", "100")
    assert found.keys() >= KEYS
    about = {key: found[key] for key in ("n", "attack", "eps", "norm", "targeted", "protocol", "alarms", "checked")}
    assert about == {
        "n": 100,
        "attack": "fgsm",
        "eps": 0.1,
        "norm": "Linf",
        "targeted": False,
        "protocol": "fair",
        "alarms": [],
        "checked": False,
    }
    assert 0.8 < found["clean_accuracy"] <= 1 and 0 < found["robust_accuracy"] < found["clean_accuracy"]
    assert 1 < found["passes_per_image"] <= 4 and found["seconds"] > 0
    (only,) = found["attacks"]
    assert only["params"] == {"eps": 0.1} and only["robust_accuracy"] == found["robust_accuracy"]
    assert place.json("--attack", "fgsm", "--eps", "1/10", "--limit", "100")["attacks"] == [only], "from the store"


def test_several_attacks_end_in_their_worst_case(place: Place) -> None:
    some = ("--attack", "fgsm,pgd:steps=3,deepfool", "--eps", "0.1", "--limit", "60")
    found = place.json(*some)
    fgsm, pgd, deepfool = found["attacks"]
    assert (found["attack"], found["eps"], found["norm"]) == ("worst case", None, None)
    assert (fgsm["eps"], pgd["eps"], deepfool["eps"], deepfool["norm"]) == (0.1, 0.1, None, "L2")
    assert pgd["params"]["steps"] == 3 and deepfool["median_l2"] > 0
    assert found["robust_accuracy"] <= min(one["robust_accuracy"] for one in found["attacks"])
    text = place.attack(*some)
    assert text.code == 0
    lines = [line.split() for line in text.out.splitlines()]
    assert [line[0] for line in lines if line and line[0] in ("fgsm", "pgd:steps=3", "deepfool", "worst")] == [
        "fgsm",
        "pgd:steps=3",
        "deepfool",
        "worst",
    ]
    assert "Protocol fair, untargeted." in text.out


def test_targets_may_be_left_open_or_said(place: Place) -> None:
    for words, policy in (
        (["--targeted"], "next"),
        (["--targeted", "random"], "random"),
    ):
        found = place.json(*words, "--attack", "pgd:steps=2", "--limit", "20")
        assert found["targeted"] is True and found["targets"] == policy


def test_what_an_attack_cannot_do_is_a_dash_with_its_reason(place: Place) -> None:
    found = place.json("--attack", "deepfool,fgsm", "--targeted", "--limit", "20")
    deepfool, fgsm = found["attacks"]
    assert deepfool["robust_accuracy"] is None
    assert deepfool["reason"] == "DeepFool has no targeted form: leave the target out."
    assert found["robust_accuracy"] == fgsm["robust_accuracy"] and found["reason"] is None
    alone = place.attack("--attack", "deepfool", "--targeted", "--limit", "20")
    assert alone.code == 0 and "deepfool: DeepFool has no targeted form: leave the target out." in alone.out
    row = next(line for line in alone.out.splitlines() if line.strip().startswith("deepfool "))
    assert row.split()[:5] == ["deepfool", "none", "L2", "-", "-"]


def test_gradients_are_checked_and_faithful_says_what_the_clamp_does(place: Place) -> None:
    fair = place.json("--attack", "fgsm", "--eps", "0.1", "--limit", "60", "--check")
    assert fair["checked"] and fair["alarms"] == []
    faithful = place.json("--attack", "fgsm,none", "--limit", "60", "--check", "--protocol", "faithful")
    (alarm,) = [alarm for alarm in faithful["alarms"] if "clamping" in alarm]
    clamped = faithful["attacks"][1]
    assert f"from {100 * clamped['clean_accuracy']:.2f} to {100 * clamped['robust_accuracy']:.2f} % on 60" in alarm


def test_changed_images_are_kept_with_a_picture(place: Place) -> None:
    found = place.json("--attack", "fgsm", "--limit", "20", "--keep", "kept")
    assert found["attacks"][0]["examples"] == "kept"
    names = {path.name for path in (place.folder / "kept").iterdir()}
    assert names == {"tensors.safetensors", "card.json", "README.md", "preview.png"}


def test_somebodys_checkpoint_is_imported_first(place: Place) -> None:
    theirs = place.attack("--attack", "fgsm", "--limit", "20", "--json", model="theirs.pth")
    assert theirs.json()["model"].startswith("model-theirs-")
    assert "found: network convnet:depth=1:width=8:norm=instance:pooling=avg, told by" in theirs.err


def test_status_lists_the_call(place: Place) -> None:
    calls = place.commands("status", "--json", cwd=place.folder).json()["calls"]
    assert {call["verb"] for call in calls} == {"train", "distill", "attack"}
    attacks = [call for call in calls if call["verb"] == "attack"]
    assert all(call["dataset"] == "digits" and " on " in call["method"] for call in attacks)


BAD = [
    (["--attack", "fgms"], 2, "unknown attack 'fgms'; did you mean 'fgsm'"),
    (["--attack", ""], 2, "no attack is named"),
    (["--attack", "pgd", "--eps", "8/0"], 2, "--eps '8/0' is not a number: write one, or a fraction such as 8/255."),
    (["--attack", "pgd", "--eps", "1.5"], 2, "eps = 1.5 is not allowed"),
    (["--attack", "cw,deepfool", "--eps", "0.1"], 2, "none of cw, deepfool has an eps: leave it out."),
    (["--attack", "pgd", "--norm", "linf"], 2, "unknown norm 'linf'; did you mean 'Linf'?"),
    (["--attack", "fgsm,pgd", "--set", "steps=3"], 2, "unknown parameter 'steps' of attack 'fgsm'"),
    (["--attack", "pgd", "--targeted=nearest"], 2, "unknown policy of targets 'nearest'"),
    (["--attack", "pgd", "--protocol", "fare"], 2, "unknown protocol 'fare'; did you mean 'fair'?"),
    (
        ["--attack", "pgd", "--protocol", "faithful:dc-bench"],
        2,
        "did you mean 'faithful:beard', 'faithful:mad' or 'faithful'?",
    ),
    (["--attack", "pgd", "--limit", "360"], 2, "limit = 360 is not allowed: digits has 359 test images"),
    (["--attack", "pgd", "--network", "convnet-1"], 2, "itself says what its network is"),
    (
        ["--attack", "pgd", "--dataset", "mnist"],
        2,
        "the model sees images (1, 8, 8), and those of mnist are (1, 28, 28)",
    ),
]


@pytest.mark.parametrize(("argv", "code", "words"), BAD, ids=[" ".join(argv)[:60] for argv, _, _ in BAD])
def test_bad_input_is_one_sentence_and_computes_nothing(place: Place, argv: list[str], code: int, words: str) -> None:
    counted = "SELECT count(*) FROM cells UNION ALL SELECT count(*) FROM runs"
    before = query(place.folder / "stillproof.db", counted)
    given = argv if "--dataset" in argv else ["--dataset", "digits", *argv]
    done = place.commands("attack", place.model, *given, cwd=place.folder)
    assert done.code == code, done.err
    assert words in done.sentence() and len(done.err.splitlines()) == 1
    assert query(place.folder / "stillproof.db", counted) == before


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nobody", "unknown artifact 'nobody'"),
        ("set.pt", "set.pt is not a model's checkpoint, so it cannot be attacked: name a model."),
        ("set", "set is an artifact of kind 'distilled', not a model: name another."),
        ("odd.pth", "cannot be told from its weights: name it with --network."),
    ],
)
def test_what_is_no_model_is_refused(place: Place, model: str, words: str) -> None:
    done = place.attack("--attack", "pgd", model=model)
    assert done.code == 2 and words in done.sentence()


def test_a_model_whose_answers_are_no_numbers_fails_with_one_sentence(place: Place) -> None:
    body = networks.build(NETWORK).build(channels=1, size=8, num_classes=10)
    with torch.no_grad():
        body.classifier.bias.fill_(3e38)  # type: ignore[operator,union-attr]
        body.classifier.weight.fill_(3e38)  # type: ignore[operator,union-attr]
    torch.save(body.state_dict(), place.folder / "loud.pth")
    done = place.attack("--attack", "fgsm", "--limit", "20", model="loud.pth")
    assert done.code == 1 and "Traceback" not in done.err
    assert "the model's answer to image 0 is not finite" in done.err.splitlines()[-1]
