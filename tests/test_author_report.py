"""What the author of a file reports, beside what training on it gives here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from commands import Commands
from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.data.load import load
from stillproof.image_finder import export_set
from stillproof.importers.reported_accuracies import reported_in_name, reported_of_set
from stillproof.nets.build import build_network
from stillproof.session import Session

DATA = load("digits", "train", Path())
IMAGES, LABELS = DATA.read(slice(0, 40)), DATA.labels[:40]
SMOKE = "smoke:epochs=1"
REPORTED = {"ConvNetD1": [0.5, 0.6, 0.2, 0.4], "MLP": [0.1, 0.1, 0.3, 0.3]}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(str(tmp_path / "s.db")) as opened:
        yield opened


def result_file(folder: Path, method: str = "DC", sets: int = 2) -> Path:
    path = folder / f"res_{method}_digits_ConvNet_4ipc.pt"
    values = {name: [np.float64(value) for value in values] for name, values in REPORTED.items()}
    data = [[IMAGES + number, LABELS] for number in range(sets)]
    torch.save({"data": data, "accs_all_exps": values}, path)
    return path


def test_the_accuracies_of_each_set_are_told_apart_where_the_file_allows_it() -> None:
    first, second = (reported_of_set(REPORTED, "DC", number, 2)[0] for number in range(2))
    assert (first.accuracy, first.n, first.sets) == (0.55, 2, 1)
    assert second.accuracy == pytest.approx(0.3) and second.n == 2 and second.std == pytest.approx(0.1414, abs=1e-4)
    mixed = reported_of_set(REPORTED, "DataDAM", 0, 2)[0]  # which evaluates sets on the way, too
    assert mixed.accuracy == pytest.approx(0.425) and (mixed.n, mixed.sets) == (4, 2)
    assert reported_of_set(REPORTED, "DC", 0, 3)[0].sets == 3


@pytest.mark.parametrize(
    ("stem", "found"),
    [
        ("BACON_ConvNet_CIFAR10_50_None_0.6995", (0.6995, "ConvNet")),
        ("acc_0.67", (0.67, "")),
        ("model_0.5", None),
        ("net_1.5", None),
        ("res_DC_CIFAR10_ConvNet_10ipc", None),
        ("", None),
    ],
)
def test_accuracies_in_names(stem: str, found: tuple[float, str] | None) -> None:
    claims = [(one.accuracy, one.network) for one in reported_in_name(stem)]
    assert claims == ([] if found is None else [found])


def test_it_stands_beside_ours_with_both_recipes(session: Session, tmp_path: Path) -> None:
    path = result_file(tmp_path)
    score = session.train(path, dataset="digits", network="convnet-1:pooling=avg", recipe=SMOKE, seeds=1)
    convnet, mlp = score.reported
    assert convnet.claim.accuracy == pytest.approx(0.3) and (convnet.network, convnet.recipe) == (
        "convnet-1",
        "dc-bench",
    )
    assert convnet.same_network and convnet.same_recipe is False and not mlp.same_network
    *_, claim, recipes = repr(score).splitlines()
    gap = 100 * (score.accuracy.mean - 0.3)
    above = f"{abs(gap):.2f} points {'above' if gap > 0 else 'below'} it"
    assert claim == f"the file reports 30.00 % (std 14.14), n = 2, on ConvNetD1; ours is {above}"
    assert recipes == f"recipes differ: ours is {SMOKE}, that of DC's authors is dc-bench"
    row = score.as_dict()["reported"][0]
    assert row["accuracy"] == pytest.approx(0.3) and row["called"] == "ConvNetD1" and row["network"] == "convnet-1"
    assert (row["recipe"], row["same_recipe"], row["same_network"], row["place"]) == (
        "dc-bench",
        False,
        True,
        "the file",
    )


def test_the_authors_recipe_is_known_however_it_is_written(session: Session, tmp_path: Path) -> None:
    path, asked = result_file(tmp_path), "quick:epochs=301:decay_epochs=(152):reset_momentum=true"
    score = session.train(path, dataset="digits", network="convnet-1", recipe=asked, seeds=1)
    assert score.reported[0].same_recipe and "both recipes are that of DC's authors: dc-bench" in repr(score)
    defended = session.train(
        path, dataset="digits", network="mlp:width=4", defence="pgd-at:steps=1", recipe=SMOKE, seeds=1
    )
    assert defended.reported[1].same_recipe is False and not defended.reported[1].same_network
    assert "the file reports nothing for mlp:width=4, but ConvNetD1 30.00 % (n = 2), MLP 30.00 % (n = 2)" in repr(
        defended
    )


def test_an_unknown_author_has_no_known_recipe(session: Session, tmp_path: Path) -> None:
    path = result_file(tmp_path).rename(tmp_path / "theirs.pt")
    score = session.train(path, dataset="digits", network="convnet-1", recipe=SMOKE, seeds=1)
    assert score.reported[0].recipe is None and score.reported[0].same_recipe is None
    assert f"the author's recipe is not known: ours is {SMOKE}, so that the two need not agree" in repr(score)


def test_a_claim_stays_on_the_card_and_travels(session: Session, tmp_path: Path) -> None:
    made = session.import_sets(result_file(tmp_path), "digits").sets[1]
    export_set(session.store, made.artifact, tmp_path / "out")
    how: dict[str, Any] = {"network": "convnet-1", "recipe": SMOKE, "seeds": 1}
    assert session.train(made.name, **how).reported[0].claim.accuracy == pytest.approx(0.3)
    with Session(str(tmp_path / "other.db")) as elsewhere:
        assert elsewhere.train(tmp_path / "out", **how).reported == session.train(made, **how).reported
    assert session.train((IMAGES, LABELS), dataset="digits", **how).reported == []


def test_a_file_is_believed_although_its_tensors_came_before(session: Session, tmp_path: Path) -> None:
    torch.save({"data": [[IMAGES, LABELS]]}, tmp_path / "res_DC_digits_ConvNet_4ipc.pt")
    silent = session.import_sets(tmp_path / "res_DC_digits_ConvNet_4ipc.pt", "digits").sets[0]
    how: dict[str, Any] = {"network": "convnet-1", "recipe": SMOKE, "seeds": 1}
    assert session.train(silent, **how).reported == []
    score = session.train(result_file(tmp_path, sets=1), dataset="digits", **how)
    assert score.trained_on == silent.artifact and score.reported[0].claim.n == 4


def test_a_checkpoint_reports_in_its_name(session: Session, tmp_path: Path) -> None:
    body = build_network(networks.build("mlp:width=8"), DATA.info, Seeds(0), "cpu")
    path = tmp_path / "DC_MLP_digits_1_None_0.6995.pth"
    torch.save(body.state_dict(), path)
    made = session.import_model(path, "digits", "mlp:width=8")
    assert "the file's name reports a test accuracy of MLP 69.95 %" in made.found
    score = session.attack(made, "digits", "none", limit=20)
    assert "What the file's name reports of the model's clean accuracy: MLP 69.95 %." in repr(score)
    assert score.as_dict()["reported"][0]["accuracy"] == 0.6995
    with pytest.raises(BadInput, match="is a model's checkpoint, and no set to train on: `stillproof attack"):
        session.train(path, dataset="digits")


def test_the_command_prints_it(stillproof: Commands, tmp_path: Path) -> None:
    asked = ["train", str(result_file(tmp_path)), "--dataset", "digits", "--network", "convnet-1"]
    asked += ["--recipe", SMOKE, "--seeds", "1", "--store", str(tmp_path / "c.db")]
    done = stillproof(*asked, cwd=tmp_path)
    assert done.code == 0 and "the file reports 30.00 % (std 14.14), n = 2, on ConvNetD1" in done.out
    assert stillproof(*asked, "--json", cwd=tmp_path).json()["reported"][0]["n"] == 2
