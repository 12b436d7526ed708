"""The device that somebody asks for."""

from __future__ import annotations

from stillproof.core.errors import BadInput


def checked_device(name: str) -> str:
    """Return the name of a device, if this machine has it.

    Raises:
        BadInput: There is no such device here.
    """
    import torch

    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # what builds without a backend raise
        count = torch.cuda.device_count()
        here = ", ".join(["cpu", *(f"cuda:{number}" for number in range(count))])
        raise BadInput(f"device {name!r} is not there: this machine has {here}.") from error
    return name
