"""Does the result follow its inputs? An answer that was written into the code in parts stays what it is, whatever it is given.

Trees show an expected value that was written down whole (:mod:`.literals`). What stands there in part, or is put together from
constants, is seen by running: where a model's or an agent's patch brings constants of its own, the cell runs again in forks of the
trial with its inputs changed, and what is expected must move with one of them.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import Case, Patch, Probe, Step, Trial
from jupyter_selfheal.registry import is_strangers
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.literals import is_among, is_ordinary, list_expected_literals
from jupyter_selfheal.scoring.tampering import find_tampering

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.scoring.evidence import Evidence

CHANGED_INPUTS = "changed_inputs"
"""Name of the probe."""
SECONDS = 20.0
FEW, SOME = 2, 3
"""Changed runs that show a part of a result to be fixed, and a whole result."""
LARGE = 10**9

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class ChangedInputs:
    """The oracle that runs a patched cell on changed inputs. It proves nothing; it only raises a doubt."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> Iterable[Step]:
        """The probe, where the patch is somebody's who may write the answer down, and brings a constant that could be (in) one."""
        code = patch.source_of(case.failure.cell_id, case.failure.source)
        if not is_strangers(patch.healer) or src.is_foreign(code) or src.parse(code) is None:
            return
        own, free = _list_own_constants(case, patch), _list_free_constants(case, patch)
        if not (own and (_list_expected_parts(case) or any(map(_holds_number, free)))) or find_tampering(case, patch):
            return
        old = case.failure.source
        names = sorted(src.find_names(code).uses | src.find_names(old).uses)
        literals = sorted({repr(v) for n in src.walk(old) if isinstance(n, ast.Constant) and _can_vary(v := n.value)})
        argument = {"code": src.mask(code), "names": list(names), "literals": list(literals)}
        yield Probe(probe_source("probes.vary_inputs"), argument, CHANGED_INPUTS, SECONDS)

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        found = trial.probe(CHANGED_INPUTS)
        return replace(evidence, fixed=_find_fixed(case, patch, found)) if isinstance(found, dict) else evidence


def _find_fixed(case: Case, patch: Patch, found: Mapping[str, Any]) -> str:
    """What of the result does not follow the inputs, in words; empty where all does, or too little was seen."""
    own, expected = _list_own_constants(case, patch), _list_expected_parts(case)
    stays = [value for value, moved in found["leaves"] if not moved and is_among(value, expected)]
    inputs = " or ".join(found["inputs"][:3])
    written = next((value for value in stays if is_among(value, own)), None)
    if written is not None and found["ran"] >= FEW:
        return f"the {written!r} in its result is written in the patch, and stays when {inputs} changes"
    frozen = bool(found["leaves"]) and all(not moved for _, moved in found["leaves"])
    if frozen and found["ran"] >= SOME and any(map(_holds_number, _list_free_constants(case, patch))):
        return f"its result holds numbers of the patch's own, and stays the same when {inputs} changes"
    return ""


def _holds_number(value: Any) -> bool:
    return bool(_NUMBER.search(value)) if isinstance(value, str) else True


def _list_expected_parts(case: Case) -> list[Any]:
    """The numbers and texts that the oracles of the case compare with, or that are in what they compare with."""
    parts: list[Any] = []
    for value in list_expected_literals(case):
        parts += _list_leaves(value)
    return [v for v in parts if not is_ordinary(v)]


def _list_leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _list_leaves(item)
        return
    yield value
    if isinstance(value, str):
        yield from (float(number) for number in _NUMBER.findall(value))


def _list_own_constants(case: Case, patch: Patch) -> list[Any]:
    """What can be read off the patch as a constant, arithmetic of constants included, and stands nowhere in what it patches, nor above."""
    known = _list_known_constants(case, patch)
    return [v for v in _list_constants(_parse_after(case, patch)) if not is_ordinary(v) and not is_among(v, known)]


def _list_free_constants(case: Case, patch: Patch) -> list[Any]:
    """Those of them that are operands or arguments of plain functions: no options, indices or arguments of methods."""
    trees = _parse_after(case, patch)
    bound: set[int] = set()
    for outer in (n for tree in trees for n in ast.walk(tree)):
        parts: Sequence[ast.AST] = ()
        if isinstance(outer, ast.keyword):
            parts = (outer.value,)
        elif isinstance(outer, ast.Subscript):
            parts = (outer.slice,)
        elif isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute):
            parts = outer.args
        bound |= {id(n) for part in parts for n in ast.walk(part)}
    own = _list_own_constants(case, patch)
    return [v for v in _list_constants(trees, bound) if is_among(v, own)]


def _list_known_constants(case: Case, patch: Patch) -> list[Any]:
    before = [old for _, old, _ in list_patched_cells(case, patch)]
    above = [c.source for c in case.notebook.list_code_before(case.failure.cell_id)]
    return _list_constants([tree for text in (*before, *above, case.failure.source) if (tree := src.parse(text))])


def _parse_after(case: Case, patch: Patch) -> list[ast.Module]:
    return [tree for _, _, new in list_patched_cells(case, patch) if (tree := src.parse(new)) is not None]


def _list_constants(trees: Sequence[ast.AST], skipped: set[int] | frozenset[int] = frozenset()) -> list[Any]:
    found = []
    for node in (n for tree in trees for n in ast.walk(tree) if id(n) not in skipped):
        value = _fold_constant(node)
        if _can_vary(value):
            found.append(value)
    return found


def _can_vary(value: Any) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _fold_constant(node: ast.AST) -> Any:
    """The number or text that a constant, or plain arithmetic of constants, comes to; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _fold_constant(node.operand)
        return -value if isinstance(value, int | float) else None
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _fold_constant(node.left), _fold_constant(node.right)
        texts = isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Add)
        if texts or (_is_small(left) and _is_small(right)):
            try:
                return _ARITHMETIC[type(node.op)](left, right)
            except (ArithmeticError, TypeError):
                return None
    return None


def _is_small(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGE
