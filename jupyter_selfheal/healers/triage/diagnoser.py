"""What a failure comes from, and whether it must be left alone: deliberate, a skeleton, missing data, the network, …

Each check is certain of one thing or says nothing; the first that speaks decides. Where a cause outside of the code may still
be mended within it (a file elsewhere in the tree, a module that was renamed), the rules are asked: if one of them has a
patch, nothing is left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.endless_loops import (
    describe_end,
    is_memory_filled_by_loop,
    list_endless_loops,
)
from jupyter_selfheal.healers.rules.healer import RulesHealer
from jupyter_selfheal.healers.triage import causes, flaky
from jupyter_selfheal.healers.triage.left_alone import (
    announced,
    damaged_file,
    exercises,
    foreign,
    meant,
    outside,
    raw_data,
    saved_errors,
)
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies
from jupyter_selfheal.model import Applicability, Case, Diagnosis, FailureKind, Install, Locus, Patch
from jupyter_selfheal.ports import Facts, Starts

Check = Callable[[RuleContext, Remedies], Diagnosis | None]


class Triage:
    """:class:`~jupyter_selfheal.ports.Diagnoser` by the failure, the notebook and the live state."""

    def __init__(self, rules: RulesHealer | None = None) -> None:
        self._rules = rules or RulesHealer()

    def diagnose(self, case: Case, facts: Facts) -> Diagnosis:
        """The first check that is certain decides; else the cause is in the code, here or in the cell of the frame. An error that
        is saved with its cell may be meant all the same."""
        context = RuleContext(case, facts)
        remedies = _AskedOnce(self._rules)
        found = (check(context, remedies) for check in CHECKS)
        diagnosis = next((d for d in found if d is not None), None) or _diagnose_in_code(context, remedies)
        is_open = diagnosis.skip_reason is None or not diagnosis.skip_reason.is_final
        kept = is_open and saved_errors.is_kept(context)
        return replace(diagnosis, kept=kept, may_be_meant=kept and not saved_errors.is_plain_slip(context, remedies))


class _AskedOnce:
    """What the rules would change of one failure: several checks want to know it, and all rules take their time."""

    def __init__(self, rules: RulesHealer) -> None:
        self._rules = rules
        self._found: tuple[Patch, ...] | None = None

    def has_remedy(self, context: RuleContext) -> bool:
        """True where a rule has a patch of the notebook itself, not only an installation."""
        return any(not isinstance(e, Install) for p in self.list_remedies(context) for e in p.edits)

    def has_safe_remedy(self, context: RuleContext) -> bool:
        """True where a rule has a patch that it calls safe."""
        return any(p.applicability is Applicability.SAFE for p in self.list_remedies(context))

    def list_remedies(self, context: RuleContext) -> tuple[Patch, ...]:
        """What the rules would change."""
        if self._found is None:
            self._found = self._rules.propose(context.case, Starts(), context.facts, ()).patches
        return self._found


def _diagnose_in_code(context: RuleContext, remedies: _AskedOnce) -> Diagnosis:
    """The cause in the code; where all that mends it needs a distribution that is not installed (``np.pmt``), which one."""
    diagnosis = _diagnose_code(context)
    if context.failure.ename not in ("AttributeError", "ImportError", "ModuleNotFoundError", "UsageError"):
        return diagnosis
    found = remedies.list_remedies(context)
    installs = [next((e for e in patch.edits if isinstance(e, Install)), None) for patch in found]
    if not installs or None in installs:
        return diagnosis
    first = next(e for e in installs if e is not None)
    return replace(
        diagnosis, cause=found[0].cause, advice=f"Install what has it (`{first.line}`), or heal with `--install`."
    )


def _diagnose_code(context: RuleContext) -> Diagnosis:
    failure = context.failure
    if failure.kind is FailureKind.MISSED:
        return Diagnosis("The cell runs, but its result is not the expected one.", Locus.CODE, failure.cell_id)
    if failure.kind is FailureKind.SYNTAX:
        told = failure.headline.removeprefix(f"{failure.ename}: ")
        return Diagnosis(f"Syntax error: {told}", Locus.CODE, failure.cell_id)
    if failure.kind is FailureKind.TIMED_OUT or is_memory_filled_by_loop(context):
        return _diagnose_timeout(context)
    cell_id, _, line = context.location
    is_elsewhere = context.notebook.index(cell_id) >= 0 and cell_id != failure.cell_id
    likely = causes.find_likely_cause(context)
    if likely is not None:
        cause, advice = likely
        locus = Locus.ELSEWHERE if is_elsewhere else Locus.CODE
        return Diagnosis(cause, locus, cell_id, advice=advice)
    if is_elsewhere:
        place = context.notebook.name_cell(cell_id)
        return Diagnosis(
            f"{failure.death or failure.headline}, raised in {place}, line {line}", Locus.ELSEWHERE, cell_id
        )
    told = failure.death or failure.headline + (f", at line {line}" if line else "")
    return Diagnosis(told, Locus.CODE, failure.cell_id)


def _diagnose_timeout(context: RuleContext) -> Diagnosis:
    """The loop that cannot end, where one can be seen in which the cell was stopped; one that may have been it where nobody knows."""
    found = next(list_endless_loops(context), None)
    if found is None:
        return Diagnosis("The cell does not finish within the time limit.", Locus.CODE, context.failure.cell_id)
    cell_id, _, loop = found
    is_here = cell_id == context.failure.cell_id
    where = f"line {loop.lineno}" + ("" if is_here else f" of {context.notebook.name_cell(cell_id)}")
    condition = src.extract_text(context.source_of(cell_id), loop.test)
    cause = f"The loop in {where} {describe_end(context)}: nothing in it changes `{condition}`."
    return Diagnosis(
        cause,
        Locus.CODE if is_here else Locus.ELSEWHERE,
        cell_id,
        advice=f"Change what `{condition}` reads in the loop, or leave it with `break`.",
    )


CHECKS: tuple[Check, ...] = (
    # what a person meant comes before what a machine lacks; the cheap and certain before what asks the rules
    meant.diagnose_interrupted,
    meant.diagnose_deliberate,
    announced.diagnose_announced,
    saved_errors.diagnose_shown_error,
    meant.diagnose_skeleton,
    exercises.diagnose_open_value,
    exercises.diagnose_unfinished_line,
    exercises.diagnose_open_exercise,
    foreign.diagnose_not_python,
    outside.diagnose_input,
    outside.diagnose_memory,
    outside.diagnose_credential,
    outside.diagnose_network,
    damaged_file.diagnose_pointer,
    outside.diagnose_missing_data,
    outside.diagnose_missing_module,
    outside.diagnose_machine,
    flaky.diagnose_flaky,  # what was measured comes before what the data may have to do with it
    damaged_file.diagnose_damaged_file,
    damaged_file.diagnose_uneven_line,
    damaged_file.diagnose_empty_file,
    raw_data.diagnose_bad_data,
    raw_data.diagnose_gap,
    raw_data.diagnose_record,
    meant.diagnose_own_check,
)
