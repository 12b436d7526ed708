"""A PostgreSQL server of the tests' own: Debian's, in a folder of its own, on a free port."""

from __future__ import annotations

import getpass
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

DEBIAN = Path("/usr/lib/postgresql")
USER = "postgres"  # it refuses root; Debian's package makes this user
PASSWORD = "se/cret@x"  # with letters that a URL must write otherwise
WRITTEN = "se%2Fcret%40x"


def programs() -> Path | None:
    """Return the folder of the newest server that is installed."""
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


class Server:
    """A server with any number of databases."""

    def __init__(self, folder: Path, *language: str) -> None:
        """Make and start it; ``language`` is how initdb is told one, without which it is that of C."""
        bin_folder = programs()
        assert bin_folder is not None, "apt-get install postgresql"
        self._bin, self._data, self._log = bin_folder, folder / "data", folder / "log"
        self._numbers = itertools.count(1)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, USER)
        of_all = ["--auth=scram-sha-256", f"--username={USER}", f"--pwfile={secret}", "--encoding=UTF8", "--no-sync"]
        self._run("initdb", f"--pgdata={self._data}", *(language or ["--locale=C.UTF-8"]), *of_all)
        # The disk is waited for as in earnest: a commit that was told must outlive what the tests do to the server.
        own = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": folder}
        own |= {"max_connections": 60, "log_statement": "none"}
        self._settings = " ".join(f"-c {name}={value}" for name, value in own.items())
        self.start()

    @classmethod
    def in_own_folder(cls, *language: str) -> Server:
        """Start one below the folder of temporary files, where another user may go; pytest's own folders are closed."""
        return cls(Path(tempfile.mkdtemp(prefix="stillproof-postgres-")), *language)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._control("start", "-o", self._settings)

    def stop(self, how: str = "fast") -> None:
        """Stop it; ``immediate`` is as if it was killed."""
        self._control("stop", "-m", how)

    def close(self) -> None:
        """Stop it and remove all that it had."""
        self.stop("immediate")
        shutil.rmtree(self._data.parent)

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement as its owner does, and return what it printed."""
        command = ["psql", "--quiet", "--tuples-only", "--no-align", "--dbname", self.url(database)]
        return subprocess.run(
            [self._bin / command[0], *command[1:], "--command", statement], check=True, capture_output=True, text=True
        ).stdout.strip()

    def fresh_url(self) -> str:
        """Make an empty database and return its URL."""
        name = f"store{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://{USER}:{WRITTEN}@127.0.0.1:{self.port}/{database}"

    def _control(self, what: str, *arguments: str) -> None:
        self._run("pg_ctl", "-D", self._data, "-l", self._log, "-w", "-t", "60", *arguments, what)

    def _run(self, program: str, *arguments: str | Path) -> None:
        as_user = ["runuser", "-u", USER, "--"] if getpass.getuser() == "root" else []
        # Its output goes to a file: a server that was started keeps what it inherits open.
        with (self._data.parent / "output").open("w+") as said:
            done = subprocess.run(
                [*as_user, self._bin / program, *arguments], stdout=said, stderr=said, cwd="/", check=False
            )
            said.seek(0)
            assert done.returncode == 0, said.read()
