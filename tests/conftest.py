from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from commands import Commands
from postgres_server import Server
from stillproof.core.components import REGISTRIES
from stillproof.core.freed_memory import keep_freed_memory

# Before torch is imported: tests run side by side, and threads that fight for the same cores are many times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")

keep_freed_memory()  # as runs do, and for the same reason

# A busy machine is not a failing test; 50 examples of each invariant keep the whole within minutes.
settings.register_profile("busy", deadline=None, max_examples=50)
settings.load_profile("busy")


def pytest_collection_finish() -> None:
    """Spare the collector the millions of objects of libraries and collected tests, which stay until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def stillproof(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    commands = Commands(tmp_path_factory.mktemp("commands"))
    yield commands
    commands.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Start one PostgreSQL for all tests of a process; those that stop one start their own."""
    started = Server.in_own_folder()
    yield started
    started.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.cluster)])
def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the URL of a store that is not there yet: in every kind of database, one after the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/x.db"
    monkeypatch.setenv("STILLPROOF_ARTIFACTS", str(tmp_path / "x-artifacts"))
    server: Server = request.getfixturevalue("server")
    return server.fresh_url()


@pytest.fixture
def no_plugin_left() -> Iterator[None]:
    """Forget all plug-in files after a test, and see that the registries are as they were."""
    before = {plural: dict(registry.entries()) for plural, registry in REGISTRIES.items()}
    yield
    for name in [name for name in sys.modules if name.startswith("stillproof_plugin_")]:
        for registry in REGISTRIES.values():
            registry.remove(name)
        del sys.modules[name]
    assert {plural: dict(registry.entries()) for plural, registry in REGISTRIES.items()} == before
