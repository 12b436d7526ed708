"""A model that answers at random on its way through the stages: shares of fresh draws arrive, and are shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from commands import Commands
from stillproof import Request, Session
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.spec import Json
from stillproof.run.attack_outcomes import read_outcomes
from stillproof.suites.requests import real_images, selected, trained

PLUGIN = Path(__file__).with_name("noisy.py")
NOISY, STEADY = (trained(real_images("digits"), name, "quick-real:epochs=4", 0) for name in ("noisy", "mlp:width=16"))
MEANS, MAJORITY = "accuracies are means over 20 fresh draws", "in more than half of 20 fresh draws"


def attack(name: str, model: Request = NOISY) -> Request:
    return Request("attack", model=selected(model, "last"), dataset="digits", attack=name, limit=100)


PGD, FGSM, NEAREST = attack("pgd:eps=0.05:steps=3"), attack("fgsm:eps=0.05"), attack("fmn:steps=5")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@pytest.fixture(scope="module")
def session(place: Path) -> Iterator[Session]:
    with Session(str(place / "s.db"), plugins=[str(PLUGIN)]) as opened:
        yield opened


def outcomes(session: Session, answer: Json) -> dict[str, torch.Tensor]:
    return read_outcomes(session.store, answer["outcomes"])


def said(answer: Json) -> str:
    return warnings_in(answer["notes"])["draws"]


@pytest.mark.parametrize(
    "asked",
    [
        PGD,
        Request("within", of=NEAREST, norm="Linf", eps=0.02),
        Request("transfer", of=attack("pgd:eps=0.05:steps=3", STEADY), model=NOISY),
    ],
    ids=lambda asked: asked.stage,
)
def test_accuracies_are_means_over_fresh_draws(session: Session, asked: Request) -> None:
    answer = session.answer(asked)
    found = outcomes(session, answer)
    for name, shares in (("clean_accuracy", found["clean_share"]), ("robust_accuracy", found["right_share"])):
        assert answer[name] == pytest.approx(shares.double().mean().item())
        assert len(set(shares.tolist())) > 5, "one draw would know 0 and 1 alone"
    assert torch.equal(found["robust"], (found["clean_share"] > 0.5) & (found["right_share"] > 0.5))
    assert answer["draws"] == 20 and MEANS in said(answer)


def test_images_go_by_the_majority_in_the_worst_case(session: Session) -> None:
    first, second = (outcomes(session, session.answer(one)) for one in (PGD, FGSM))
    worst = session.answer(Request("worst-case", of=[PGD, FGSM]))
    assert worst["robust_accuracy"] == int((first["robust"] & second["robust"]).sum()) / 100
    assert worst["clean_accuracy"] == int((first["clean_share"] > 0.5).sum()) / 100
    assert MAJORITY in said(worst) and MEANS not in said(worst)
    assert "notes" not in session.answer(Request("worst-case", of=[attack("fgsm", STEADY)]))


def test_attacks_that_do_nothing_cost_only_images_that_are_near_one_half(session: Session) -> None:
    attacks = [attack("fgsm:eps=1e-7").but(seed=seed) for seed in range(6)]
    shares = torch.stack([outcomes(session, session.answer(one))["right_share"] for one in attacks])
    every = shares.mean(0)  # of 120 draws
    worst = session.answer(Request("worst-case", of=attacks))["robust_accuracy"]
    assert int((every > 0.85).sum()) / 100 <= worst <= int((every > 0.5).sum()) / 100
    assert shares.amin(0).mean() < every.mean() - 0.05, "the least of several shares is that of the unluckiest draws"


def test_a_curve_begins_with_the_images_that_most_draws_have_right(session: Session) -> None:
    curve = session.answer(Request("robust-curve", of=NEAREST, checks=[PGD], largest=0.1))
    clean = outcomes(session, session.answer(NEAREST))["clean_share"] > 0.5
    assert curve["accuracies"][0] == curve["clean_accuracy"] == int(clean.sum()) / 100
    assert curve["accuracies"][-1] < curve["clean_accuracy"] and MAJORITY in said(curve)


def test_the_command_says_how_often_the_model_was_asked(session: Session, place: Path, stillproof: Commands) -> None:
    model = session.answer(selected(NOISY, "last"))["model"]
    words = ["attack", model, "--dataset", "digits", "--attack", "pgd,fgsm", "--eps", "0.05", "--limit", "100"]
    words += ["--plugin", str(PLUGIN), "--store", "s.db"]
    found = stillproof(*words, "--json", cwd=place).json()
    assert [found["draws"], *(one["draws"] for one in found["attacks"])] == [20, 20, 20]
    assert any(MAJORITY in warning for warning in found["warnings"])
    text = stillproof(*words, cwd=place)
    assert text.code == 0 and MEANS in text.out and f"Warning about worst case: {found['warnings'][0]}" in text.out
