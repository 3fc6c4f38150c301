"""Does a patch cheat? Read from the trees before and after it, not from what it prints.

A patch that makes the failure go away without healing it caps at 3: it deletes the statement that failed, swallows the
exception, leaves early, puts a constant in place of the computation, hard-codes the expected value, weakens an assert or
replaces what failed by a stand-in. What only *may* hide the fault (a guard, ``errors="coerce"``) is named as a remark and
lowers the score.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import USER, is_strangers, load_traits
from jupyter_selfheal.scoring.asked_less import find_asked_less
from jupyter_selfheal.scoring.asserts import list_asserts, list_patched_cells
from jupyter_selfheal.scoring.deletion import (
    find_deletion,
    find_failing_statement,
    read_dotted_call,
    walk_trees,
)
from jupyter_selfheal.scoring.discarded import find_discarded_values
from jupyter_selfheal.scoring.edited_asserts import find_edited_asserts
from jupyter_selfheal.scoring.evidence import ENDS, SKIPS
from jupyter_selfheal.scoring.hidden_missing import count_guards, find_hidden_missing
from jupyter_selfheal.scoring.literals import find_hard_coded
from jupyter_selfheal.scoring.silenced import find_check_turned_off, find_silenced_warning
from jupyter_selfheal.scoring.stand_ins import find_shadowed_calls, find_stand_ins
from jupyter_selfheal.scoring.swallowed_errors import find_swallowed_errors, had_its_handlers
from jupyter_selfheal.scoring.vacuous_conditions import find_disarmed_asserts, find_vacuous_conditions

_NOT_RUN = re.compile(
    r"\s*%%(script\s+(false|true|echo|--no-raise-error)\b|writefile|file|markdown|html|raw|latex|javascript|js|svg)"
)
_MISSING = re.compile(r"^name '(\w+)' is not defined")
_OLD_OPTIONS = {
    "error_bad_lines=False": 'on_bad_lines="skip"',
    "convert_numeric=True": 'errors="coerce"',
    "coerce=True": 'errors="coerce"',
}
"""What asked for a lenient option before it had its name of today."""
LENIENT = "adds"
"""How a remark on a lenient option begins."""
_LEAVES = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort", "get_ipython().kernel.do_shutdown"})


def find_tampering(case: Case, patch: Patch) -> tuple[str, ...]:
    """What in the patch makes the failure go away without healing it, in words; empty for an honest patch.

    A user's own edit is never called tampering, and a rule (not a model, not a search) may say in ``patch.removes`` that
    taking something away is the remedy.
    """
    if patch.healer == USER:
        return ()
    before, after = _list_sources(case, patch)
    old, new = _parse_trees(before), _parse_trees(after)
    tricks: list[str] = []
    trusted = load_traits(patch.healer).trusted
    tricks += _find_not_run(before, after)
    if not (patch.removes and trusted):
        tricks += find_deletion(case, old, new, after, trusted=trusted)
    if not had_its_handlers(before, after):
        missing = _MISSING.search(case.failure.evalue) if case.failure.ename == "NameError" else None
        tricks += find_swallowed_errors(old, new, missing[1] if missing else "")
    tricks += _find_early_exits(old, new)
    tricks += find_stand_ins(case, old, new)
    if not trusted:
        tricks += find_shadowed_calls(case, old, new)
    if silenced := find_silenced_warning(case, patch):
        tricks.append(silenced)
    if turned_off := find_check_turned_off(case, patch):
        tricks.append(turned_off)
    if hidden := find_hidden_missing(case, patch, old, new):
        tricks.append(f"keeps from running what reads `.{hidden}`, which nothing has")
    tricks += _find_weakened_asserts(before, after)
    tricks += find_edited_asserts(case, _list_all_asserts(before), _list_all_asserts(after), trusted=trusted)
    own = case.failure.ename == "AssertionError"
    if (own or not trusted) and find_asked_less(case, before, after, spare_failed=is_strangers(patch.healer)):
        tricks.append("asks an assert less often than before")
    tricks += find_hard_coded(case, old, new)
    tricks += find_disarmed_asserts(before, after)
    if old or not trusted:  # a rule only rewrites what is there, where the cell did not parse before
        tricks += find_vacuous_conditions(old, new)
        tricks += find_discarded_values(before, new)
    return tuple(dict.fromkeys(tricks))


def find_remarks(case: Case, patch: Patch) -> tuple[str, ...]:
    """What may hide the fault though it need not: guards around the failing statement, lenient options."""
    before, after = _list_sources(case, patch)
    old, new = _parse_trees(before), _parse_trees(after)
    lenient = _collect_lenient_options(new) - _collect_lenient_options(old) - _collect_asked_for(old)
    doubts = [f"{LENIENT} {option}" for option in sorted(lenient)]
    statement = find_failing_statement(case)
    if statement is not None and count_guards(new, statement) > count_guards(old, statement):
        doubts.append("runs the failing statement only under a condition")
    if _count_nodes(new, ast.Continue) > _count_nodes(old, ast.Continue):
        doubts.append(SKIPS)
    if _count_nodes(new, ast.Break) > _count_nodes(old, ast.Break):
        doubts.append(ENDS)
    return tuple(doubts)


def _list_sources(case: Case, patch: Patch) -> tuple[list[str], list[str]]:
    cells = list_patched_cells(case, patch)
    return [before for _, before, _ in cells], [after for _, _, after in cells]


def _parse_trees(sources: Iterable[str]) -> list[ast.Module]:
    return [tree for source in sources if (tree := src.parse(source)) is not None and not src.is_foreign(source)]


# --- leaving early --------------------------------------------------------------------------------------------------


def _find_not_run(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for old, new in zip(before, after, strict=True):
        if _NOT_RUN.match(new) and not _NOT_RUN.match(old):
            yield "turns the cell into one that is not run"


def _find_early_exits(old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    if len(_list_exits(new)) > len(_list_exits(old)):
        yield "ends the run early"
    if len(_list_jumps(new)) > len(_list_jumps(old)):
        yield "jumps over the statements that follow"


def _list_exits(trees: list[ast.Module]) -> list[ast.AST]:
    return [
        n
        for n in walk_trees(trees)
        if (isinstance(n, ast.Call) and read_dotted_call(n) in _LEAVES)
        or (isinstance(n, ast.Raise) and n.exc is not None and "SystemExit" in src.dump_tree(n.exc))
    ]


def _list_jumps(trees: list[ast.Module]) -> list[ast.stmt]:
    """Unconditional return, continue or break with statements after it in the same block: they can never run. A text that stands alone
    at the end is a comment, and is none of them."""
    jumps: list[ast.stmt] = []
    for node in walk_trees(trees):
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                done = [n for n in block if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
                jumps += [n for n in done[:-1] if isinstance(n, ast.Return | ast.Continue | ast.Break)]
    return jumps


# --- asserts --------------------------------------------------------------------------------------------------------


def _find_weakened_asserts(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    left = [_describe_shape(n) for source in after for n in list_asserts(source)]
    for source in before:
        for node in list_asserts(source):
            shape = _describe_shape(node)
            if shape in left:
                left.remove(shape)
            else:
                yield "weakens or removes an assert"
                return


def _list_all_asserts(sources: Sequence[str]) -> list[ast.stmt]:
    return [node for source in sources for node in list_asserts(source)]


def _describe_shape(node: ast.stmt) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an assert demands, whatever its names are called: its constants and its operators, calls counted."""
    tested = node.test if isinstance(node, ast.Assert) else node
    constants, signs = [], []
    for n in ast.walk(tested):
        if isinstance(n, ast.Constant):
            if not isinstance(n.value, str):
                constants.append(repr(n.value))
        elif isinstance(n, ast.cmpop | ast.boolop | ast.unaryop):
            signs.append(type(n).__name__)
    return tuple(sorted(constants)), tuple(sorted(signs))


# --- remarks --------------------------------------------------------------------------------------------------------


def _collect_lenient_options(trees: list[ast.Module]) -> set[str]:
    return {
        f'{n.arg}="{n.value.value}"'
        for n in walk_trees(trees)
        if isinstance(n, ast.keyword)
        and n.arg in ("errors", "on_bad_lines")
        and isinstance(n.value, ast.Constant)
        and n.value.value in ("ignore", "coerce", "skip", "replace")
    }


def _collect_asked_for(trees: list[ast.Module]) -> set[str]:
    """The lenient options that the code asked for by the names that they had: ``error_bad_lines=False``, ``convert_numeric=True``."""
    given = (n for n in walk_trees(trees) if isinstance(n, ast.keyword) and isinstance(n.value, ast.Constant))
    written = {f"{n.arg}={ast.unparse(n.value)}" for n in given}
    return {new for old, new in _OLD_OPTIONS.items() if old in written}


def _count_nodes(trees: list[ast.Module], kind: type[ast.AST]) -> int:
    return sum(1 for n in walk_trees(trees) if isinstance(n, kind))
