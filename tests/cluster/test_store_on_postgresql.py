from __future__ import annotations

from pathlib import Path

import pytest

from postgres_server import Server
from stillproof.testing.store_contract import StoreContract

pytestmark = pytest.mark.cluster


class TestPostgresqlStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, server: Server) -> None:
        self.server = server

    def fresh_url(self, folder: Path) -> str:
        return self.server.fresh_url()
