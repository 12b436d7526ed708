"""Reads Matlab files by a process of its own: one flipped bit can make the parser crash, or fill all memory."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.file_limits import memory_limit, time_limit, too_much
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import open_regular

CHILD = Path(__file__).with_name("mat_child.py")
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}  # each thread of it takes memory, and none is wanted


def read_mat(path: Path, *names: str) -> list[NDArray[Any]]:
    """Return arrays of a Matlab file by their names.

    Raises:
        BadInput: It is broken, lacks one of them, or takes more memory or time than a file of its size may.
    """
    try:
        with open_regular(path) as file, tempfile.TemporaryFile() as out:
            size = os.fstat(file.fileno()).st_size
            limits = str(memory_limit(size)), str(math.ceil(time_limit(size)))
            # -P: nothing that lies beside the script, or in the working folder, may be taken for a module.
            command = [sys.executable, "-P", str(CHILD), *limits, *names]
            env = os.environ | ENVIRONMENT
            done = subprocess.run(command, stdin=file, stdout=out, stderr=subprocess.PIPE, env=env, check=False)
            if done.returncode == -signal.SIGXCPU:
                raise BadInput(f"{path} {too_much(size)}")
            if done.returncode:
                raise BadInput(f"{path} cannot be read as a Matlab file with {' and '.join(names)}: {_why(done)}.")
            out.seek(0)
            return [np.lib.format.read_array(out, allow_pickle=False) for _ in names]
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as a Matlab file: {plain_reason(error)}.") from error


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode < 0:
        number = -done.returncode
        known = number in set(signal.Signals)
        return f"its parser crashed ({signal.Signals(number).name if known else number}), so it is damaged"
    said = done.stderr.decode("utf-8", "replace").splitlines()
    return said[-1].rstrip(".") if said else "it is damaged"
