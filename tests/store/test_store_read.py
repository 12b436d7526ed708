from __future__ import annotations

import logging
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import torch
from work_done import downgrade

from damaged_files import damaged_files
from stillproof.core.errors import BadInput, OnlyRead, StoreError
from stillproof.store import migrate
from stillproof.store.backup import back_up
from stillproof.store.read_store import read_store
from stillproof.store.store import open_store
from stillproof.store.upgrade import upgrade_store
from stillproof.testing.store_contract import fill, new_cells

READ = """
import os, sys
from pathlib import Path
from stillproof.core.errors import OnlyRead
from stillproof.store.read_store import read_store
from stillproof.testing.store_contract import fill, new_cells

file, count = Path(sys.argv[1]), int(sys.argv[2])
before = sorted((path.name, path.read_bytes()) for path in file.parent.glob("x.db*") if not path.name.endswith("-shm"))
with read_store(str(file)) as store:
    assert len(store.results.statuses([cell.id for cell in new_cells(9)])) == count
    assert [len(store.artifacts.read(path.name).tensors) for path in store.artifacts.root.glob("??/*")] == [1]
    try:
        fill(store, 9)
    except OnlyRead:
        pass
    else:
        sys.exit("it was written to")
after = sorted((path.name, path.read_bytes()) for path in file.parent.glob("x.db*") if not path.name.endswith("-shm"))
assert before == after
"""
DIES = """
import os, signal, sys
from stillproof.store.store import open_store
from stillproof.testing.store_contract import fill

with open_store(sys.argv[1]) as store:
    fill(store, 5)
    os.kill(os.getpid(), signal.SIGKILL)
"""
READ_ONLY_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a store, with cells and an artifact, in a folder of its own."""
    file = tmp_path / "disk" / "x.db"
    with open_store(str(file)) as store:
        fill(store, 3)
        store.keep("model", {"weights": torch.ones(3)}, {})
    return file


def _on_read_only_disk(file: Path, count: int) -> None:
    shell = ["unshare", "--mount", "sh", "-c"]
    if subprocess.run([*shell, READ_ONLY_MOUNT, str(file.parent), "true"], capture_output=True).returncode:
        pytest.skip("mounting a file system is not permitted here")
    command = [*shell, READ_ONLY_MOUNT, str(file.parent), sys.executable, "-c", READ, str(file), str(count)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _kill_a_writer(file: Path) -> None:
    assert subprocess.run([sys.executable, "-c", DIES, str(file)]).returncode == -signal.SIGKILL
    assert file.with_name("x.db-wal").stat().st_size > 0


def test_a_store_on_a_read_only_disk_is_read(file: Path) -> None:
    assert [path.name for path in file.parent.glob("x.db*")] == ["x.db"]
    _on_read_only_disk(file, 3)


@pytest.mark.parametrize("shared_memory", [True, False])
def test_what_a_killed_writer_left_in_the_log_is_read_on_a_read_only_disk(file: Path, shared_memory: bool) -> None:
    _kill_a_writer(file)
    if not shared_memory:
        file.with_name("x.db-shm").unlink()
    _on_read_only_disk(file, 5)


def test_a_store_of_an_older_schema_is_read_on_a_read_only_disk(file: Path) -> None:
    downgrade(file, "0003")
    _on_read_only_disk(file, 3)


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("runuser"), reason="only root can be another user")
@pytest.mark.parametrize("log", [False, True])
def test_a_store_of_another_user_is_read(file: Path, tmp_path: Path, log: bool) -> None:
    if log:
        _kill_a_writer(file)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    code = "import stillproof, sys; from pathlib import Path; Path(sys.argv[1]).stat()"
    as_nobody = ["runuser", "-u", "nobody", "--", sys.executable, "-c"]
    if subprocess.run([*as_nobody, code, str(file)], capture_output=True).returncode:
        pytest.skip("another user cannot run this Python, or see this folder")
    done = subprocess.run([*as_nobody, READ, str(file), "5" if log else "3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("chattr"), reason="only root makes files immutable")
def test_a_file_that_nobody_may_change_is_read(file: Path) -> None:
    if subprocess.run(["chattr", "+i", str(file)], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files")
    try:
        done = subprocess.run([sys.executable, "-c", READ, str(file), "3"], capture_output=True, text=True)
    finally:
        subprocess.run(["chattr", "-i", str(file)], check=True)
    assert done.returncode == 0, done.stderr


def test_reading_leaves_no_trace_and_goes_on_beside_a_writer(file: Path) -> None:
    before = file.read_bytes()
    with read_store(str(file)) as store, pytest.raises(OnlyRead):
        fill(store, 9)
    assert file.read_bytes() == before and [path.name for path in file.parent.glob("x.db*")] == ["x.db"]
    with open_store(str(file)) as writer:
        fill(writer, 6)
        with read_store(str(file)) as store:
            ids = [cell.id for cell in new_cells(7)]
            assert len(store.results.statuses(ids)) == 6
            fill(writer, 7)
            assert len(store.results.statuses(ids)) == 7


def test_an_older_schema_is_read_from_a_copy_that_goes(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="stillproof")
    downgrade(file, "0003")
    before = file.read_bytes()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with read_store(str(file)) as store:
        assert len(store.results.runs()) == 0 and store.shown == str(file)
        assert len(list(tmp_path.glob("stillproof-*"))) == 1
        with pytest.raises(OnlyRead):
            fill(store, 9)
    assert list(tmp_path.glob("stillproof-*")) == [] and file.read_bytes() == before
    assert f"store {file} has schema 0003, and {migrate.HEAD}" in caplog.text and "db upgrade" in caplog.text


@pytest.mark.parametrize("reads", [lambda file: read_store(str(file)), lambda file: upgrade_store(str(file))])
def test_stores_that_cannot_be_read(file: Path, reads: object) -> None:
    assert callable(reads)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer version"):
        reads(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE alembic_version")
    with pytest.raises(StoreError, match="something else"):
        reads(file)
    with pytest.raises(StoreError, match="there is no store"):
        reads(file.parent / "none.db")


def test_an_upgrade_keeps_what_was(file: Path) -> None:
    nothing = upgrade_store(str(file))
    assert (nothing.before, nothing.after, nothing.backup) == (migrate.HEAD, migrate.HEAD, None)
    for name in ("x-schema-0003.db", "x-schema-0003-2.db"):
        downgrade(file, "0003")
        done = upgrade_store(str(file))
        assert (done.before, done.after, done.backup) == ("0003", migrate.HEAD, file.with_name(name))
        with closing(sqlite3.connect(file.with_name(name))) as connection:
            assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0003",)
            assert connection.execute("SELECT count(*) FROM cells").fetchone() == (3,)
    with open_store(str(file)) as store:
        assert len(store.results.statuses([cell.id for cell in new_cells(9)])) == 3


def test_a_backup_while_others_write_is_whole(file: Path, tmp_path: Path) -> None:
    stop, ids = threading.Event(), [cell.id for cell in new_cells(4000)]

    def write() -> None:
        with open_store(str(file)) as store:
            count = 100
            while not stop.is_set() and count < len(ids):
                fill(store, count)
                count += 20

    thread = threading.Thread(target=write)
    thread.start()
    try:
        sizes = []
        for number in range(5):
            copy = tmp_path / f"copy-{number}.db"
            assert back_up(str(file), copy) == file
            with read_store(str(copy), artifacts=tmp_path) as store:
                sizes.append(len(store.results.statuses(ids)))
    finally:
        stop.set()
        thread.join()
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] and all(size == 3 or size % 20 == 0 for size in sizes)
    assert sorted(path.name for path in tmp_path.glob("*copy*")) == [f"copy-{number}.db" for number in range(5)]


def test_a_backup_takes_nobody_s_place_and_leaves_nothing_of_a_failure(file: Path, tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("mine")
    with pytest.raises(BadInput, match="exists already"):
        back_up(str(file), tmp_path / "there.db")
    with pytest.raises(BadInput, match="no SQLite file"):
        back_up("postgresql://u:secret@host/x", tmp_path / "new.db")
    with pytest.raises(StoreError, match="there is no store"):
        back_up(str(tmp_path / "none.db"), tmp_path / "new.db")
    with pytest.raises(StoreError, match="cannot be used"):
        back_up(str(file), tmp_path / "no" / "folder" / "new.db")
    content = file.read_bytes()
    file.write_bytes(content[:8192] + bytes(len(content) - 8192))
    with pytest.raises(StoreError, match="is corrupt"):
        back_up(str(file), tmp_path / "new.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "there.db"]
    assert (tmp_path / "there.db").read_text() == "mine"


def test_a_damaged_file_is_a_sentence_or_reads_as_if_it_were_whole(file: Path) -> None:
    ids = [cell.id for cell in new_cells(9)]
    with read_store(str(file)) as store:
        whole = store.results.statuses(ids)
    content, refused, count = file.read_bytes(), 0, 0
    for what, damaged in damaged_files(content):
        count += 1
        file.write_bytes(damaged)
        try:
            with read_store(str(file)) as store:
                assert store.results.statuses(ids) == whole or "bytes flipped" in what, what
        except StoreError as error:
            refused += 1
            assert error.exit_code == 4 and str(error).isprintable(), what
        assert file.read_bytes() == damaged, what
        for left in file.parent.glob("x.db-*"):
            left.unlink()
    assert count > 60 and refused > count / 2
