"""A device that is not there: it computes on the CPU, and refuses what a GPU refuses: tensors of two devices."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map_only

from stillproof.testing.checks import Broken

# Torch lets a tensor say that it is here without a backend, and derives gradients in the calling thread.
FAKE = "meta"
ATEN = torch.ops.aten
COPIES = {ATEN._to_copy, ATEN.copy_, ATEN.copy}  # from one device to another
# Indexing: where to look may be said on the CPU.
PLACES = {ATEN.index, ATEN.index_put, ATEN.index_put_, ATEN._index_put_impl_, ATEN._unsafe_index}
# Zeros that take no memory: only torch itself can compute with them.
NO_ZEROS, REAL_ZEROS = ATEN._efficientzerotensor.default, ATEN.zeros.default


class OnFake(torch.Tensor):
    """A tensor of the fake device.

    Args:
        held: Its values, on the CPU.
    """

    held: Tensor
    is_meta = False  # or torch would warn that nothing can be copied to it

    @staticmethod
    def __new__(cls, held: Tensor) -> OnFake:
        """Return a tensor that says that it is on the device."""
        made: OnFake = torch.Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device(FAKE),
        )
        made.held = held
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Compute on the CPU."""
        return _computed(function, args, kwargs or {})


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Computes every operation, also those that no tensor of the device takes part in."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _computed(function, args, kwargs or {})


class _Calls(TorchFunctionMode):
    """Takes the calls that torch answers without an operation."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function in (torch.tensor, torch.as_tensor) and kwargs.get("device") is not None:
            device = kwargs.pop("device")
            return function(*args, **kwargs).to(device)
        if function is Tensor.tolist:
            return args[0].cpu().tolist()
        return function(*args, **kwargs)


@contextlib.contextmanager
def fake_device() -> Iterator[None]:
    """Run a block in which the device ``FAKE`` computes, and refuses tensors of another."""
    with warnings.catch_warnings(), _Calls(), _Operations():  # type: ignore[no-untyped-call]
        # Where torch has no forward derivative of its own for tensors like these, it compiles one.
        warnings.filterwarnings("ignore", message="`torch.jit.script` is deprecated", category=DeprecationWarning)
        yield


def _computed(function: Any, args: Any, kwargs: Any) -> Any:
    """Return the result of an operation: on the device if that is asked for, or if what it is made of is there."""
    function = REAL_ZEROS if function is NO_ZEROS else function
    given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
    asked = kwargs.get("device")
    if asked is not None:
        on_fake = torch.device(asked).type == FAKE
        kwargs = {**kwargs, "device": "cpu"} if on_fake else kwargs
    elif function.overloadpacket in COPIES:
        on_fake = isinstance(args[0], OnFake)  # what is copied to stays where it is
    else:
        on_fake = any(isinstance(one, OnFake) for one in given)
        _refuse_two_devices(function, args, given)
    if on_fake and kwargs.get("generator") is not None:
        raise Broken(f"{function} draws on the device by a generator of the CPU: draw there, then move the result")
    if not any(isinstance(one, OnFake) for one in given):
        found = function(*args, **kwargs)
    else:
        inner, named = tree_map_only(OnFake, lambda one: one.held, (args, kwargs))
        found = function(*inner, **named)
    if not on_fake:
        return found
    made = OnFake(found) if isinstance(found, Tensor) else tree_map_only(Tensor, OnFake, found)
    if not _aliases(function):
        return made
    return return_and_correct_aliasing(function, args, kwargs, made)  # type: ignore[no-untyped-call]


def _refuse_two_devices(function: Any, args: Sequence[Any], given: Sequence[Tensor]) -> None:
    """Refuse what a GPU refuses; single numbers may come from the CPU."""
    if function.overloadpacket in PLACES and isinstance(args[0], OnFake):
        given = [one for one in tree_leaves(args[2:]) if isinstance(one, Tensor)] + [args[0]]
    here = [one for one in given if isinstance(one, OnFake)]
    elsewhere = [one for one in given if not isinstance(one, OnFake) and one.ndim]
    if here and elsewhere:
        shapes = f"{tuple(here[0].shape)} on ctx.device and {tuple(elsewhere[0].shape)} on the CPU"
        raise Broken(f"{function.overloadpacket} is given tensors of two devices, {shapes}")


@cache
def _aliases(function: Any) -> bool:
    """Say whether an operation gives back, or a view of, what it is given."""
    return any(value.alias_info is not None for value in function._schema.returns)
