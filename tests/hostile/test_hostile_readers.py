"""Every reader of files, at damaged ones without end: refused in a sentence, or read for what they hold.

``make test-hostile`` reads STILLPROOF_HOSTILE_FILES of them, 4,000 without it.
"""

from __future__ import annotations

import math
import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from formats import Format
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mutations import EDITS, Edit, damaged
from worker import FORMATS, receive, send

FILES = int(os.environ.get("STILLPROOF_HOSTILE_FILES", "4000"))
FINE = ("refused", "taken", "same")
MOST_SECONDS = 60.0  # of one file: twice the limit that small files have, since the machine may be busy
MOST_GROWTH = 2 * 10**9  # bytes of resident memory: the limit that small files have
MOST_TOLD = 20  # of what is wrong with one reader
USUAL_SECONDS = 5.0  # of one file among several
AT_ONCE = 16  # files in one message, since waiting for answers takes longer than they do
SHARES = sum(one.share for one in FORMATS.values())

pytestmark = pytest.mark.slow


Answer = tuple[str, str, float]  # how it ended, details, and seconds


class Reader:
    """The process that reads; a new one takes the place of one that died."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in FORMATS}
        self.slowest: dict[str, float] = dict.fromkeys(FORMATS, 0.0)
        self.growth = 0
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
        found: list[Answer] | None = receive(child.stdout) if there else None  # type: ignore[arg-type]
        if found is None:
            how = ("CRASH", f"code {child.wait()}", 0.0) if there else ("HANG", "", seconds)
            self.close()
            return [how] if len(files) == 1 else None
        self.growth = max(self.growth, peak_of(child.pid) - self._peak_before)
        if self.growth > MOST_GROWTH:
            found[-1] = ("MEMORY", f"{self.growth} bytes", 0.0)
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
        return "\n".join([*lines, f"{total.total()} files, peak of memory {self.growth / 1e6:.0f} MB above its start"])


def peak_of(pid: int) -> int:
    """Return the peak of a process's resident memory, from outside: it could set its own back."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


@pytest.fixture(scope="module")
def reader(pytestconfig: pytest.Config) -> Iterator[Reader]:
    made = Reader()
    yield made
    made.close()
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        sys.stdout.write(f"\n{made.told()}\n")


def damages(one: Format, content: bytes) -> st.SearchStrategy[tuple[bytes, bool, list[Edit]]]:
    """Draw a damaged file, and whether its checksums are those of what was written."""
    outside = EDITS.map(lambda edits: (damaged(content, edits), True, edits))
    if one.apart is None or one.together is None:
        return outside
    together, pieces = one.together, one.apart(content)
    parts = sorted(name for name in pieces if one.part.search(name))

    def again(drawn: tuple[str, list[Edit]]) -> tuple[bytes, bool, list[Edit]]:
        name, edits = drawn
        return together(pieces | {name: damaged(pieces[name], edits)}), False, edits

    return outside | st.tuples(st.sampled_from(parts), EDITS).map(again)


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_refused_in_a_sentence_or_read_for_what_it_holds(name: str, reader: Reader) -> None:
    one = FORMATS[name]
    faults: list[str] = []
    count = max(1, math.ceil(FILES * one.share / SHARES / AT_ONCE))

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def check(data: Any) -> None:
        drawn = data.draw(st.lists(damages(one, one.content()[one.target]), min_size=AT_ONCE, max_size=AT_ONCE))
        answers = reader.ask(name, [(content, outside) for content, outside, _ in drawn])
        for (ended, details), (_, outside, edits) in zip(answers, drawn, strict=True):
            if ended not in FINE:
                faults.append(f"{ended}: {details}\nafter {'' if outside else 'new checksums and '}{edits}")

    check()
    assert not faults, f"{len(faults)} of {count * AT_ONCE}:\n" + "\n".join(faults[:MOST_TOLD])
