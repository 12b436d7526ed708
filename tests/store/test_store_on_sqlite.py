from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
import torch
from sqlalchemy import Engine, event, text

from stillproof.core.errors import BadInput, StoreError
from stillproof.store import sqlite
from stillproof.store.database import Database
from stillproof.store.location import artifacts_root, locate, shown
from stillproof.store.owner import this_owner
from stillproof.store.store import open_store
from stillproof.testing.store_contract import StoreContract, fill, fork_context, new_cells


class TestSqliteStore(StoreContract):
    def fresh_url(self, folder: Path) -> str:
        return f"sqlite:///{folder}/x.db"


def test_the_url_may_be_a_path_or_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STILLPROOF_STORE", raising=False)
    monkeypatch.delenv("STILLPROOF_ARTIFACTS", raising=False)
    assert shown(locate(None)) == str(tmp_path / "stillproof.db")
    monkeypatch.setenv("STILLPROOF_STORE", "sqlite:///sub/y.db")
    assert shown(locate(None)) == str(tmp_path / "sub/y.db")
    assert shown(locate("x.db")) == str(tmp_path / "x.db")
    assert artifacts_root(locate("x.db")) == tmp_path / "x-artifacts"


def test_the_folder_of_artifacts_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STILLPROOF_ARTIFACTS", "elsewhere")
    assert artifacts_root(locate("postgresql://u:secret@host/x")) == tmp_path / "elsewhere"
    with open_store("x.db") as store:
        assert store.artifacts.root == tmp_path / "elsewhere"
    with open_store("x.db", artifacts=tmp_path / "named") as store:
        assert store.artifacts.root == tmp_path / "named"


def test_urls_that_cannot_be_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STILLPROOF_ARTIFACTS", raising=False)
    for url in ("sqlite://", "sqlite:///:memory:", "mysql://u:secret@host/x", "://"):
        with pytest.raises(BadInput) as caught:
            open_store(url)
        assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match="name one for its artifacts with STILLPROOF_ARTIFACTS") as caught:
        open_store("postgresql://u:secret@host/x")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://u:secret@host:5432/x", "postgresql://u:***@host:5432/x"),
        ("postgresql+psycopg://u:secret@host/x?sslmode=require", "postgresql+psycopg://u:***@host/x?sslmode=require"),
        ("postgresql://host/x?user=u&password=secret&sslpassword=secret", "postgresql://host/x?user=u"),
        ("postgresql://u:se@secret@host/x", "postgresql://u:***@host/x"),
        ("postgresql://u:se/secret@secret@host/x", "postgresql://u:***@host/x"),
        ("postgresql:///x?host=/var/run", "postgresql:///x?host=%2Fvar%2Frun"),
        ("sqlite:////tmp/x.db", "/tmp/x.db"),
    ],
)
def test_a_place_is_shown_without_its_password(url: str, expected: str) -> None:
    assert shown(locate(url)) == expected
    assert "secret" not in expected


@pytest.mark.parametrize(
    "url",
    ["postgresql://u:secret@host:port/x", "postgresql://u:s@secret@host:port/x?password=secret", "sqlite://u:secret@"],
)
def test_a_url_with_a_mistake_is_named_without_its_password(url: str) -> None:
    with pytest.raises(BadInput) as caught:
        locate(url)
    assert "secret" not in str(caught.value) and url.partition(":")[0] in str(caught.value)


def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match=r"u:\*\*\*@127\.0\.0\.1") as caught:
        open_store("postgresql+psycopg://u:secret@127.0.0.1:1/x", artifacts=Path())
    assert "secret" not in str(caught.value)


def test_the_size_of_what_is_kept_is_that_of_its_tensors(tmp_path: Path) -> None:
    tensors = {"images": torch.zeros(10, dtype=torch.float16), "labels": torch.zeros(3, dtype=torch.int64)}
    with open_store(str(tmp_path / "x.db")) as store:
        kept = store.keep("model", tensors, {})
        assert store.shown == str(tmp_path / "x.db")
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        sizes = dict(database.execute("SELECT id, bytes FROM artifacts"))
    assert sizes == {kept: 10 * 2 + 3 * 8}


