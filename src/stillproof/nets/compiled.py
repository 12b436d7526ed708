"""Compiles a network's function where the work ahead repays it; where compiling fails, runs eager and says so."""

from __future__ import annotations

import logging
from collections.abc import Callable, MutableMapping
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.repetitions import repetitions
from stillproof.nets.chunks import is_best_as_it_is, most_at_once
from stillproof.nets.code_on_disk import is_on_disk, note_on_disk

log = logging.getLogger("stillproof")

# Compiling takes a second or two for each layer, so some 20 s for ConvNet-3, and 3 s for each process once torch has it
# on disk. It saves 10 to 40 % of the time, depending on the processor, at some 80 GFLOP/s for eager code on two cores.
# Below the first number loading may cost more than it saves, below the second compiling may. Counted in work and not
# measured in seconds, so that only what a run has to do and what is on disk decide. Of the networks of an architecture
# search, with hundreds of layers, each is trained too briefly to repay it.
WORTH_LOADING = 1.5e12  # operations, for a network of at most LAYERS layers; longer ones need more in proportion
WORTH_COMPILING = 18e12
LAYERS = 13  # of ConvNet-3
NEWLINE = "\n"


def compiled(
    function: Callable[..., Tensor],
    body: nn.Module,
    *,
    flops: float,
    notes: MutableMapping[str, Any],
    like: Tensor | None = None,
) -> Callable[..., Tensor]:
    """Return ``function``, compiled if enough work lies ahead; after a call, ``notes["compiled"]`` tells whether.

    That is ``flops``, as often as the run still does the like of it. Less is enough where the code is on disk. Each
    number of images is compiled for itself, unless there are images ``like`` those that will come: then the same code
    serves any number above 1, a little more slowly, and the decision is made at once.

    The first argument of ``function`` is images. Compiled code sees them, and the weights of ``body``, with the
    channels last: that is what makes it fast. A failing compiler shows itself at a call; after one more try with an
    empty cache (it gives up on the ninth shape of network in one process), the call is repeated without it.
    """
    work = flops * repetitions() / max(1.0, _layers(body) / LAYERS)
    worth_compiling = work >= WORTH_COMPILING
    notes["images_at_once"] = most_at_once(body) or "all"
    notes.setdefault("compiled", False)
    if "compile_error" in notes or not (worth_compiling or work >= WORTH_LOADING):
        return function
    if is_best_as_it_is(body) and next(body.parameters()).device.type == "cpu":
        return function
    if like is not None and not worth_compiling:
        with torch.enable_grad():  # as it will be called
            if not is_on_disk(function, body, tuple(like.shape[1:])):
                return function
    notes["compiled"] |= worth_compiling or like is not None
    return _Compiled(function, body, notes, sure=worth_compiling, any_number=like is not None)


class _Compiled:
    """A function that is compiled when it is first called, unless that does not repay by then."""

    def __init__(
        self,
        function: Callable[..., Tensor],
        body: nn.Module,
        notes: MutableMapping[str, Any],
        *,
        sure: bool,
        any_number: bool,
    ) -> None:
        self.function, self.body, self.notes = function, body, notes
        self.sure, self.any_number = sure, any_number
        self.fast: Callable[..., Tensor] | None = None
        self.undecided = True
        self.noted: set[tuple[int, ...]] = set()  # shapes that are on disk by now

    def __call__(self, images: Tensor, *rest: Tensor) -> Tensor:
        """Return what the function gives."""
        if self.undecided:
            self._begin(images)
        if self.fast is None or "compile_error" in self.notes:
            return self.function(images, *rest)
        images = images.contiguous(memory_format=torch.channels_last)
        if self.any_number:
            torch._dynamo.maybe_mark_dynamic(images, 0)
        try:
            return self._asked(images, *rest)
        except Exception:  # the compiler has no common base class for its errors
            torch.compiler.reset()
        try:
            return self._asked(images, *rest)
        except Exception as error:
            reason = f"{type(error).__name__}: {str(error).strip().partition(NEWLINE)[0]}"[:200]
            log.warning("torch.compile failed (%s); continuing without it, more slowly.", reason)
            self.notes.update(compiled=False, compile_error=reason)
        return self.function(images, *rest)

    def _begin(self, images: Tensor) -> None:
        """Decide: enough work for compiling, or for loading what is on disk for images of this shape."""
        self.undecided = False
        if not (self.sure or is_on_disk(self.function, self.body, self._shape(images))):
            return
        self.notes["compiled"] = True
        self.body.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        # In one graph or not at all: otherwise it would go on eager, silently, where it can compile no more.
        self.fast = torch.compile(self.function, dynamic=None if self.any_number else False, fullgraph=True)

    def _asked(self, images: Tensor, *rest: Tensor) -> Tensor:
        assert self.fast is not None
        found = self.fast(images, *rest)
        if (shape := self._shape(images)) not in self.noted:
            note_on_disk(self.function, self.body, shape)
            self.noted.add(shape)
        return found

    def _shape(self, images: Tensor) -> tuple[int, ...]:
        return tuple(images.shape)[1 if self.any_number else 0 :]


def _layers(body: nn.Module) -> int:
    return sum(next(module.children(), None) is None for module in body.modules())
