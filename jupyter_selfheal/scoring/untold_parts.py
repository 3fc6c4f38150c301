"""Do the few checks that a patch meets say anything of the rest of what it patches?

Two examples that hold are no proof of a function that they hardly come to, and a second fault in it is applied along with the right mending of the
first. What they leave untold is asked in the trial (:mod:`jupyter_selfheal.inside.search.untold_parts`), of a patch that nothing else speaks against.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.search.added_statements import list_added_lines
from jupyter_selfheal.inside.search.odd_code import HARDLY_MEANT, list_unread_parameters
from jupyter_selfheal.inside.search.program import CHECK
from jupyter_selfheal.model import BASELINE, JSON, Applicability, Attempt, Case, FailureKind, Patch, Probe, Step, Trial
from jupyter_selfheal.scoring.asserts import find_asserts_below, is_assert, list_patched_cells
from jupyter_selfheal.scoring.docstrings import list_docstring_examples, list_example_calls
from jupyter_selfheal.source.asserted_results import collect_asserted_calls
from jupyter_selfheal.source.rerun import DEFINITIONS

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.scoring.evidence import Evidence

UNTOLD = "untold_parts"
"""Name of the probe."""
SECONDS = 60.0
FEW = 4
"""Checks up to which it is asked: five and more are asked for slips by the search, and seldom leave a whole condition untold."""
MANY = 20
"""And those up to which what can hardly be meant is looked for, whatever they say."""
UNBOUND = frozenset({"NameError", "UnboundLocalError"})
"""Failures that say themselves what is missing."""
ASKED = frozenset({"search", "rules"})
"""Healers that it is asked of: it was measured for what is guessed, and for a cell that did not parse."""


class UntoldParts:
    """The oracle that asks what the checks leave untold. It proves nothing; it only raises a doubt."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterator[Step]:
        """The probe, for a guess, or whatever made a cell parse: nothing of that has ever run. Of a safe fix it is only asked what does not run with it either."""
        if patch.healer in ASKED and not patch.rival and (units := _list_units(case, patch)):
            is_asked, many = _is_asked(case, patch), _count_checks(units) > FEW
            given: JSON = {
                "units": units,
                "unrun": not is_asked,
                "added": _list_put_in(case, patch),
                "many": many,
                "sure": _is_sure(case, patch),
                "unread": _list_unread(case, patch),
            }
            if is_asked or not many:
                yield Probe(probe_source("search.untold_parts"), given, UNTOLD, SECONDS)

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        found = trial.probe(UNTOLD)
        if not isinstance(found, str) or not (found.endswith(HARDLY_MEANT) or _has_few(case, patch, evidence)):
            return evidence
        return replace(evidence, untold=found)


def _count_checks(units: Sequence[JSON]) -> int:
    return sum(isinstance(unit, dict) and unit["role"] == CHECK for unit in units)


def _has_few(case: Case, patch: Patch, evidence: Evidence) -> bool:
    """Whether a few values were compared: an example of a docstring that an assert asks as well is no second one."""
    if evidence.checks <= FEW or not evidence.doctests.held:
        return evidence.checks <= FEW
    asserted = collect_asserted_calls(c.source for c in case.notebook.cells if c.kind == "code")
    asked = [call for e in list_docstring_examples(case, patch) for call in list_example_calls(e["docstring"])]
    return evidence.checks - min(evidence.doctests.held, sum(call in asserted for call in asked)) <= FEW


def mark_untold(
    case: Case, patches: Sequence[Patch], seen: Sequence[Evidence], history: Sequence[Attempt]
) -> list[Evidence]:
    """The evidence of each patch, with what is known to be untold of another one that meets the same few checks: what is held back for them is not to
    give way to one that they tell as little from it."""
    told = [e.untold for e in seen] + [a.verdict.untold for a in history if a.verdict is not None]
    told = [text for text in told if text and not text.endswith(HARDLY_MEANT)]
    if not told:
        return list(seen)
    return [
        replace(e, untold=e.untold or told[0]) if _is_asked(case, p) and _has_few(case, p, e) else e
        for p, e in zip(patches, seen, strict=True)
    ]