def test_another_process_finds_a_store_with_an_odd_path_by_its_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("new folder/ü 100%.db") as store:
        fill(store, 1)
        url = store.url
    monkeypatch.chdir("/")
    with open_store(url, create=False) as store:
        assert len(store.results.get_many([new_cells(1)[0].id])) == 1
        assert store.artifacts.root == tmp_path / "new folder" / "ü 100%-artifacts"


def test_a_store_that_is_not_there_is_not_made_for_reading(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        open_store(str(tmp_path / "no" / "x.db"), create=False)
    assert list(tmp_path.iterdir()) == []


def test_settings_of_a_connection(tmp_path: Path) -> None:
    database = Database(locate(str(tmp_path / "x.db")), create=True)
    with database.read() as connection:
        found = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "busy_timeout", "synchronous", "foreign_keys")
        }
    database.close()
    assert found == {"journal_mode": "wal", "busy_timeout": 1_000, "synchronous": 1, "foreign_keys": 1}


def test_a_lock_is_waited_for_and_said_and_readers_do_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    monkeypatch.setattr(sqlite, "TRY_SECONDS", 0.05)
    with open_store(str(tmp_path / "x.db")) as store, open_store(str(tmp_path / "x.db")) as other:
        (cell,) = fill(store, 1)
        writer = threading.Thread(target=fill, args=(other, 2))
        with store.results._database.write():
            writer.start()
            writer.join(1.0)
            assert writer.is_alive() and other.results.get(cell) is not None
        writer.join(10)
        assert len(other.results.get_many([cell.id for cell in new_cells(2)])) == 2
    (said,) = caplog.messages
    assert f"store {tmp_path}/x.db has been locked by another process for 0 s: waiting" in said


def test_a_reader_waits_too_where_all_are_locked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "TRY_SECONDS", 0.05)
    with open_store(str(tmp_path / "x.db")) as store:
        fill(store, 1)
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None, check_same_thread=False)) as alone:
        alone.execute("PRAGMA locking_mode = EXCLUSIVE")
        alone.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, alone.close).start()
        with open_store(str(tmp_path / "x.db")) as store:
            assert len(store.results.statuses([new_cells(1)[0].id])) == 1


def test_switching_on_the_log_waits_for_a_writer(tmp_path: Path) -> None:
    open_store(str(tmp_path / "x.db")).close()
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None, check_same_thread=False)) as writer:
        writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN IMMEDIATE")
        threading.Timer(0.2, writer.execute, ["COMMIT"]).start()
        open_store(str(tmp_path / "x.db")).close()
    with closing(sqlite3.connect(tmp_path / "x.db")) as later:
        assert later.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.skipif(not shutil.which("faketime"), reason="Debian's faketime is not installed")
@pytest.mark.parametrize("jump", ["+1d", "-1d"])
def test_a_clock_that_jumps_takes_nothing_from_a_living_process(tmp_path: Path, jump: str) -> None:
    code = (
        "import sys, time; from stillproof.store.store import open_store; store = open_store(sys.argv[1]); "
        "store.claims.claim([sys.argv[2]], 'another', 60.0) and sys.exit('robbed'); print(time.time())"
    )
    with open_store(str(tmp_path / "x.db")) as store:
        (cell,) = fill(store, 1)
        assert store.claims.claim([cell], this_owner(), 60.0) == cell
        command = ["faketime", "-f", jump, sys.executable, "-c", code, str(tmp_path / "x.db"), cell]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert abs(float(done.stdout) - time.time()) > 80_000, "the clock was right"
        store.claims.finish(cell, this_owner(), {}, 1.0, {})


def test_an_error_inside_a_write_undoes_it(tmp_path: Path) -> None:
    database = Database(locate(str(tmp_path / "x.db")), create=True)
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        connection.execute(text("CREATE TABLE t (x)"))
        raise ZeroDivisionError
    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar() == 0
    database.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    file.write_text("certainly not a database " * 100)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"x\.db is not a database") as caught:
        open_store(str(file))
    assert caught.value.exit_code == 4
    assert file.read_bytes() == before


