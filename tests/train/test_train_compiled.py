from __future__ import annotations

import getpass
import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from benchmarks.families import FAMILIES
from torch import Tensor
from train_setups import equal_weights, make_model, train

from fresh_python import run_python
from stillproof.core.components import networks
from stillproof.core.repetitions import repeated
from stillproof.nets import compiled as module
from stillproof.nets.compiled import compiled
from stillproof.train.recipe import Recipe

NETWORK = "convnet-1:width=4"
TWO_STEPS = Recipe(epochs=2, batch=36, lr=0.1)


def broken_compiler(function: Callable[..., Tensor], **options: Any) -> Callable[..., Tensor]:
    def call(*arguments: Tensor) -> Tensor:
        raise RuntimeError("no g++ here\nand much more that nobody reads")

    return call


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_COMPILING", 0)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)


def way(flops: float, images: int = 2, times: float = 1.0) -> bool:
    """Whether work of so many operations is compiled, done so often."""
    body, notes = make_model("convnet-2:width=4").body, dict[str, Any]()
    with repeated(times):
        compiled(body.features, body, flops=flops, notes=notes)(torch.rand(images, 1, 8, 8))
    found: bool = notes["compiled"]
    return found


@pytest.mark.usefixtures("own_cache")
def test_little_work_is_not_compiled() -> None:
    body, notes = make_model(NETWORK).body, dict[str, Any]()
    assert compiled(body.features, body, flops=module.WORTH_LOADING * 0.99, notes=notes) == body.features
    assert notes["compiled"] is False
    assert not way(module.WORTH_COMPILING * 0.99), "for the first time, that would cost more than it saves"
    assert way(module.WORTH_COMPILING)


@pytest.mark.usefixtures("own_cache")
def test_what_is_on_disk_is_worth_less_work() -> None:
    assert way(module.WORTH_COMPILING)
    assert way(module.WORTH_LOADING) and not way(module.WORTH_LOADING * 0.99)
    assert not way(module.WORTH_LOADING, images=3), "each number of images is compiled for itself"


@pytest.mark.usefixtures("own_cache")
def test_where_torch_keeps_nothing_nothing_is_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    assert way(module.WORTH_COMPILING) and way(module.WORTH_LOADING)
    monkeypatch.setenv("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1")
    assert not way(module.WORTH_LOADING)


def nameless() -> str:
    raise KeyError("getpwuid(): uid not found: 12345")


def test_a_user_without_a_name_has_a_folder_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(getpass, "getuser", nameless)
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    assert not way(module.WORTH_LOADING)
    assert way(module.WORTH_COMPILING) and way(module.WORTH_LOADING)


@pytest.mark.usefixtures("own_cache")
def test_what_a_run_still_does_of_the_kind_counts() -> None:
    assert not way(module.WORTH_COMPILING / 10, times=9)
    assert way(module.WORTH_COMPILING / 10, times=10)


def test_a_network_of_more_layers_needs_more_work() -> None:
    body, notes = make_model("convnet-6:width=4:pooling=none").body, dict[str, Any]()  # 25 layers
    compiled(body.features, body, flops=1.9 * module.WORTH_COMPILING, notes=notes)
    assert notes["compiled"] is False
    compiled(body.features, body, flops=2 * module.WORTH_COMPILING, notes=notes)
    assert notes["compiled"] is True


def test_much_work_is_compiled_with_the_channels_last(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Tensor] = []

    def features(images: Tensor) -> Tensor:
        seen.append(images)
        return body.features(images)

    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    body, notes = make_model("convnet-2:width=4").body, dict[str, Any]()
    images = torch.rand(2, 1, 8, 8)
    expected = body.features(images)
    found = compiled(features, body, flops=module.WORTH_COMPILING, notes=notes)(images)
    torch.testing.assert_close(found, expected)
    assert notes["compiled"] is True
    assert seen[0].is_contiguous(memory_format=torch.channels_last)
    weight = next(p for p in body.parameters() if p.ndim == 4 and p.shape[1] > 1)
    assert weight.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.usefixtures("always")
def test_without_a_compiler_it_goes_on_says_so_and_records_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    expected = train(TWO_STEPS, network=NETWORK)
    monkeypatch.setattr(torch, "compile", broken_compiler)
    with caplog.at_level(logging.WARNING, logger="stillproof"):
        found = train(TWO_STEPS, network=NETWORK)
    assert found.ctx.notes["compiled"] is False
    assert found.ctx.notes["compile_error"] == "RuntimeError: no g++ here"
    assert [record.getMessage() for record in caplog.records] == [
        "torch.compile failed (RuntimeError: no g++ here); continuing without it, more slowly."
    ]
    assert equal_weights(found.weights, expected.weights)


@pytest.mark.usefixtures("always")
def test_an_error_of_the_function_itself_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    body = make_model(NETWORK).body
    call = compiled(body.features, body, flops=1, notes={})
    with pytest.raises(RuntimeError, match="channels"):
        call(torch.rand(2, 3, 8, 8))


@pytest.mark.usefixtures("always")
@pytest.mark.skipif(shutil.which(os.environ.get("CXX", "g++")) is None, reason="needs a C++ compiler")
def test_a_compiled_step_is_the_eager_one_but_for_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = train(TWO_STEPS, network=NETWORK)
    assert fast.ctx.notes["compiled"] is True
    monkeypatch.setattr(module, "WORTH_COMPILING", float("inf"))
    plain = train(TWO_STEPS, network=NETWORK)
    assert plain.ctx.notes["compiled"] is False
    for name, weights in plain.weights.items():
        torch.testing.assert_close(fast.weights[name], weights, rtol=1e-4, atol=1e-5)


def test_every_family_of_networks_is_measured_before_it_is_compiled() -> None:
    ours = {entry.family for entry in networks.entries().values() if entry.origin == "stillproof"}
    assert sorted(networks.entry(name).family for name in FAMILIES) == sorted(ours)


@pytest.mark.slow
def test_a_machine_without_a_compiler_trains_all_the_same(tmp_path: Path) -> None:
    code = f"""
import logging, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
logging.basicConfig(stream=sys.stdout, format="%(message)s")
from stillproof.nets import compiled
from train_setups import train
from stillproof.train.recipe import Recipe
compiled.WORTH_COMPILING = 0
fitted = train(Recipe(epochs=2, batch=36, lr=0.1), network={NETWORK!r})
assert fitted.ctx.notes["compiled"] is False
assert fitted.ctx.notes["compile_error"], fitted.ctx.notes
assert len(fitted.curve.losses) == 2
"""
    printed = run_python(code, CXX="/nonexistent/c++", TORCHINDUCTOR_CACHE_DIR=str(tmp_path))
    assert printed.count("torch.compile failed") == 1
