"""One pot of money for the processes of a command: each draws the worst case of a call before it is made, and settles what it did cost.

The pot is a ledger, a file of lines that are only ever appended to, under a lock of the system's that ends with its process. What was
drawn and never settled, because the process died in the call, counts as spent. So what all of them spend together, with every call
under way at its worst, is never above the limit, in whatever order they draw.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.numbers import format_limit
from jupyter_selfheal.ports import ModelReply, ModelRequest, Provider

BUDGET = "budget"
"""The kind of :class:`ProviderError` that says that the pot cannot pay."""

PATIENCE = 300.0
"""Seconds that a call waits at most for what others have drawn to be settled."""

TICK = 0.2
"""Seconds after which whoever waits looks again."""

_ROUNDING = 1e-12


@dataclass(slots=True)
class Balance:
    """What a ledger says: dollars and tokens of unknown price that are spent, and what is drawn, each with its process."""

    spent: Cost = Cost()
    drawn: dict[str, tuple[int, Cost]] = field(default_factory=dict)

    @property
    def worst_case(self) -> Cost:
        """Spent, with every call under way at its worst."""
        return sum((cost for _, cost in self.drawn.values()), self.spent)

    def count_lost(self, is_alive: Callable[[int], bool]) -> Cost:
        """Spent, with what was drawn by processes that have died."""
        return sum((cost for pid, cost in self.drawn.values() if not is_alive(pid)), self.spent)


@dataclass(frozen=True, slots=True)
class Pot:
    """``usd`` dollars, or ``tokens`` where no price is known, to be spent by all who draw on the ledger at ``path``."""

    path: Path
    usd: float
    tokens: int

    def draw(self, worst: Cost) -> str:
        """Set a call's worst case aside; what to settle it by. Waits while others' calls may yet leave enough.

        Raises :class:`ProviderError` of the kind ``budget`` where the pot cannot pay.
        """
        until = time.monotonic() + PATIENCE
        while True:
            with self._open_ledger() as ledger:
                balance = _read_balance(ledger)
                if self._can_pay(balance.worst_case + worst):
                    call = uuid.uuid4().hex
                    _append_entry(ledger, {"draw": call, "pid": os.getpid(), "cost": asdict(worst)})
                    return call
            if not self._can_pay(balance.count_lost(_is_alive) + worst) or time.monotonic() >= until:
                raise ProviderError(self._explain_balance(balance, worst), kind=BUDGET, cost=Cost())
            time.sleep(TICK)

    def settle(self, call: str, cost: Cost) -> None:
        """What a call did cost."""
        with self._open_ledger() as ledger:
            _append_entry(ledger, {"settle": call, "cost": asdict(cost)})

    def spend(self, cost: Cost) -> None:
        """What an earlier part of the run has spent."""
        with self._open_ledger() as ledger:
            _append_entry(ledger, {"settle": "", "cost": asdict(cost)})

    def read_balance(self) -> Balance:
        """What all processes have spent, and what is drawn for calls under way."""
        with self._open_ledger() as ledger:
            return _read_balance(ledger)

    def locate_outages(self, name: str) -> Path:
        """Where the processes of the command note that a service is down."""
        return self.path.with_name(f"{self.path.stem}.{name}.outages")

    def remove(self) -> None:
        """Delete the ledger and what was noted of services."""
        for path in (self.path, *self.path.parent.glob(f"{self.path.stem}.*.outages")):
            path.unlink(missing_ok=True)

    def _can_pay(self, after: Cost) -> bool:
        if after.usd > self.usd + _ROUNDING:
            return False
        return not after.unknown or (self.usd > 0 and after.input_tokens + after.output_tokens <= self.tokens)

    def _explain_balance(self, balance: Balance, worst: Cost) -> str:
        used = balance.worst_case
        if worst.unknown:
            tokens = used.input_tokens + used.output_tokens
            return f"the notebooks of this command have used {tokens} of {self.tokens} tokens, and the model's price is not known"
        return (
            f"the next call may cost ${worst.usd:.4f}; the notebooks of this command have used ${used.usd:.4f} of "
            f"${format_limit(self.usd)} together"
        )

    @contextlib.contextmanager
    def _open_ledger(self) -> Iterator[IO[bytes]]:
        import fcntl

        with _IN_PROCESS, open(self.path, "a+b", opener=_open_private) as ledger:
            fcntl.flock(ledger, fcntl.LOCK_EX)
            yield ledger


_IN_PROCESS = threading.Lock()


@dataclass(frozen=True, slots=True)
class PayingProvider:
    """Asks ``inner``, and pays every call out of a pot."""

    inner: Provider
    pot: Pot

    @property
    def name(self) -> str:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return self.inner.name

    def worst_case(self, request: ModelRequest) -> Cost:
        """See :class:`~jupyter_selfheal.ports.Provider`."""
        return self.inner.worst_case(request)

    def complete(self, request: ModelRequest, progress: Callable[[str], Any] | None = None) -> ModelReply:
        """See :class:`~jupyter_selfheal.ports.Provider`. Where the pot cannot pay, nothing is sent."""
        worst = self.inner.worst_case(request)
        call = self.pot.draw(worst)
        try:
            reply = self.inner.complete(request, progress)
        except ProviderError as error:
            self.pot.settle(call, error.cost or (worst if error.kind == "timeout" else Cost()))
            raise
        self.pot.settle(call, reply.cost)
        return reply


def can_share() -> bool:
    """Whether processes can share a pot here: they lock its file."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


def _read_balance(ledger: IO[bytes]) -> Balance:
    ledger.seek(0)
    balance = Balance()
    for line in ledger:
        try:
            entry = json.loads(line)
        except ValueError:  # its process died while it wrote: it has not drawn, or what it drew stays drawn
            continue
        cost = Cost(**entry["cost"])
        if "draw" in entry:
            balance.drawn[entry["draw"]] = (entry["pid"], cost)
        else:
            balance.drawn.pop(entry["settle"], None)
            balance.spent = balance.spent + cost
    return balance


def _append_entry(ledger: IO[bytes], entry: dict[str, Any]) -> None:
    """One more line, on its own also after one that was cut off."""
    end = ledger.seek(0, os.SEEK_END)
    if end:
        ledger.seek(end - 1)
    torn = bool(end) and ledger.read(1) != b"\n"
    ledger.write(b"\n" * torn + json.dumps(entry).encode() + b"\n")
    ledger.flush()


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
