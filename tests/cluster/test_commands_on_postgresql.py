"""Commands as people give them, on a store that is a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import TINY, Commands, Done
from postgres_server import Server

pytestmark = pytest.mark.cluster

RUN = [
    "run",
    "accuracy",
    "--scale",
    "smoke",
    "--dataset",
    "digits",
    "--methods",
    "random",
    "--ipc",
    "1",
    "--seeds",
    "1",
]


def test_commands_work_or_say_what_to_do(server: Server, tmp_path: Path, stillproof: Commands) -> None:
    url, root = server.fresh_url(), tmp_path / "shared"
    said: list[Done] = []

    def here(*argv: str, artifacts: bool = True, store: str = url) -> Done:
        env = {"STILLPROOF_STORE": store} | ({"STILLPROOF_ARTIFACTS": str(root)} if artifacts else {})
        said.append(stillproof.finish(stillproof.start(*argv, cwd=tmp_path, env=env)))
        return said[-1]

    lacking = here("status", artifacts=False)
    assert lacking.code == 2 and "name one for its artifacts with STILLPROOF_ARTIFACTS" in lacking.err
    empty = here("status")
    assert empty.code == 4 and "there is nothing in store" in empty.err and "a run makes its tables" in empty.err
    assert server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", url.rpartition("/")[2]) == "0"
    assert here("db", "upgrade").code == 0, "one that is empty becomes a store"

    ran = here(*RUN, *TINY, "--workers", "2", "--json")
    assert ran.code == 0, ran.err
    local = here(*RUN, *TINY, "--json", artifacts=False, store="local.db")
    assert [row["accuracy"] for row in _rows(ran)] == [row["accuracy"] for row in _rows(local)]
    for verb in (["status"], ["table", "accuracy"], ["plot", "accuracy"], ["cite", "accuracy"], ["db", "upgrade"]):
        assert here(*verb).code == 0, said[-1].err
    assert f":***@127.0.0.1:{server.port}" in here("status", "--json").out

    doctor = here("doctor")
    assert doctor.code == 0 and ", PostgreSQL 1" in doctor.out
    backup = here("db", "backup", "copy.db")
    assert backup.code == 2 and "pg_dump" in backup.err and not (tmp_path / "copy.db").exists()

    merged = here("db", "merge", "local.db", "--json").json()
    assert merged["known"] > 0 and merged["conflicts"] == {} and merged["refused"] == {}
    nowhere = here("db", "merge", url, artifacts=False, store="other.db")
    assert nowhere.code == 2 and "name that of its artifacts with --artifacts" in nowhere.err
    back = here("db", "merge", url, "--artifacts", str(root), "--json", artifacts=False, store="other.db").json()
    assert len(back["answers"]) == merged["known"] and back["lost"] == {}
    pruned = here("db", "prune")
    assert pruned.code == 0 and "the files stay" in pruned.err
    assert here("db", "rm", "accuracy").code == 0
    assert all("cret" not in done.out + done.err for done in said)


def _rows(done: Done) -> list[dict[str, float]]:
    return [row for table in done.json()["tables"] for row in table["rows"] if "accuracy" in row]
