"""Compiles a network's function where the work ahead repays it; where compiling fails, runs eager and says so."""

from __future__ import annotations

import logging
from collections.abc import Callable, MutableMapping
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.nets.chunks import most_at_once

log = logging.getLogger("stillproof")

# Compiling takes a second or two for each layer, so some 20 s for ConvNet-3, and 3 s for each process once torch has it
# on disk. It saves about 40 % of the time, at some 80 GFLOP/s for eager code on two cores: that of several trainings,
# usually, since they share it. Counted in work and not measured in seconds, so that the same cell always runs the same
# way. Of the networks of an architecture search, with hundreds of layers, each is trained too briefly to repay it.
WORTHWHILE_FLOPS = 1.5e12  # for a network of at most LAYERS layers; longer ones need more in proportion
LAYERS = 13  # of ConvNet-3
NEWLINE = "\n"


def compiled(
    function: Callable[..., Tensor],
    body: nn.Module,
    *,
    flops: float,
    notes: MutableMapping[str, Any],
    any_number: bool = False,
) -> Callable[..., Tensor]:
    """Return ``function``, compiled if ``flops`` of work lie ahead; ``notes["compiled"]`` tells which.

    With ``any_number`` the same code serves any number of images above 1, a little more slowly; else each number is
    compiled for itself.

    The first argument of ``function`` is images. Compiled code sees them, and the weights of ``body``, with the
    channels last: that is what makes it fast. A failing compiler shows itself at a call; after one more try with an
    empty cache (it gives up on the ninth shape of network in one process), the call is repeated without it.
    """
    worthwhile = WORTHWHILE_FLOPS * max(1.0, _layers(body) / LAYERS)
    notes["compiled"] = flops >= worthwhile and "compile_error" not in notes
    notes["images_at_once"] = most_at_once(body) or "all"
    if not notes["compiled"]:
        return function
    body.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    # In one graph or not at all: otherwise it would go on eager, silently, where it can compile no more.
    fast = torch.compile(function, dynamic=None if any_number else False, fullgraph=True)

    def call(images: Tensor, *rest: Tensor) -> Tensor:
        images = images.contiguous(memory_format=torch.channels_last)
        if any_number:
            torch._dynamo.maybe_mark_dynamic(images, 0)
        if notes["compiled"]:
            try:
                return fast(images, *rest)
            except Exception:  # the compiler has no common base class for its errors
                torch.compiler.reset()
            try:
                return fast(images, *rest)
            except Exception as error:
                reason = f"{type(error).__name__}: {str(error).strip().partition(NEWLINE)[0]}"[:200]
                log.warning("torch.compile failed (%s); going on without it, more slowly.", reason)
                notes.update(compiled=False, compile_error=reason)
        return function(images, *rest)

    return call


def _layers(body: nn.Module) -> int:
    return sum(next(module.children(), None) is None for module in body.modules())
