"""Downloads a file with its checksum verified, and unpacks archives that stay inside their folder."""

from __future__ import annotations

import hashlib
import http.client
import tarfile
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from stillproof.data.sources import Source

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all if known
TIMEOUT_SECONDS = 30
CHUNK_BYTES = 1 << 20


class FetchFailed(Exception):
    """One way to get a data set did not work; the next one may."""


def download(source: Source, target: Path, progress: Progress | None) -> None:
    """Download ``source`` to the file ``target``."""
    digest = hashlib.md5(usedforsecurity=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        for chunk in _chunks(source, progress):
            digest.update(chunk)
            out.write(chunk)
    if digest.hexdigest() != source.md5:
        raise FetchFailed(f"{source.url} gave a file with MD5 {digest.hexdigest()} instead of {source.md5}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a .tar.gz, .tgz or .zip into ``folder``; members that would leave it are refused."""
    try:
        if archive.suffix == ".zip":
            with zipfile.ZipFile(archive) as members:
                for name in members.namelist():
                    if not (folder / name).resolve().is_relative_to(folder.resolve()):
                        raise FetchFailed(f"{archive.name} is refused: its member {name!r} leaves the folder")
                members.extractall(folder)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise FetchFailed(f"{archive.name} cannot be unpacked: {error}") from error


def _chunks(source: Source, progress: Progress | None) -> Iterator[bytes]:
    done = 0
    try:
        with urllib.request.urlopen(source.url, timeout=TIMEOUT_SECONDS) as response:
            length = response.headers.get("Content-Length")
            while chunk := response.read(CHUNK_BYTES):
                done += len(chunk)
                if progress:
                    progress(done, int(length) if length else None)
                yield chunk
    except (OSError, http.client.HTTPException) as error:
        host = urlsplit(source.url).netloc or source.url
        raise FetchFailed(f"{host} could not be reached ({getattr(error, 'reason', error)})") from error
