"""A broken program as the benchmarks see it, and the choice of the tests that the search may look at."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Task:
    """A program with one bug. ``definition`` is the cell that holds it, ``tests`` are statements with asserts, one a cell
    or part of one. ``reference`` is a correct version. ``arguments`` are argument lists seen in the tests, from which inputs
    are generated; ``domain`` is an expression over them (by parameter name) that generated ones must satisfy; ``cases`` are
    call expressions over ``seed`` for programs whose arguments are not plain data. ``hidden`` tests are for judging only.
    """

    name: str
    entry: str
    definition: str
    tests: tuple[str, ...]
    reference: str
    hidden: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    domain: str = ""
    cases: str = ""
    compare: str = ""
    """Expression over ``a`` and ``b`` that says when two outcomes agree; empty: equal text."""
    examples: tuple[str, ...] = ()
    """Asserts that the docstring's examples say."""
    ahead: str = ""
    """The source of a cell above the program."""
    runs: tuple[tuple[str, str], ...] = ()
    """What a script reads and prints: the first is the expectation of the definition's cell, all of them are for judging."""
    harness: str = ""
    """Source behind the program, for judging alone, that defines ``entry`` where the program itself does not."""
    specified: bool = False
    """The definition is nothing but a specification: its cell is the failing one, as the tests are what it must do."""
    checked: bool = True
    """False: nobody has made sure that the reference passes the tests and the program does not; that is done before it is healed."""


def choose_tests(task: Task, failing: tuple[int, ...], oracle: str) -> Task:
    """The task with the tests that the search may see: all, the docstring's examples, or N.

    N tests are the first failing one and then the others in the order of the file: without a failing test there is
    nothing to heal. What is left out is hidden, for judging.
    """
    if oracle == "all":
        return task
    if oracle == "docstring":
        return replace(task, tests=task.examples, hidden=task.tests + task.hidden)
    order = sorted(range(len(task.tests)), key=lambda n: (n != (failing or (0,))[0], n))
    kept = sorted(order[: int(oracle)])
    return replace(
        task,
        tests=tuple(task.tests[n] for n in kept),
        hidden=tuple(t for n, t in enumerate(task.tests) if n not in kept) + task.hidden,
    )
