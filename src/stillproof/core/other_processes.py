"""How much of the machine other processes used while something was measured."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

IDLE = (3, 4)  # the places of idle and iowait among the counters of /proc/stat
COUNTERS = 8  # user to steal; the rest is of guests, which count as user time already


class OtherProcesses:
    """Measures, while it is open, the share of the machine's processors that was not free and not ours.

    The counters are coarse: what one tick of every processor could be is taken off, so that a few milliseconds are not
    said to have been disturbed because a tick fell into them.
    """

    share: float | None = None  # 0 to 1; None where the system does not tell, or too little time has passed

    def __enter__(self) -> Self:
        """Start."""
        self._before = _read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        after = _read()
        if self._before and after:
            total, busy, own = (now - then for now, then in zip(after, self._before, strict=True))
            self.share = min(1.0, max(0.0, (busy - own - _one_tick_each()) / total)) if total > 0 else None


def _one_tick_each() -> float:
    """Return the seconds that counters may be off by."""
    return (os.cpu_count() or 1) / os.sysconf("SC_CLK_TCK") if sys.platform == "linux" else 0.0


def _read() -> tuple[float, float, float] | None:
    """Return the seconds of all processors: in all, not idle, and used by this process."""
    if sys.platform != "linux":
        return None
    try:
        line = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:  # hidden in some containers
        return None
    jiffies = [int(word) for word in line.split()[1 : COUNTERS + 1]]
    spent = os.times()
    own = spent.user + spent.system + spent.children_user + spent.children_system  # children that have ended
    second = os.sysconf("SC_CLK_TCK")
    total = sum(jiffies)
    return total / second, (total - sum(jiffies[place] for place in IDLE)) / second, own
