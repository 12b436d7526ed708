from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from stillproof.core.spec import Json
from stillproof.session import Session
from stillproof.suites.requests import Request

NETWORK = "mlp:width=8"


def expert(session: Session, epochs: int, options: str = "", seed: int = 0) -> tuple[Json, Tensor]:
    recipe = f"expert:epochs={epochs}:curve_points={epochs}:augment=none{options}"
    wanted = Request("expert", dataset="digits", part="train", network=NETWORK, recipe=recipe, seed=seed)
    answer = session.answer(wanted)
    return answer, session.store.artifacts.read(answer["artifact"]).tensors["weights"]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(str(tmp_path / "s.db"))


def test_an_expert_goes_on_where_a_shorter_one_ended(session: Session, tmp_path: Path) -> None:
    assert expert(session, 2)[0]["notes"]["epochs_found"] == 0
    longer, weights = expert(session, 4)
    assert longer["notes"]["epochs_found"] == 2
    alone, expected = expert(Session(str(tmp_path / "other.db")), 4)
    assert torch.equal(weights, expected) and longer["losses"] == alone["losses"]


def test_a_longer_expert_serves_a_shorter_one(session: Session) -> None:
    _, longer = expert(session, 4)
    shorter, weights = expert(session, 3)
    assert shorter["notes"]["epochs_found"] == 3 and len(shorter["losses"]) == 3
    assert torch.equal(weights, longer[:4])


@pytest.mark.parametrize("options", [":momentum=0.9", ":schedule=cosine", ":decay_epochs=1", ":optimiser=adam"])
def test_where_an_epoch_depends_on_more_than_weights_each_is_trained_alone(session: Session, options: str) -> None:
    expert(session, 2, options)
    assert expert(session, 3, options)[0]["notes"]["epochs_found"] == 0


def test_another_seed_or_step_size_is_another_expert(session: Session) -> None:
    expert(session, 2)
    assert expert(session, 3, seed=1)[0]["notes"]["epochs_found"] == 0
    assert expert(session, 3, ":lr=0.02")[0]["notes"]["epochs_found"] == 0


def test_a_damaged_expert_is_not_used(session: Session) -> None:
    answer, _ = expert(session, 2)
    tensors = next(session.store.artifacts.folder(answer["artifact"]).glob("*.safetensors"))
    tensors.chmod(0o644)
    tensors.write_bytes(tensors.read_bytes()[:-4] + b"\0\1\2\3")
    assert expert(session, 3)[0]["notes"]["epochs_found"] == 0
