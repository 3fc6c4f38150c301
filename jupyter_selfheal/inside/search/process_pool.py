"""Evaluating candidates in bulk: forks of this process run batches of them, and can be killed at any moment.

A batch shares one fork because a fork costs as much as some fifty candidates. A candidate that kills its process, or that
does not come back from C code, costs its batch nothing but that fork: the batch goes on behind it in another one.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import signal
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.confined_forks import (
    HAS_FORKS,
    MOST_MEMORY,
    confine_fork,
    count_frames,
    fork_process,
    write_all,
)
from jupyter_selfheal.inside.search.count_steps import STEPS_PER_SECOND
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time_of
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import NEVER_DECIDED, Decided, Result

BATCH, SOON, LATER = 200, 5, 600
"""Candidates of one fork; and after so many forks, those of each further one."""
SLICE = 1.0
"""CPU seconds after which a fork hands its batch back, so that one batch of slow candidates does not hold all others."""
TELL = 0.02
"""CPU seconds after which a fork tells what it knows: to be told of each candidate by itself costs as much as some candidates do."""
HEAD = 16
"""Bytes of shared memory before the steps: where a fork is, and how far it has told of."""
OVERHEAD = 1000
"""Steps that a candidate counts beside its own: it is made, compiled and given a state."""
LITTLE_MEMORY = 48 << 20
"""Bytes that a candidate may allocate while screening, where the program as it is shows that it needs no more: of forty candidates that double a list in each call of a
recursion each took 0.14 CPU seconds, and takes 0.04."""
DEPTH = 450
STUCK = 3.0
"""A candidate with this many times the CPU seconds after which it is cut sits in C code and is killed."""

WAITING = 15.0
"""Seconds on the clock after which one candidate is killed: it waits for something that uses no CPU time."""


Job = tuple[int, dict[int, CodeType]]


@dataclass(slots=True)
class Worker:
    """A fork at work on ``jobs``; ``position`` is the position in them, told through shared memory, as the steps of each are."""

    pid: int
    pipe: int
    jobs: Sequence[Job]
    shared: mmap.mmap
    text: bytes = b""
    known: int = 0
    """Position before which every result was read."""
    at: int = -2
    """Where it was when it was last looked at; a fork that has not begun yet is at -1."""
    cpu_at: float = 0.0
    clock_at: float = 0.0

    @property
    def position(self) -> int:
        return int(struct.unpack_from("q", self.shared)[0])

    @property
    def told_before(self) -> int:
        """Position before which the results were written into the pipe."""
        return int(struct.unpack_from("q", self.shared, 8)[0])

    def read_steps(self, position: int) -> int:
        """What the candidate at a position counted; 0 where it did not come to its end."""
        return int(struct.unpack_from("q", self.shared, HEAD + 8 * position)[0])


@dataclass(slots=True)
class Pool:
    """Runs jobs (an index and the replaced code) through a runner; ``collect_results`` yields what came of each, in their order."""

    runner: Runner
    steps: int
    """Steps a candidate may take."""
    limit: int
    """Failing checks at which a candidate is given up."""
    jobs: int = 1
    alone: bool = False
    """Every candidate in a fork of its own: its state cannot be copied."""
    depth: int = DEPTH
    overhead: int = OVERHEAD
    """Steps that each counts beside its own."""
    known: int = 0
    """The checks (as a mask) whose passing is no news."""
    memory: int = MOST_MEMORY
    """Bytes that a candidate may allocate, at most."""
    raised: int = 0
    """The checks that raise an error as it is; that fewer do is news."""
    missing: int = 0
    """What stands for the name that is missing as it is; that another one is, or none, is news."""
    decided_after: int = 0
    """The checks after which all that failed before have run; 0 where all are to be run."""
    costs: dict[int, int] = field(default_factory=dict)
    """The steps of each candidate whose result is known and not handed out yet."""
    results: dict[int, Result] = field(default_factory=dict)
    """Of those the results that are news."""
    workers: list[Worker] = field(default_factory=list)
    waiting: list[Sequence[Job]] = field(default_factory=list)
    """What is left of batches whose fork has handed them back, or has died."""
    begun: int = 0
    """Batches that were made, by those before this one too where nothing was found: a fork costs both processes a copy of thousands of pages."""
    stillborn: int = -1
    """Index of the first candidate of the last batch whose fork died before it began."""

    def collect_results(
        self, source: Iterator[Job], until: Callable[[], bool]
    ) -> Generator[tuple[int, Result | None, int]]:
        """Index, result (None where it is no news) and steps of each candidate, in their order whichever fork is done first. Ends when
        the source does, or when ``until`` says so; who has enough closes it, and what is at work is ended."""
        order: deque[int] = deque()
        jobs = _note_order(source, order)
        if not HAS_FORKS:
            yield from self._run_here(jobs, until)
            return
        drained = False
        try:
            while not until():
                while len(self.workers) < self.jobs and not (drained and not self.waiting):
                    batch = self.waiting.pop(0) if self.waiting else _take_batch(jobs, self._choose_size())
                    if not batch:
                        drained = True
                        break
                    self.workers.append(self._start_worker(batch))
                if self.workers:
                    self._gather_results()
                while order and order[0] in self.costs:
                    index = order.popleft()
                    yield index, self.results.pop(index, None), self.costs.pop(index)
                if not self.workers and not self.waiting and drained:
                    return
        finally:
            for worker in list(self.workers):
                self._end_worker(worker)

    def _run_here(self, source: Iterator[Job], until: Callable[[], bool]) -> Generator[tuple[int, Result | None, int]]:
        """Run the jobs in this process, where it cannot be forked."""
        before = sys.getrecursionlimit()
        while not until() and (jobs := _take_batch(source, 1)):
            ((index, codes),) = jobs
            sys.setrecursionlimit(count_frames() + self.depth if self.depth else before)
            self.runner.decided = self._describe_decided()
            try:
                result = self.runner.run(codes, self.steps, self.limit)
            finally:
                self.runner.decided = NEVER_DECIDED
                sys.setrecursionlimit(before)
            yield index, result if self._is_news(result) else None, self.overhead + result.steps

    def _describe_decided(self) -> Decided:
        return (
            Decided(self.decided_after, self.known, self.raised, self.missing) if self.decided_after else NEVER_DECIDED
        )

    def _is_news(self, result: Result) -> bool:
        is_past = result.raised < self.raised or result.finds_name(self.missing)
        return bool(result.mask & ~self.known) or is_past or result.status in ("time", "deep")

    def _gather_results(self) -> None:
        # results are written before it is said that they are told, and one reading takes all that a pipe holds
        known = [w.told_before for w in self.workers]
        ready, _, _ = select.select([w.pipe for w in self.workers], [], [], 0.05)
        for worker, position in zip(list(self.workers), known, strict=True):
            if worker.pipe not in ready:
                self._note_costs(worker, position)
                self._unstick(worker)
                continue
            data = os.read(worker.pipe, 65536)
            worker.text += data
            *lines, worker.text = worker.text.split(b"\n")
            for line in lines:
                for index, *result in json.loads(line):
                    self.results[index] = Result(*result)
            if data:
                self._note_costs(worker, position)
                continue
            at, told = worker.position, worker.told_before
            self._end_worker(worker)
            self._note_costs(worker, told)
            if rest := self._list_left(worker, at, told):
                self.waiting.insert(0, rest)

    def _choose_size(self) -> int:
        """How many candidates the next fork gets: more where nothing was found in those before."""
        self.begun += 1
        return 1 if self.alone else BATCH if self.begun <= SOON else LATER

    def _list_left(self, worker: Worker, at: int, told: int) -> list[Job]:
        """What another fork has to do for one that ended ``at`` a candidate: all but those that it has ``told`` of and the one it died of."""
        if at < told:  # it handed its batch back
            return [*worker.jobs[told:]]
        died_of = worker.jobs[at : at + 1] if at >= 0 else worker.jobs[: self._count_stillborn(worker)]
        for index, _ in died_of:
            self.costs[index] = self._find_most_steps()
        return [*worker.jobs[told : max(at, 0)], *worker.jobs[max(at, 0) + len(died_of) :]]

    def _find_most_steps(self) -> int:
        """What one counts that did not come to its end."""
        return self.overhead + int(self.runner.find_net(self.steps) * STEPS_PER_SECOND)

    def _note_costs(self, worker: Worker, end: int) -> None:
        """Note the steps of a worker's candidates up to a position; one that did not come to its end costs all it might have."""
        for position in range(worker.known, end):
            steps = worker.read_steps(position)
            self.costs[worker.jobs[position][0]] = self.overhead + steps if steps else self._find_most_steps()
        worker.known = max(worker.known, end)

    def _count_stillborn(self, worker: Worker) -> int:
        """What is done of a batch whose fork died before it began: nothing, so that no candidate is lost; the second time its first."""
        first, self.stillborn = self.stillborn, worker.jobs[0][0]
        return int(first == self.stillborn)

    def _unstick(self, worker: Worker) -> None:
        """Kill a fork whose candidate has used far more than its time: it is in C code that no timer interrupts."""
        at, cpu = worker.position, read_cpu_time_of(worker.pid)
        if at != worker.at:
            worker.at, worker.cpu_at, worker.clock_at = at, cpu, time.monotonic()
        elif (
            cpu - worker.cpu_at > STUCK * self.runner.find_net(self.steps) + 0.5
            or time.monotonic() - worker.clock_at > WAITING
        ):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)

    def _start_worker(self, jobs: Sequence[Job]) -> Worker:
        shared = mmap.mmap(-1, HEAD + 8 * len(jobs))
        struct.pack_into("q", shared, 0, -1)
        read, write = os.pipe()
        pid = fork_process()
        if pid == 0:
            code = 1
            try:
                os.close(read)
                for other in self.workers:
                    os.close(other.pipe)
                self._run_batch(jobs, shared, write)
                code = 0
            finally:
                os._exit(code)
        os.close(write)
        return Worker(pid, read, jobs, shared)

    def _run_batch(self, jobs: Sequence[Job], shared: mmap.mmap, write: int) -> None:
        """In the fork: run the batch, tell what is worth telling."""
        confine_fork(self.depth, self.memory)
        self.runner.decided = self._describe_decided()
        began = time.process_time()
        news, until = list[list[Any]](), began + TELL
        for position, (index, codes) in enumerate(jobs):
            struct.pack_into("q", shared, 0, position)
            result = self.runner.run(codes, self.steps, self.limit)
            struct.pack_into("q", shared, HEAD + 8 * position, max(result.steps, 1))
            if self._is_news(result):
                news.append([index, *result.list_fields()])
            now = time.process_time()
            is_last = position + 1 == len(jobs) or now - began > SLICE
            if is_last or now > until:
                if news:
                    write_all(write, json.dumps(news).encode() + b"\n")
                struct.pack_into("q", shared, 8, position + 1)
                news, until = [], now + TELL
            if is_last:
                return

    def _end_worker(self, worker: Worker) -> None:
        if worker in self.workers:
            self.workers.remove(worker)
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(worker.pid, 0)
        os.close(worker.pipe)


def _note_order(source: Iterator[Job], order: deque[int]) -> Iterator[Job]:
    for job in source:
        order.append(job[0])
        yield job


def _take_batch(source: Iterator[Job], size: int) -> list[Job]:
    batch = []
    for job in source:
        batch.append(job)
        if len(batch) >= size:
            break
    return batch
