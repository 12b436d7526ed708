"""Fresh interpreters for tests of what is imported, and of what reaches another process."""

from __future__ import annotations

import os
import subprocess
import sys


def run_python(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter and return what it printed; a traceback there is a failure here."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
