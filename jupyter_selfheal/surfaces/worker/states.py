"""The frozen states of the user's kernel, as the kernel names them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from jupyter_selfheal import engine
from jupyter_selfheal.messages import Reproduce, StateAddress
from jupyter_selfheal.model import Start
from jupyter_selfheal.ports import Starts, TrialKernel


def connect_state(address: StateAddress) -> TrialKernel:
    """Take a state over. Raises :class:`~jupyter_selfheal.errors.KernelError` where it is gone."""
    return engine.connect_state(address.socket, address.start)


class StateAhead:
    """The state from before a cell that has just failed, in which that runs already: the heal that names it takes it over."""

    def __init__(self, message: Reproduce) -> None:
        self.socket = message.state.socket
        self._state: TrialKernel | None = connect_state(message.state)
        engine.reproduce_ahead(message.case, self._state, message.config)

    def take(self, address: StateAddress) -> TrialKernel | None:
        """The state, once, if it is that one."""
        state = self._state if address.socket == self.socket else None
        if state is not None:
            self._state = None
        return state

    def close(self) -> None:
        """Nobody took it over. Idempotent."""
        if self._state is not None:
            self._state.close()
            self._state = None


def replace_states(kernels: Iterable[TrialKernel], addresses: Iterable[StateAddress]) -> None:
    """Have each kernel go on from the new state of its kind. One that no kernel takes is let go."""
    waiting = {kernel.start: kernel for kernel in kernels}
    for address in addresses:
        kernel = waiting.pop(address.start, None)
        if kernel is None:
            connect_state(address).close()
        else:
            engine.move_state(kernel, address.socket)


def build_starts(kernels: Iterable[TrialKernel]) -> Starts:
    """The first of each kind."""
    states = tuple(kernels)
    before = tuple(k for k in states if k.start is Start.BEFORE_CELL)
    return Starts(before[:1], tuple(k for k in states if k.start is Start.AFTER_FAILURE)[:1])


@contextlib.contextmanager
def connect_states(addresses: Iterable[StateAddress]) -> Iterator[Starts]:
    """The states for a while; every one that was taken over is let go, also where the next is gone."""
    with contextlib.ExitStack() as stack:
        kernels = []
        for address in addresses:
            kernels.append(connect_state(address))
            stack.callback(kernels[-1].close)
        yield build_starts(kernels)
