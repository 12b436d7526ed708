"""Who holds a cell: a name for this process that another process can check for life."""

from __future__ import annotations

import os
import platform
import uuid
from pathlib import Path

_PROC = Path("/proc")
_UUID = uuid.uuid4().hex


def this_owner() -> str:
    """Return the name of this process: host, boot, pid namespace, pid and start time where Linux tells them."""
    pid = os.getpid()
    machine = _machine()
    started = _started(pid)
    if machine is None or started is None:
        return f"{platform.node()}/{pid}/{_UUID}"
    return f"{machine}/{pid}/{started}"


def is_dead(owner: str) -> bool:
    """Say whether ``owner`` has surely ended; where that cannot be known from here, it has not."""
    machine, _, process = owner.rpartition("/")
    machine, _, pid = machine.rpartition("/")
    if not machine or machine != _machine() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)  # unlike /proc, this sees the processes of other users everywhere
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # it lives, or its number was given to a process of somebody else
    started = _started(int(pid))
    return started is not None and started != process


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