def test_a_damaged_database(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    with open_store(str(file)) as store:
        fill(store, 500)
    data = file.read_bytes()
    file.write_bytes(data[:4096] + os.urandom(len(data) - 4096))
    with pytest.raises(StoreError, match=r"x\.db is corrupt"):
        open_store(str(file)).results.get_many([cell.id for cell in new_cells(500)])


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "sub" / "x.db", Path("/proc/stillproof/x.db")):
        with pytest.raises(StoreError, match="cannot be used"):
            open_store(str(path))
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(str(tmp_path))


def test_a_database_that_is_read_only(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db")) as store:
        with store.results._database.read() as connection:
            connection.execute(text("PRAGMA query_only = ON"))
        with pytest.raises(StoreError, match="is read-only: make it writable"):
            fill(store, 1)


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MOUNTS", tmp_path / "mounts")
    remote = tmp_path / "re mote"
    (remote / "local").mkdir(parents=True)
    escaped = str(remote).replace(" ", "\\040")
    root = "/dev/sda / ext4 rw 0 0"
    for kind in ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs"):
        lines = [root, f"server:/x {escaped} {kind} rw 0 0", f"tmpfs {escaped}/local tmpfs rw 0 0"]
        (tmp_path / "mounts").write_text("\n".join(lines) + "\n")
        with pytest.raises(StoreError, match=rf"{kind}.*PostgreSQL"):
            open_store(str(remote / "x.db"))
        open_store(str(remote / "local" / f"{kind}.db")).close()
    assert not (remote / "x.db").exists()
    (tmp_path / "mounts").write_text(f"{root}\nserver:/ / nfs rw 0 0\n{root}\n")
    assert sqlite.file_system(tmp_path) == "ext4", "the last of several mounts at one place counts"
    monkeypatch.setattr(sqlite, "MOUNTS", tmp_path / "nothing")
    assert sqlite.file_system(tmp_path) == ""


def test_everyday_calls_take_one_statement(tmp_path: Path) -> None:
    open_store(str(tmp_path / "x.db")).close()
    statements: list[str] = []

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        statements.append(statement.split()[0])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with open_store(str(tmp_path / "x.db")) as store:
            ids = fill(store, 10_000)
            store.results.get(ids[0])
            store.claims.claim(ids, "me", 60.0)
            store.claims.finish(ids[0], "me", {}, 1.0, {})
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    opened, put, got, claimed, finished = ["SELECT"], ["INSERT"], ["SELECT"], ["SELECT", "UPDATE"], ["UPDATE"]
    assert [word for word in statements if word not in ("BEGIN", "PRAGMA")] == opened + put + got + claimed + finished


def test_opening_imports_neither_torch_nor_alembic(tmp_path: Path) -> None:
    open_store(str(tmp_path / "x.db")).close()
    code = (
        "import sys; from stillproof.store.store import open_store; open_store(sys.argv[1]).close(); "
        "sys.exit(' '.join({'torch', 'alembic'} & sys.modules.keys()) or 0)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x.db")], check=True)


def test_several_processes_may_create_one_store(tmp_path: Path) -> None:
    context = fork_context()
    outcomes: Queue[str] = context.Queue()
    together = context.Barrier(4)
    arguments = (str(tmp_path / "x.db"), together, outcomes)
    workers = [context.Process(target=_create, args=arguments, daemon=True) for _ in range(4)]
    for worker in workers:
        worker.start()
    assert [outcomes.get(timeout=60) for _ in workers] == ["ok"] * 4
    for worker in workers:
        worker.join()


def _create(path: str, together: Barrier, outcomes: Queue[str]) -> None:
    together.wait(timeout=60)
    try:
        open_store(path).close()
        outcomes.put("ok")
    except StoreError as error:
        outcomes.put(str(error))


def test_a_url_whose_driver_is_not_installed_says_how_to_install_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None; from stillproof.store.store import open_store; "
        "from stillproof.core.errors import StoreError\n"
        "try:\n    open_store('postgresql://u:secret@host/x')\nexcept StoreError as error:\n    print(error)"
    )
    environment = {**os.environ, "STILLPROOF_ARTIFACTS": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "store postgresql://u:***@host/x needs the driver of PostgreSQL: pip install 'stillproof[postgres]' brings it."
    )
