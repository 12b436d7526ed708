"""The model under attack: chunks, compiling, random answers, and what becomes of it."""

from __future__ import annotations

from functools import partial

import pytest
import torch
import torch._dynamo.testing
from attack_setups import HALF, attacked, images, trained
from torch import Tensor, nn

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.base.victim import Victim
from stillproof.attack.pgd import PGD
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.nets import chunks
from stillproof.nets import compiled as compiling


def test_a_model_that_answers_at_random_gives_the_same_bytes_for_the_same_seed() -> None:
    steady = trained()

    class Noisy(nn.Module):
        def forward(self, pixels: Tensor) -> Tensor:
            logits: Tensor = steady(pixels + 0.05 * torch.randn_like(pixels))
            return logits

    pixels, labels = images(20)
    before = torch.get_rng_state()
    made = [
        run_attack(
            PGD(eps=0.02, steps=2), Noisy(), pixels, labels, ctx=Context(Seeds(0)), rules=Rules(keep_images=True)
        )
        for _ in range(2)
    ]
    assert torch.equal(torch.get_rng_state(), before)
    first, second = (one.images for one in made)
    assert first is not None and second is not None and torch.equal(first, second)


def test_a_module_of_any_kind_goes_through_in_chunks_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Plain(nn.Sequential):
        def forward(self, pixels: Tensor) -> Tensor:
            sizes.append(len(pixels))
            logits: Tensor = super().forward(pixels)  # type: ignore[no-untyped-call]
            return logits

    torch.manual_seed(0)
    plain = Plain(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 256, 10))
    monkeypatch.setattr(chunks, "WORKING_SET", 4 * 4 * 256 * 12)  # twelve images
    Victim(plain).logits(images(40)[0])
    assert sizes == [8, 12, 12, 8]
    plain.append(nn.BatchNorm1d(10))
    sizes.clear()
    Victim(plain.train()).logits(images(40)[0])
    assert sizes == [8, 32], "a batch norm in training mode sees the rest at once"


def test_chunks_of_any_size_are_compiled_where_that_repays(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_sizes: list[int] = []

    def fake(function, **options):  # type: ignore[no-untyped-def]
        assert options["dynamic"] is None, "or each number of images would be compiled"

        def call(pixels: Tensor) -> Tensor:
            compiled_sizes.append(len(pixels))
            assert pixels.requires_grad, "one mode for all, or each would be compiled"
            logits: Tensor = function(pixels)
            return logits

        return call

    plain = attacked(f"pgd:eps={HALF}", 50)
    monkeypatch.setattr(torch, "compile", fake)
    monkeypatch.setattr(compiling, "WORTH_COMPILING", 0)
    monkeypatch.setattr(chunks, "WORKING_SET", 4 * 16 * 256 * 12)
    made = attacked(f"pgd:eps={HALF}", 50)
    assert max(compiled_sizes) == 12 and len(set(compiled_sizes)) > 3 and 1 not in compiled_sizes
    assert torch.equal(made.fooled, plain.fooled)


def test_one_code_serves_any_number_of_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "WORTH_COMPILING", 0)
    counted = torch._dynamo.testing.CompileCounter()
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=counted))
    victim = Victim(trained(), passes=1)
    plain = Victim(trained())
    for count in (20, 13, 2, 1, 7):
        pixels = images(count)[0]
        assert torch.allclose(victim.logits(pixels), plain.logits(pixels), atol=1e-4)
    assert counted.frame_count == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"pgd:eps={HALF}", "deepfool", "cw:steps=10:lr=0.05"])
def test_compiled_attacks_find_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = attacked(name, 50)
    monkeypatch.setattr(compiling, "WORTH_COMPILING", 0)
    monkeypatch.setattr(chunks, "WORKING_SET", 4 * 16 * 256 * 12)
    pixels, labels = images(50)
    ctx = Context(Seeds(0))
    made = run_attack(attack_of(name), trained(), pixels, labels, ctx=ctx)
    assert ctx.notes["compiled"] is True and "compile_error" not in ctx.notes
    assert torch.equal(made.fooled, plain.fooled)
    assert torch.allclose(made.l2[made.fooled], plain.l2[made.fooled], rtol=0.02)
