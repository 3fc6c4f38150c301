"""One trial of one patch: the steps, the limits, the scratch installs.

The innermost of the four files that perform commands: :mod:`.runner` says what each command does, :mod:`.trial_states` which
state a patch is tried from and how many at once, this one what happens in one trial, and :mod:`.cancellation` how none of
them keeps a cancelled heal waiting. It knows neither the dossier nor the events, so that ``engine.prove_patch`` uses it alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import InfrastructureError, KernelError
from jupyter_selfheal.loop import plan
from jupyter_selfheal.loop.reruns import excuse_failed_again
from jupyter_selfheal.model import (
    Applicability,
    Case,
    Ending,
    FailureKind,
    Keep,
    Patch,
    Probe,
    Replace,
    Role,
    Run,
    Sandbox,
    Start,
    Step,
    StepResult,
    Trial,
    TrialRequest,
)
from jupyter_selfheal.ports import LeaveBehind, Scorer, TrialKernel
from jupyter_selfheal.source.endless import has_endless_loop, has_settled_loop

ENDLESS_SECONDS = 3.0
"""Seconds for a cell that has never run, and as patched holds a loop that cannot end, or not after its second round, where no limit is set."""


def run_trial(
    patch: Patch,
    kernel: TrialKernel,
    request: TrialRequest,
    *,
    start: Start,
    install: Callable[[str], str] | None = None,
) -> tuple[Trial, TrialKernel | None]:
    """Run what :func:`build_request` asks for, with the requirements of the patch installed.

    ``start`` says what the state is to *this* cell: the state after an earlier cell's failure is the one before this cell.
    A requirement that cannot be installed is no fault of ours: the trial says so, with nothing run. Raises
    :class:`~jupyter_selfheal.errors.KernelError` where the machinery fails.
    """
    try:
        paths = _install_requirements(patch, install)
    except InfrastructureError as error:
        return Trial(patch.id, (), Ending.CANCELLED, start, kernel.isolation, detail=str(error)), None
    trial, kept = kernel.run(replace(request, paths=paths))
    return replace(excuse_failed_again(request.steps, trial), start=start), kept


def run_trial_in_two(
    patch: Patch, kernel: TrialKernel, request: TrialRequest, *, start: Start, leave_behind: LeaveBehind
) -> tuple[Trial, TrialKernel | None]:
    """The same, up to the cell in one process and what comes behind it in a copy of that: whoever applies the patch need not run the cell
    once more, but goes on from the state that it left, in which nothing has run since.

    The state in which the cell fails is returned, as :func:`run_trial` does. Where that in which it runs cannot be kept, all of it is run in one process.
    """
    runs = [n for n, step in enumerate(request.steps) if isinstance(step, Run) and step.role is Role.CELL]
    upto, below = request.steps[: runs[-1] + 1], request.steps[runs[-1] + 1 :]
    trial, kept = run_trial(patch, kernel, replace(request, steps=upto, keep=Keep.ALWAYS, is_last=True), start=start)
    if not trial.ran:
        skipped = tuple(StepResult("skipped").label(step) for step in below)
        return replace(trial, steps=(*trial.steps, *skipped)), kept
    if kept is not None:
        try:
            left = request.timeout - sum(step.seconds for step in trial.steps)
            behind = _run_behind(kept, trial, replace(request, steps=below, keep=Keep.NEVER, timeout=left))
        except KernelError:
            kept.close()
        except BaseException:
            kept.close()
            raise
        else:
            leave_behind([step for step in upto if isinstance(step, Run)], trial, kept)
            return behind, None
    return run_trial(patch, kernel, replace(request, keep=Keep.NEVER), start=start)


def _run_behind(kept: TrialKernel, trial: Trial, request: TrialRequest) -> Trial:
    """The trial with what comes behind its cell, run in a copy of the state that it left."""
    if not request.steps:
        return trial
    rest, _ = kept.run(request)
    return replace(
        rest,
        steps=(*trial.steps, *rest.steps),
        start=trial.start,
        isolation=min(trial.isolation, rest.isolation, key=lambda i: len(i.layers)),
        seconds=trial.seconds + rest.seconds,
        phases={
            name: trial.phases.get(name, 0.0) + rest.phases.get(name, 0.0) for name in {**trial.phases, **rest.phases}
        },
        blocked=tuple(dict.fromkeys((*trial.blocked, *rest.blocked))),
        peak_mb=max(trial.peak_mb, rest.peak_mb),
    )


def build_request(
    case: Case,
    patch: Patch,
    start: Start,
    scorer: Scorer,
    config: HealConfig,
    *,
    first: tuple[Step, ...] = (),
    calls: Probe | None = None,
) -> TrialRequest:
    """The patched cell, with the oracle's steps behind it: ``first`` come before all others, ``calls`` makes earlier calls again, right before
    the cell."""
    asked_before = (calls,) if calls else ()
    oracle_steps = scorer.list_oracle_steps(case, patch)
    steps = (*first, *plan.build_trial_steps(case, patch, start, oracle_steps, asked_before))
    runs = [s for s in steps if isinstance(s, Run)]
    limit = _compute_time_limit(case, patch, config)
    cells = sum(_has_own_time(s, case, limit) for s in runs)
    below = config.downstream_seconds if any(s.role is Role.DOWNSTREAM for s in runs) else 0.0
    return TrialRequest(
        steps=steps,
        patch_id=patch.id,
        timeout=limit * cells + below + (calls.timeout if calls else 0.0),
        sandbox=build_sandbox(config),
        is_brief=True,
    )


def build_sandbox(config: HealConfig) -> Sandbox:
    """What a trial is allowed."""
    return Sandbox(network=config.network and not config.offline, memory_mb=config.memory_mb)


def _compute_time_limit(case: Case, patch: Patch, config: HealConfig) -> float:
    """Seconds for the cell: three times what it took; of one that was cut off, no more than it had then, and of one that died no more
    than that or than a cell may run. What a rule is sure of gets the case's patience too, but for a loop that cannot end: of a cell that did not
    parse, and so has never run, that is cut at once."""
    seconds, kind = case.failure.seconds, case.failure.kind
    limit = config.compute_trial_limit(seconds / 3 if kind is FailureKind.TIMED_OUT else seconds)
    if (
        kind is FailureKind.DIED and case.patience
    ):  # it filled the memory until then, and may take longer where there is more
        limit = min(limit, max(config.compute_trial_limit(seconds / 3), case.patience))
    is_sure = patch.healer == "rules" and not patch.is_empty and patch.applicability is Applicability.SAFE
    if kind is FailureKind.SYNTAX and (
        _leaves(case, patch, has_endless_loop) or _leaves(case, patch, has_settled_loop)
    ):
        return min(limit, config.timeout or ENDLESS_SECONDS)
    return max(limit, case.patience) if is_sure and not _leaves(case, patch, has_endless_loop) else limit


def _has_own_time(step: Run, case: Case, limit: float) -> bool:
    """Whether a step adds to the time of a trial. What is only defined anew takes none: the cell would have it in its place, which helps
    nobody where it was cut off at its limit, or has more than a cell may run."""
    if step.role is not Role.SETUP:
        return step.role is Role.CELL
    is_enough = case.failure.kind is FailureKind.TIMED_OUT or 0 < case.patience <= limit
    return not (is_enough and _only_defines(step.code))


def _only_defines(code: str) -> bool:
    tree = src.parse(code)
    return tree is not None and all(
        isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for n in tree.body
    )


def _leaves(case: Case, patch: Patch, has_loop: Callable[[ast.AST], bool]) -> bool:
    """Whether the failing cell, as patched, holds such a loop: ``while x < 3: pass``, whose body is commented out."""
    trees = (src.parse(e.source) for e in patch.edits if isinstance(e, Replace) and e.cell_id == case.failure.cell_id)
    return any(tree is not None and has_loop(tree) for tree in trees)


def _install_requirements(patch: Patch, install: Callable[[str], str] | None) -> tuple[str, ...]:
    requirements = plan.list_requirements(patch)
    if requirements and install is None:
        raise InfrastructureError("there is no installer at hand: install it yourself and run the cell again")
    return tuple(install(requirement) for requirement in requirements if install)
