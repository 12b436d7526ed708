"""Starts the workers of a forked command as forks too: real processes, which get all they know as a new one would."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from multiprocessing import util
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
LARGEST = 1 << 20  # bytes of a message
MOST = 64  # handles that a worker may be given
ABOVE = 1000  # all handles of a process that may be in the way are below
WORKER = "--multiprocessing-fork"  # by which multiprocessing knows the workers among what it starts


def start_workers_from_here() -> None:
    """Let this process start its workers from what it is now: with torch loaded, and nothing done yet.

    A process that stays as this one is now forks them. What they are to do comes through multiprocessing's own pipes,
    pickled as for a new interpreter, and they are children of this process, in its group.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans below come to this process
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        ours.close()
        _nurse(theirs)
    theirs.close()
    spawn = util.spawnv_passfds

    def start(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        if WORKER not in args:
            return spawn(path, args, passfds)
        mask = [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])]
        code = args[args.index("-c") + 1]
        wanted = {"code": code, "handles": list(passfds), "mask": mask, "env": dict(os.environ)}
        socket.send_fds(ours, [json.dumps(wanted).encode()], list(passfds))
        return int(ours.recv(MOST))

    util.spawnv_passfds = start


def _nurse(theirs: socket.socket) -> None:
    """Fork a worker at every request, until the process that asks is gone."""
    int_handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, handles, _, _ = socket.recv_fds(theirs, LARGEST, MOST)
        if not message:
            os._exit(0)
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:
            worker = os.fork()
            if worker == 0:
                signal.signal(signal.SIGINT, int_handler)
                _become_worker(json.loads(message), handles)
            os.write(writing, str(worker).encode())
            os._exit(0)
        os.waitpid(between, 0)  # now the worker is a child of the process that asks
        theirs.send(os.read(reading, MOST))
        for handle in (reading, writing, *handles):
            os.close(handle)


def _become_worker(wanted: dict[str, Any], handles: Sequence[int]) -> None:
    """Be what multiprocessing would have made of a new interpreter."""
    code = 1
    try:
        for place, handle in enumerate(handles):
            os.dup2(handle, ABOVE + place)
        os.closerange(3, ABOVE)
        for place, number in enumerate(wanted["handles"]):
            os.dup2(ABOVE + place, number)
            os.close(ABOVE + place)
        os.environ.clear()
        os.environ.update(wanted["env"])
        sys.argv = ["-c", WORKER]
        signal.pthread_sigmask(signal.SIG_SETMASK, wanted["mask"])
        exec(wanted["code"], {"__name__": "worker"})
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
