from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from stillproof.core import checkpoint
from stillproof.core.context import Context
from stillproof.core.errors import Corrupt, StillproofError
from stillproof.core.sealed_values import content_of, seal_value, unseal_value
from stillproof.core.seeds import Seeds

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int16, torch.uint8, torch.bool)
HERE = Path("x.checkpoint")


@st.composite
def tensors(draw: st.DrawFn) -> Tensor:
    shape = draw(st.lists(st.integers(0, 3), max_size=4))
    made = (
        torch.randn(shape, generator=Seeds(draw(st.integers(0, 99))).torch()).mul(3).to(draw(st.sampled_from(DTYPES)))
    )
    if made.is_floating_point() and draw(st.booleans()):
        made = made / 0
    return made.contiguous(memory_format=torch.channels_last) if made.ndim == 4 and draw(st.booleans()) else made


KEYS = st.integers() | st.text(max_size=5)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | tensors()
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.tuples(inner, inner)
        | st.fixed_dictionaries({"dict": inner, "tensor": inner})  # must not be taken for what the file itself says
    ),
    max_leaves=12,
)


def sealed(value: Any) -> bytes:
    return b"".join(seal_value(value))


def check_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, Tensor):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.is_contiguous() == expected.is_contiguous()  # strides of sides of length 0 and 1 mean nothing
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
    elif isinstance(expected, dict):
        assert [(key, type(key)) for key in found] == [(key, type(key)) for key in expected]
        for key, value in expected.items():
            check_same(found[key], value)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_same(one, other)
    elif isinstance(expected, float):
        assert found == expected or (math.isnan(found) and math.isnan(expected))
        assert math.copysign(1, found) == math.copysign(1, expected) or math.isnan(expected)
    else:
        assert found == expected


@given(VALUES)
def test_values_come_back_as_they_were(value: Any) -> None:
    found = unseal_value(sealed(value), HERE)
    check_same(found, value)
    assert sealed(found) == sealed(value)


@given(VALUES, st.data())
def test_no_flipped_bit_and_no_missing_byte_goes_unseen(value: Any, data: st.DataObject) -> None:
    damaged = bytearray(sealed(value))
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, 8 * len(damaged) - 1))
        damaged[place // 8] ^= 1 << place % 8
    else:
        damaged = damaged[: data.draw(st.integers(0, len(damaged) - 1))]
    with pytest.raises(Corrupt, match="does not match its hash"):
        unseal_value(bytes(damaged), HERE)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "LBFGS", "RMSprop"])
def test_states_of_optimisers_come_back_as_they_were(name: str) -> None:
    weights = [nn.Parameter(torch.ones(2, 3)), nn.Parameter(torch.ones(4))]
    optimiser = getattr(torch.optim, name)(weights, lr=0.1)
    sum((weight**2).sum() for weight in weights).backward()  # type: ignore[union-attr]
    optimiser.step(lambda: torch.zeros(()))
    state = optimiser.state_dict()
    check_same(unseal_value(sealed(state), HERE), state)


def test_what_is_no_plain_value_is_refused_by_name() -> None:
    with pytest.raises(StillproofError, match="tensors and plain values, and no set: convert it"):
        seal_value({"seen": {1, 2}})


class Part:
    """Changes itself and then refuses what does not suit it, as state dicts of modules do."""

    def __init__(self, refuses: str = "") -> None:
        self.values, self.refuses = torch.zeros(2), refuses

    def state_dict(self) -> dict[str, Any]:
        return {"values": self.values}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.values = state["values"]
        if self.refuses == "all" or (self.refuses == "ones" and bool(self.values.all())):
            raise ValueError(self.refuses)
        if self.refuses == "silently":
            self.values = self.values * 0


def saved_loop(path: Path) -> None:
    part = Part()
    part.values += 1
    net = nn.Linear(2, 2).requires_grad_(False)
    net.weight.fill_(1)
    parts = {"images": torch.ones(3), "net": net, "part": part}
    checkpoint.save_loop(path, 7, parts, {"history": [{"step": 6}]})


def fresh_parts(refuses: str = "", **others: Any) -> dict[str, Any]:
    net = nn.Linear(2, 2).requires_grad_(False)
    net.weight.fill_(0)
    return {"images": torch.zeros(3), "net": net, "part": Part(refuses)} | others


def test_a_sound_checkpoint_restores_every_part(tmp_path: Path) -> None:
    saved_loop(tmp_path / "a.checkpoint")
    parts, history = fresh_parts(), [{"step": 99}]
    assert checkpoint.restore_loop(tmp_path / "a.checkpoint", parts, {"history": history}) == 7
    assert (
        parts["images"].tolist() == [1, 1, 1] and bool(parts["net"].weight.all()) and bool(parts["part"].values.all())
    )
    assert history == [{"step": 6}]


@pytest.mark.parametrize(
    "parts",
    [
        fresh_parts("ones"),
        fresh_parts("silently"),
        fresh_parts(images=torch.zeros(2, 3)),  # a copy would repeat what was saved
        fresh_parts(images=torch.zeros(3, dtype=torch.float64)),
        fresh_parts(net=nn.Linear(2, 2, dtype=torch.float64)),
        fresh_parts(net=nn.Linear(2, 3)),
        fresh_parts(part=torch.zeros(2)),
    ],
    ids=["raises", "silently", "shape", "dtype", "module-dtype", "module-shape", "kind"],
)
def test_what_cannot_be_restored_exactly_leaves_every_part_alone(
    tmp_path: Path, parts: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    saved_loop(tmp_path / "a.checkpoint")
    before, history = content_of({key: checkpoint._state(part) for key, part in parts.items()}), [{"step": 99}]
    assert checkpoint.restore_loop(tmp_path / "a.checkpoint", parts, {"history": history}) == 0
    assert content_of({key: checkpoint._state(part) for key, part in parts.items()}) == before
    assert history == [{"step": 99}]
    assert len(caplog.records) == 1 and "starting afresh" in caplog.text


def test_a_part_that_takes_nothing_back_fails_once_and_not_for_ever(tmp_path: Path) -> None:
    saved_loop(tmp_path / "a.checkpoint")
    with pytest.raises(StillproofError, match="part could not be restored from"):
        checkpoint.restore_loop(tmp_path / "a.checkpoint", fresh_parts("all"), {"history": []})
    assert checkpoint.restore_loop(tmp_path / "a.checkpoint", fresh_parts("all"), {"history": []}) == 0


def test_a_damaged_snapshot_is_none(tmp_path: Path) -> None:
    ctx = Context(Seeds(0), scratch=tmp_path, snapshot_steps=frozenset({1, 2}))
    for step in (1, 2):
        ctx.snapshot(step, torch.full((4,), float(step)))
    (file,) = tmp_path.glob("snapshot-1*")
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert ctx.snapshots().keys() == {2}


def test_weights_that_compiled_code_has_laid_out_by_channels_go_on(tmp_path: Path) -> None:
    """A loop lays them out at its first step, which is after a resumed one has put them back."""

    def run(total: int) -> tuple[list[int], nn.Module]:
        body = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4))
        steps = []
        for step in Context(Seeds(0), scratch=tmp_path, checkpoint_seconds=0.0).loop(10, body=body):
            body.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
            nn.init.constant_(body[0].weight, step)  # type: ignore[arg-type]
            steps.append(step)
            if len(steps) == total:
                break
        return steps, body

    first, _ = run(4)
    second, body = run(10)
    assert first == [0, 1, 2, 3] and second == [3, 4, 5, 6, 7, 8, 9], "the step that was broken off is made again"
    assert (body.state_dict()["0.weight"] == 9).all()
