"""Stands between a client and a server, and cuts the line at a chosen word: before it is passed on, or just after."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Literal

AT = b"COMMIT\0"  # as it is sent; what a transaction begins with may say READ COMMITTED


class CuttingProxy:
    """Passes everything on until it is told to cut; what it cut off once, it passes on the next time."""

    def __init__(self, port: int) -> None:
        """Listen, and pass on to a port of this machine."""
        self._port = port
        self._when: Literal["before", "after"] | None = None
        self._meanwhile: Callable[[], object] = lambda: None
        self.cuts = 0
        self._silent: socket.socket | None = None  # the client that hears nothing more
        self._kept = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self, when: Literal["before", "after"], meanwhile: Callable[[], object] = lambda: None) -> None:
        """Cut at the next commit: ``before`` the server hears of it, or ``after`` it has kept it, then do something."""
        self._when, self._meanwhile = when, meanwhile

    def close(self) -> None:
        """Listen no more."""
        self._listening.close()

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            threading.Thread(target=self._up, args=(client, server), daemon=True).start()
            threading.Thread(target=self._down, args=(client, server), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(client):
            if self._when is not None and AT in data:
                when, self._when = self._when, None
                self.cuts += 1
                if when == "after":
                    # From here on the other direction is silent, so that nobody hears that it was kept.
                    self._kept.clear()
                    self._silent = client
                    server.sendall(data)
                    self._kept.wait(30)
                _end(server)
                self._meanwhile()
                break
            server.sendall(data)
        _end(server)
        _end(client)

    def _down(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(server):
            if client is self._silent:
                self._kept.set()
                return
            try:
                client.sendall(data)
            except OSError:
                return


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(65536)
    except OSError:
        return b""


def _end(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has ended
        line.shutdown(socket.SHUT_RDWR)
    line.close()
