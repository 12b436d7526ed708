"""A page of a site in a browser, and everything that it complained of or asked of another host."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Watched:
    """A page, and everything that it complained of or asked of another host."""

    def __init__(self, browser: Any, site: Path, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page, self.site = self.context.new_page(), site
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda asked: self.requests.append(asked.url))

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def open(self, name: str) -> Any:
        self.page.goto(
            f"{(self.site / name.partition('#')[0]).as_uri()}{name[name.find('#') :] if '#' in name else ''}"
        )
        return self.page

    def check(self) -> None:
        assert self.errors == []
        assert [url for url in self.requests if not url.startswith("file:")] == []
        self.context.close()
