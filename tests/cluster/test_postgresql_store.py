"""What is particular to a store on PostgreSQL."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import insert, select, text

from postgres_server import PASSWORD, Server
from stillproof.core.errors import BadInput, StoreError
from stillproof.core.spec import digest
from stillproof.store import migrate
from stillproof.store.database import Database
from stillproof.store.location import locate
from stillproof.store.prune import prune
from stillproof.store.read_store import read_store
from stillproof.store.records import NewCell
from stillproof.store.schema import cells, metadata
from stillproof.store.store import Store, open_store
from stillproof.store.strict_json import NUL_SHOWN
from stillproof.testing.claims_contract import LEASE
from stillproof.testing.store_contract import fill, fork_context, new_cells

pytestmark = pytest.mark.cluster

MANY = 16


@pytest.fixture
def store(server: Server, tmp_path: Path) -> Iterator[Store]:
    with open_store(server.fresh_url(), artifacts=tmp_path / "artifacts") as opened:
        yield opened


def test_a_migrated_store_has_the_schema_of_the_code(store: Store) -> None:
    with store.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == migrate.HEAD


def test_many_processes_may_open_an_empty_database_at_once(server: Server, tmp_path: Path) -> None:
    context = fork_context()
    outcomes: Queue[str] = context.Queue()
    arguments = (server.fresh_url(), tmp_path, context.Barrier(MANY), outcomes)
    workers = [context.Process(target=_create, args=arguments, daemon=True) for _ in range(MANY)]
    for worker in workers:
        worker.start()
    assert [outcomes.get(timeout=120) for _ in workers] == ["ok"] * MANY
    for worker in workers:
        worker.join()


def _create(url: str, artifacts: Path, together: Barrier, outcomes: Queue[str]) -> None:
    together.wait(timeout=60)
    try:
        with open_store(url, artifacts=artifacts) as store:
            fill(store, 3)
        outcomes.put("ok")
    except StoreError as error:
        outcomes.put(str(error))


def test_an_older_store_is_upgraded_with_its_content(server: Server, tmp_path: Path) -> None:
    from alembic import command

    url = server.fresh_url()
    with Database(locate(url), create=True).write() as connection:
        config = migrate._config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for number, asks in enumerate(("a", "b", "a")):
            connection.execute(
                text("INSERT INTO runs (suite, created, config, rows) VALUES ('accuracy', :at, :asks, '[]')"),
                {"at": float(number), "asks": f'{{"asks":"{asks}"}}'},
            )
    with pytest.raises(StoreError, match=r"has schema 0003, .* `stillproof db upgrade` upgrades it"):
        read_store(url, artifacts=tmp_path)
    with open_store(url, artifacts=tmp_path) as store:
        assert [(run.id, run.config["asks"], run.asked) for run in store.results.runs()] == [(1, "a", 2.0), (2, "b", 1)]
        assert store.results.save_run("accuracy", {}, []) == 4, "numbers are not given again"


def test_texts_are_compared_by_their_codes_whatever_language_the_server_speaks(tmp_path: Path) -> None:
    danish = Server.in_own_folder("--locale-provider=icu", "--icu-locale=da", "--locale=C.UTF-8")
    try:
        assert danish.sql("SELECT 'abcaa' BETWEEN 'abca' AND 'abcag'") == "f", "this would be missed"
        with open_store(danish.fresh_url(), artifacts=tmp_path) as store:
            wanted, other = "abcaa" + "0" * 59, "abcb" + "0" * 60
            store.results.put([NewCell(one, "train", {}, {}) for one in (other, wanted)])
            assert store.results.find("abca") == [wanted] and store.results.find("abc") == []
            assert store.results.find("abca") + store.results.find("abcb") == [wanted, other]
            for number, name in enumerate(("zebra", "aa", "B", "b")):
                store.register_artifact(digest(number), "model", name, None, 1)
            with store.database.read() as connection:
                query = text("SELECT name FROM artifacts ORDER BY name")
                assert list(connection.execute(query).scalars()) == ["B", "aa", "b", "zebra"]
    finally:
        danish.close()


def test_a_reader_sees_one_moment_and_cannot_write(store: Store) -> None:
    fill(store, 2)
    with store.database.read() as connection:
        count = "SELECT count(*) FROM cells"
        assert connection.execute(text(count)).scalar() == 2
        threading.Thread(target=fill, args=(store, 5)).run()
        assert connection.execute(text(count)).scalar() == 2
    with pytest.raises(StoreError, match="is read-only"), store.database.read() as connection:
        connection.execute(text("DELETE FROM cells"))
    assert len(store.results.statuses([cell.id for cell in new_cells(5)])) == 5


def test_who_writes_alone_is_not_robbed_of_what_it_saw(store: Store) -> None:
    """A cell that is claimed while a prune is under way is there afterwards, or was not claimed."""
    (cell,) = fill(store, 1)
    claimed: list[str | None] = []
    claim = threading.Thread(target=lambda: claimed.append(store.claims.claim([cell], "me", LEASE)))
    with store.database.write() as connection:
        claim.start()
        claim.join(0.5)
        assert claim.is_alive(), "a claim waits for whoever writes alone"
        connection.execute(cells.delete())
    claim.join(30)
    assert claimed == [None]


def test_claims_do_not_wait_for_each_other(store: Store) -> None:
    first, second = fill(store, 2)
    with store.database.write(alone=False) as connection:
        connection.execute(select(cells).where(cells.c.id == first).with_for_update())
        began = time.monotonic()
        assert store.claims.claim([first, second], "me", LEASE) == second
        assert time.monotonic() - began < 5


def test_two_that_plan_the_same_cells_in_other_orders_do_not_wait_for_each_other(server: Server, store: Store) -> None:
    planned = new_cells(3000)
    with open_store(store.url, artifacts=store.artifacts.root) as other:
        threads = [
            threading.Thread(target=one.results.put, args=(order,))
            for one, order in ((store, planned), (other, planned[::-1]))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert len(store.results.statuses([cell.id for cell in planned])) == len(planned)
    name = store.url.rpartition("/")[2]
    assert server.sql(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{name}'") == "0"


def test_what_its_texts_cannot_hold_is_shown(store: Store) -> None:
    (cell,) = fill(store, 1)
    store.claims.claim([cell], "me", LEASE)
    store.claims.fail(cell, "me", "read \0 from \udcff")
    record = store.results.get(cell)
    assert record is not None and record.error == f"read {NUL_SHOWN} from \\udcff"


def test_what_is_large_fits(store: Store) -> None:
    (cell,) = fill(store, 1)
    artifact = digest("large")
    for _ in range(2):
        folder = store.artifacts.folder(artifact)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "card.json").touch()
        with (folder / "tensors.safetensors").open("wb") as file:
            file.truncate(5 * 2**30)
        store.register_artifact(artifact, "model", "a", cell, 5 * 2**30)
    assert store._catalogue.tensors_bytes([artifact]) == {artifact: 5 * 2**30}


def test_answers_without_a_time_are_not_the_newest(store: Store) -> None:
    dated, undated = fill(store, 2)
    store.claims.claim([dated], "me", LEASE)
    store.claims.finish(dated, "me", {}, 1.0, {})
    with store.database.write() as connection:
        connection.execute(cells.update().where(cells.c.id == undated).values(status="done", result="{}"))
    assert [record.id for record in store.results.newest_done(1)] == [dated]


def test_names_are_found_in_capitals_too_as_on_sqlite(store: Store) -> None:
    store.register_artifact(digest(1), "distilled", "Mine-digits-1ipc-30622e", None, 1)
    assert store.resolve_artifact("mine") == digest(1)


def test_a_process_has_two_connections_at_most_and_says_whose_they_are(server: Server, store: Store) -> None:
    ids = fill(store, 20)
    threads = [threading.Thread(target=store.results.get_many, args=(ids,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    name = store.url.rpartition("/")[2]
    found = server.sql(f"SELECT application_name FROM pg_stat_activity WHERE datname = '{name}'").splitlines()
    assert 1 <= len(found) <= 2 and set(found) == {"stillproof"}


def test_the_database_of_another_program_is_refused_and_not_touched(server: Server, tmp_path: Path) -> None:
    url = server.fresh_url()
    name = url.rpartition("/")[2]
    server.sql("CREATE TABLE recipes (soup text)", name)
    with pytest.raises(StoreError, match="a database of something else"):
        open_store(url, artifacts=tmp_path)
    assert server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name) == "recipes"


def test_a_folder_of_artifacts_that_cannot_be_reached_is_told_at_once(store: Store, tmp_path: Path) -> None:
    store.register_artifact(digest(1), "model", None, None, 1)
    for folder in (tmp_path / "not-mounted", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(StoreError, match=rf"{folder.name} .*mount it here") as caught:
            open_store(store.url, artifacts=folder)
        assert PASSWORD not in str(caught.value) and "cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("se%2Fcret%40x", "wrong"), "lets nobody in with this user and password"),
        (("/store", "/no-such-store"), 'database "no-such-store'),
        (("127.0.0.1", "no-such-host.invalid"), "host that is not known"),
    ],
)
def test_mistakes_in_a_url_are_told_at_once_and_without_the_password(
    server: Server, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    url = server.fresh_url().replace(*change)
    began = time.monotonic()
    with pytest.raises(StoreError, match=said) as caught:
        open_store(url, artifacts=tmp_path)
    assert caught.value.exit_code == 4 and "cret" not in str(caught.value) and "wrong" not in str(caught.value)
    assert time.monotonic() - began < 20


def test_inserting_a_row_that_cannot_be_is_told(store: Store) -> None:
    with pytest.raises(StoreError, match="cannot be used"), store.database.write() as connection:
        connection.execute(insert(cells).values(id="x"))


def test_a_prune_leaves_files_that_others_may_share(store: Store) -> None:
    fill(store, 2)
    found = prune(store)
    assert len(found.cells) == 2 and found.files_stay


def test_a_url_with_another_driver_is_refused() -> None:
    with pytest.raises(BadInput, match=r"'postgresql\+psycopg2' is not supported; write postgresql://"):
        locate("postgresql+psycopg2://u:secret@host/x")