def _is_asked(case: Case, patch: Patch) -> bool:
    is_open = patch.applicability is not Applicability.SAFE or case.failure.kind is FailureKind.SYNTAX
    return patch.healer in ASKED and is_open


def _is_sure(case: Case, patch: Patch) -> bool:
    """Whether it is a *safe* fix of the one place at which a cell does not parse."""
    return patch.applicability is Applicability.SAFE and case.base == BASELINE


def _list_put_in(case: Case, patch: Patch) -> list[str]:
    """The lines that a guess puts into a function that ran, where no name that is missing asks for them: some statement somewhere meets two checks."""
    is_guess = patch.applicability is not Applicability.SAFE and case.failure.kind is not FailureKind.SYNTAX
    if not is_guess or case.failure.ename in UNBOUND:
        return []
    changes = [(old, new) for _, old, new in list_patched_cells(case, patch) if src.parse(old) and src.parse(new)]
    return [line for old, new in changes for line in list_added_lines(old, new)]


def _list_unread(case: Case, patch: Patch) -> list[str]:
    """The parameters that nothing reads in the cells that a patch changes, as they are."""
    before = [text for _, text, _ in list_patched_cells(case, patch) if src.parse(text)]
    return sorted({name for text in before for name in list_unread_parameters(text)})


def _list_units(case: Case, patch: Patch) -> list[JSON]:
    """The functions that a patch changes, or for which it sets a variable anew, and the asserts of them; none where one asks of anything that these do not give anew."""
    definitions: list[str] = []
    asked = [check.code for check in find_asserts_below(case, patch)]
    made: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    for _, before, after in list_patched_cells(case, patch):
        if src.is_foreign(after):
            return []
        changed = _list_set_anew(before, after)
        for statement in src.list_statements(after):
            found = src.collect_names([statement.node])
            text = src.extract_text(after, statement.node)
            if isinstance(statement.node, DEFINITIONS):
                if text not in before or found.uses & changed:
                    definitions.append(text)
                    names |= found.binds
            elif is_assert(statement.node):
                asked.append(text)
            else:
                made |= found.binds | found.changes
    asked += _list_expected(case, patch)
    asked = [text for text in dict.fromkeys(asked) if src.find_names(text).uses]  # `assert True` asks nothing
    if not definitions or not 0 < len(asked) <= MANY or not all(map(_is_one_check, asked)):
        return []
    uses = [src.find_names(text).uses for text in asked]
    if any(used & made or not used & names for used in uses):
        return []
    define = [{"text": text, "role": "define", "mutable": True} for text in definitions]
    return [*define, *({"text": text, "role": CHECK, "mutable": False} for text in asked)]


def _list_expected(case: Case, patch: Patch) -> list[str]:
    """What the failing cell gives is expected to be, as an assert: it comes to what it calls as other checks do."""
    source = patch.source_of(case.failure.cell_id, case.failure.source)
    last = next(reversed(src.list_statements(source)), None)
    if not case.oracle.expect or last is None or not isinstance(last.node, ast.Expr) or src.is_foreign(source):
        return []
    return [f"assert ({src.extract_text(source, last.node)}) == ({case.oracle.expect})"]


def _list_set_anew(before: str, after: str) -> frozenset[str]:
    """The variables that a statement sets which was not there before."""
    assigned = (s.node for s in src.list_statements(after) if isinstance(s.node, ast.Assign | ast.AnnAssign))
    new = (src.collect_names([node]).binds for node in assigned if src.extract_text(after, node) not in before)
    return frozenset().union(*new)


def _is_one_check(text: str) -> bool:
    return isinstance(parse_module(text).body[0], ast.Assert)
