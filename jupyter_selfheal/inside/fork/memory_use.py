"""How much memory of its own a process has had at most.

Standard library only: sent as source to kernels whose environment lacks this package.
"""

from __future__ import annotations


def measure_own_peak_mb(pid: int | str = "self") -> float:
    """MiB that the process has had at most, without the files that it maps; 0 where that cannot be read.

    A fork has no pages of mapped files (libraries) before it uses them: with them, forks and whole kernels could not be compared.
    """
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as lines:
            sizes = {name: rest.split()[0] for name, _, rest in (line.partition(":") for line in lines) if rest.split()}
        return round(max(0, int(sizes["VmHWM"]) - int(sizes["RssFile"]) - int(sizes["RssShmem"])) / 1024, 1)
    except (OSError, KeyError, ValueError):
        return 0.0
