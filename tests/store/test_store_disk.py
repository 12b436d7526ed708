from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PRELUDE = """
import sys
from pathlib import Path
from stillproof.core.errors import StoreError
from stillproof.store.artifacts import Artifacts
from stillproof.store.store import open_store
from stillproof.testing.store_contract import new_cells

folder = Path(sys.argv[1])

def refused(call, words):
    try:
        call()
    except StoreError as error:
        assert words in str(error) and error.exit_code == 4, error
        return
    raise AssertionError("that should have been refused")
"""

FULL_STORE = """
with open_store(str(folder / "x.db")) as store:
    store.results.put(new_cells(10))
    refused(lambda: store.results.put(new_cells(20_000)), "space")
    assert len(store.results.get_many([cell.id for cell in new_cells(20_000)])) == 10
"""

FULL_ARTIFACT = """
import torch
artifacts = Artifacts(folder / "root")
small = artifacts.write("model", {"a": torch.zeros(10)}, {})
refused(lambda: artifacts.write("model", {"a": torch.zeros(1_000_000)}, {}), "no space left")
assert [path.name for path in artifacts.root.iterdir()] == [small[:2]]
assert artifacts.read(small).id == small
"""

READ_ONLY = """
import subprocess
import torch
with open_store(str(folder / "x.db")) as store:
    store.results.put(new_cells(10))
    small = store.artifacts.write("model", {"a": torch.zeros(10)}, {})
subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
refused(lambda: open_store(str(folder / "x.db")).results.put(new_cells(20)), "x.db")
refused(lambda: open_store(str(folder / "new" / "y.db")), "read-only")
artifacts = Artifacts(folder / "x-artifacts")
refused(lambda: artifacts.write("model", {"a": torch.ones(10)}, {}), "read-only")
refused(lambda: artifacts.export(small, folder / "out"), "read-only")
assert artifacts.read(small).id == small
"""


PRIVATE = ["unshare", "--mount", "sh", "-c"]
MOUNT = 'mount -t tmpfs -o size=1m tmpfs "$0"'


def _can_mount(folder: Path) -> bool:
    return (
        bool(shutil.which("unshare")) and subprocess.run([*PRIVATE, MOUNT, folder], capture_output=True).returncode == 0
    )


def _on_a_small_disk(script: str, folder: Path) -> None:
    """Run ``script`` where ``folder`` is a file system of 1 MB that nobody else sees, and that ends with it."""
    _run([*PRIVATE, f'{MOUNT} && exec "$1" -c "$2" "$0"', str(folder), sys.executable, PRELUDE + script])


def _with_little_space(script: str, folder: Path) -> None:
    if _can_mount(folder):
        _on_a_small_disk(script, folder)
    else:  # no file may grow beyond 1 MB, which is the next best
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        _run([sys.executable, "-c", limit + PRELUDE + script, str(folder)])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", [FULL_STORE, FULL_ARTIFACT], ids=["database", "artifact"])
def test_a_full_disk(tmp_path: Path, script: str) -> None:
    _with_little_space(script, tmp_path)


def test_a_read_only_disk(tmp_path: Path) -> None:
    if not _can_mount(tmp_path):
        pytest.skip("mounting a file system is not permitted here")
    _on_a_small_disk(READ_ONLY, tmp_path)
