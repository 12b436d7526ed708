"""Where a number came from: code, packages, hardware, and the numerics that decide its last bits."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import resource
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from stillproof.core.freed_memory import give_back_freed_memory
from stillproof.core.spec import Json

PACKAGES = ("stillproof", "torch", "numpy", "scipy", "scikit-learn")


@functools.cache
def provenance() -> Json:
    """Return the code version, package versions and hardware of this process."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "packages": versions,
        "code": _code(),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def numerics(device: str) -> Json:
    """Return what decides the last bits of a result besides its spec."""
    import torch

    return {
        "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else device,
        "threads": torch.get_num_threads(),
        "torch": str(torch.__version__),
        "capability": torch.backends.cpu.get_cpu_capability(),
    }


class Meter:
    """Measures the seconds and the peak memory of what runs inside it."""

    seconds: float = 0.0
    peak_bytes: int = 0

    def __enter__(self) -> Self:
        """Start when the device is idle, forgetting earlier peaks where the system can."""
        _forget_peak()
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop when the device has done what it was given."""
        if cuda := _cuda():
            cuda.synchronize()
        self.seconds = time.perf_counter() - self._started
        self.peak_bytes = _peak()

    def as_dict(self) -> Json:
        """Return the measurement as JSON values."""
        return {"seconds": self.seconds, "peak_bytes": self.peak_bytes}


def _cuda() -> Any:
    """Return ``torch.cuda`` if this process can use it; torch is not imported just to know."""
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_available() else None


def _forget_peak() -> None:
    if cuda := _cuda():
        cuda.synchronize()
        cuda.reset_peak_memory_stats()
    give_back_freed_memory()
    if sys.platform == "linux":
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        except OSError:  # not permitted in some containers: the peak is then the process's own
            return


def _peak() -> int:
    if cuda := _cuda():
        return int(cuda.max_memory_allocated())
    if sys.platform == "linux":
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def _code() -> str:
    """Return the hash of all of Stillproof's source files, which says more than a version number."""
    folder = Path(__file__).parent.parent
    files = sorted(folder.rglob("*.py"))
    contents = b"".join(str(f.relative_to(folder)).encode() + b"\0" + f.read_bytes() for f in files)
    return hashlib.sha256(contents).hexdigest()[:16]


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
