"""Where a data set is published: plain data that stands beside the data set, read by fetch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One file to download.

    Archives (.tar.gz, .zip) are unpacked in the data folder; other files go to its subfolder ``folder``.
    """

    url: str
    md5: str
    folder: str = ""

    @property
    def file_name(self) -> str:
        """Return the last part of the address."""
        return self.url.rpartition("/")[2]
