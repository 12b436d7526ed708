"""Who holds a cell: a name for each worker of this process, whose life another process can check."""

from __future__ import annotations

import itertools
import os
import platform
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

LONGEST_PID = 9  # digits; what is longer is none

_PROC = Path("/proc")
_UUID = uuid.uuid4().hex
_numbers = itertools.count(1)
_at_work: set[str] = set()  # the workers of this process

Life = Literal["alive", "dead", "unknown"]


def this_owner() -> str:
    """Return the name of this process: host, boot, pid namespace, pid and start time where Linux tells them."""
    pid = os.getpid()
    machine = _machine()
    started = _started(pid)
    if machine is None or started is None:
        return f"{platform.node()}/{pid}/{_UUID}"
    return f"{machine}/{pid}/{started}"


@contextmanager
def worker_name() -> Iterator[str]:
    """Yield the name of one worker of this process, who is dead to the others when it ends, though the process lives.

    A claim that it could not give back, as on a full disk, would otherwise be held for as long as a notebook is open.
    """
    name = f"{this_owner()}+{next(_numbers)}"
    _at_work.add(name)
    try:
        yield name
    finally:
        _at_work.discard(name)


def life_of(owner: str) -> Life:
    """Say whether ``owner`` surely lives or has surely ended, as far as it can be known from here."""
    process, _, number = owner.partition("+")
    if number and process == this_owner():
        return "alive" if owner in _at_work else "dead"
    machine, _, started_then = process.rpartition("/")
    machine, _, pid = machine.rpartition("/")
    if not machine or machine != _machine() or not pid.isdecimal() or len(pid) > LONGEST_PID:
        return "unknown"
    try:
        os.kill(int(pid), 0)  # unlike /proc, this sees the processes of other users everywhere
    except ProcessLookupError:
        return "dead"
    except PermissionError:
        pass  # it lives, or its number was given to a process of somebody else
    started = _started(int(pid))
    if started is None:
        return "unknown"
    return "alive" if started == started_then else "dead"


def described(owner: str) -> str:
    """Return which process, and where, a name is of, in words."""
    parts = owner.split("/")  # host first, then perhaps more, pid, and what tells pids apart
    return f"process {''.join(parts[-2:-1]) or '?'} on {parts[0]}"


def _machine() -> str | None:
    """Return host, boot and pid namespace: processes with the same three see the same pids."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = (_PROC / "self/ns/pid").readlink()
    except OSError:
        return None
    return f"{platform.node()}/{boot}/{namespace}"


def _started(pid: int) -> str | None:
    """Return when the process started, in clock ticks since boot, "ended" for one that waits to be collected."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    state, threads, started = fields[0], fields[17], fields[19]
    return "ended" if state in "ZX" and int(threads) <= 1 else started
