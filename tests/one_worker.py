"""Tests that run one after the other on one worker, as they share a server, a browser, a kernel or an environment that takes long to make.

xdist's mark for it, ``xdist_group``, has no effect with pytest 9.2 and xdist 3.8: xdist appends the group to ``item._nodeid``, and
pytest no longer reads that. So the groups are told by path, and :func:`make_scheduler` gives them to xdist's own scheduler.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

BROWSER = "tests/browser/"
NO_BROWSER = ("tests/browser/test_packaging.py", "tests/browser/test_units.py")
"""Files of the browser's folder that need none."""

BY_FILE = (
    *NO_BROWSER, "tests/contract/", "tests/kernel/", "tests/variants/", "tests/live/test_sacred.py", "tests/unit/test_site.py",
    "tests/unit/test_time_budget.py", "tests/unit/journal/test_inspect.py", "tests/unit/surfaces/bench/test_resilience.py",
)  # fmt: skip
"""Folders and files whose files each have something that all of their tests share: a fixture of the module's."""


BY_FILE_IN_PROCESS = ("tests/unit/", "tests/test_layers.py")
"""What starts no kernel goes by file too: xdist counts all groups that a worker has had after each test, and of single tests these were ten thousand."""


FORKS = "tests/unit/healers/search/"
"""Files whose tests fork by the thousand: before those that import pandas and its like, which makes each fork of their worker three times as slow."""

LONG = "tests/unit/healers/test_rule_conformance.py"


def find_group(nodeid: str) -> str | None:
    """The group of a test by its id; None where it may run on any worker."""
    file = nodeid.partition("::")[0].replace("\\", "/")
    if file.startswith((*BY_FILE, *BY_FILE_IN_PROCESS)):
        return file
    return "browser" if file.startswith(BROWSER) else None


def order_groups(groups: dict[str, Any]) -> OrderedDict[str, Any]:
    """What takes longest first, so that no worker is left with it alone at the end: the browser, then files with kernels, then single tests, then units,
    those that fork first."""

    def place(group: tuple[str, Any]) -> tuple[int, int]:
        name, tests = group
        if name == "browser":
            return 0, 0
        if name.startswith(BY_FILE):
            return 1, 0
        if not name.startswith(BY_FILE_IN_PROCESS):
            return 2, 0
        return (3 if name == LONG else 4 if name.startswith(FORKS) else 5), -len(tests)

    return OrderedDict(sorted(groups.items(), key=place))


def make_scheduler(config: Any, log: Any) -> Any:
    """What hands tests to workers: as ``--dist loadgroup``, with these groups in this order."""
    from xdist.scheduler import LoadGroupScheduling

    class Queue(OrderedDict[str, Any]):
        """Filled by xdist in the order of collection, and put in order before the first is taken."""

        ordered = False

        def popitem(self, last: bool = True) -> tuple[str, Any]:
            if not self.ordered:
                self.ordered = True
                for name in order_groups(self):
                    self.move_to_end(name)
            return super().popitem(last)

    class Scheduler(LoadGroupScheduling):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__(config, log)
            self.workqueue = Queue()

        def _split_scope(self, nodeid: str) -> str:
            return find_group(nodeid) or str(super()._split_scope(nodeid))

    return Scheduler()
