"""Every reader of files, at damaged ones without end: refused in a sentence, or read for what they hold.

``make test-hostile`` reads STILLPROOF_HOSTILE_FILES of them, 4,000 without it.
"""

from __future__ import annotations

import itertools
import math
import os
import random
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from formats import Format
from mutations import Edit, damaged, draw_edits
from store_formats import make_home
from worker import FORMATS, receive, send

FILES = int(os.environ.get("STILLPROOF_HOSTILE_FILES", "4000"))
FINE = ("refused", "taken", "same")
MOST_SECONDS = 60.0  # of one file: twice the limit that small files have, since the machine may be busy
MOST_GROWTH = 2 * 10**9  # bytes of resident memory: the limit that small files have
MOST_TOLD = 20  # of what is wrong with one reader
USUAL_SECONDS = 5.0  # of one file among several
AT_ONCE = 64  # files in one message, since waiting for answers takes longer than they do
SHARES = sum(one.share for one in FORMATS.values())

pytestmark = pytest.mark.slow


Answer = tuple[str, str, float]  # how it ended, details, and seconds


class Reader:
    """The process that reads; a new one takes the place of one that died."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in FORMATS}
        self.slowest: dict[str, float] = dict.fromkeys(FORMATS, 0.0)
        self.growth = 0
        self.peak_of_others = 0  # of processes that a reader started, in bytes
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, name: str, files: list[tuple[bytes, bool]]) -> list[tuple[str, str]]:
        """Return what came of some files: how each ended, and details."""
        found = self._answers(name, files, MOST_SECONDS + len(files) * USUAL_SECONDS)
        if found is None and len(files) > 1:  # which one was it?
            return [self.ask(name, [file])[0] for file in files]
        for ended, _, seconds in found or ():
            self.slowest[name] = max(self.slowest[name], seconds)
            self.counts[name][ended] += 1
        return [(ended, details) for ended, details, _ in found or ()]

    def _answers(
        self, name: str, files: list[tuple[bytes, bool]], seconds: float
    ) -> list[tuple[str, str, float]] | None:
        """Return the answers about some files; nothing, if one of several took the process with it."""
        child = self._child or self._start()
        assert child.stdin is not None and child.stdout is not None
        send(child.stdin, [(name, *file) for file in files])  # type: ignore[arg-type]
        there, _, _ = select.select([child.stdout], [], [], seconds)
        answered = receive(child.stdout) if there else None  # type: ignore[arg-type]
        if answered is None:
            how = ("CRASH", f"code {child.wait()}", 0.0) if there else ("HANG", "", seconds)
            self.close()
            return [how] if len(files) == 1 else None
        found: list[Answer] = answered[0]
        self.peak_of_others = max(self.peak_of_others, answered[1])
        self.growth = max(self.growth, peak_of(child.pid) - self._peak_before)
        if max(self.growth, self.peak_of_others) > MOST_GROWTH:
            found[-1] = ("MEMORY", f"{self.growth} bytes, {self.peak_of_others} in processes that it started", 0.0)
        return found

    def _start(self) -> subprocess.Popen[bytes]:
        worker = Path(__file__).with_name("worker.py")
        self._child = subprocess.Popen(
            [sys.executable, str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self._child.stdout is not None
        assert receive(self._child.stdout) == "ready"  # type: ignore[arg-type]
        self._peak_before = peak_of(self._child.pid)
        return self._child

    def close(self) -> None:
        """Stop the process."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def told(self) -> str:
        """Return what came of all files, reader by reader."""
        ends = sorted({end for counts in self.counts.values() for end in counts})
        lines = [f"{'reader':28}" + "".join(f"{end:>10}" for end in ends) + f"{'slowest':>10}"]
        for name, counts in self.counts.items():
            seconds = f"{self.slowest[name]:8.2f} s"
            lines.append(f"{name:28}" + "".join(f"{counts[end]:10}" for end in ends) + seconds)
        total = sum((counts for counts in self.counts.values()), Counter[str]())
        lines.append(f"{'all':28}" + "".join(f"{total[end]:10}" for end in ends))
        memory = (
            f"{self.growth / 1e6:.0f} MB above its start, {self.peak_of_others / 1e6:.0f} MB where it started others"
        )
        return "\n".join([*lines, f"{total.total()} files, peak of memory {memory}"])


def peak_of(pid: int) -> int:
    """Return the peak of a process's resident memory, from outside: it could set its own back."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


@pytest.fixture(scope="module")
def reader(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    make_home(tmp_path_factory.mktemp("home"))
    made = Reader()
    yield made
    made.close()
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        sys.stdout.write(f"\n{made.told()}\n")


def damaged_files(one: Format, draw: random.Random) -> Iterator[tuple[bytes, bool, list[Edit]]]:
    """Yield damaged files without end, each another; with whether its checksums are those of what was written."""
    content = one.content()[one.target]
    pieces = one.apart(content) if one.apart else {}
    parts = sorted(name for name in pieces if one.part.search(name))
    seen = {hash(content)}
    while True:
        edits, outside = draw_edits(draw), not parts or draw.random() < 0.5
        if outside:
            made = damaged(content, edits)
        else:
            assert one.together is not None
            name = draw.choice(parts)
            made = one.together(pieces | {name: damaged(pieces[name], edits)})
        if hash(made) not in seen:
            seen.add(hash(made))
            yield made, outside, edits


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_refused_in_a_sentence_or_read_for_what_it_holds(name: str, reader: Reader) -> None:
    one = FORMATS[name]
    faults: list[str] = []
    count = math.ceil(FILES * one.share / SHARES)
    drawn = itertools.islice(damaged_files(one, random.Random()), count)
    while files := list(itertools.islice(drawn, AT_ONCE)):
        answers = reader.ask(name, [(content, outside) for content, outside, _ in files])
        for (ended, details), (_, outside, edits) in zip(answers, files, strict=True):
            if ended not in FINE:
                after = f"{'' if outside else 'new checksums and '}{[(*edit[:3], edit.token[:40]) for edit in edits]}"
                faults.append(f"{ended}: {details}\nafter {after}")
    assert not faults, f"{len(faults)} of {count}:\n" + "\n".join(faults[:MOST_TOLD])
