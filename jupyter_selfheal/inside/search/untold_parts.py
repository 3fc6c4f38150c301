"""What few checks leave untold of a patched function: the slips in it with which all of them would hold as well.

A fix that meets two examples says that of what they come to. Where a condition can be turned round, and no example notices, or two
likely slips (:mod:`.likely_slips`) can be made, or a statement that reckons something is come to by none of them, a second fault may stand there just as unnoticed. A slip counts where it makes a difference for a
call like the checked ones, and no larger; that it was made is not said, only that nothing tells. So do many slips without one, and more conditions and loops than there are checks.
"""

from __future__ import annotations

import ast
import contextlib
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.broken_laws import list_alike
from jupyter_selfheal.inside.search.called_functions import is_defined_in
from jupyter_selfheal.inside.search.compare_behaviour import CHANGES, LATE, Input, collect_behaviours
from jupyter_selfheal.inside.search.confined_forks import limit_recursion, run_in_fork, skip_sleep
from jupyter_selfheal.inside.search.described_bounds import find_contradicted_bound, is_told_by, read_docstrings
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.hypotheses import ENDLESS
from jupyter_selfheal.inside.search.idle_conditions import count_decisions, list_one_way
from jupyter_selfheal.inside.search.input_domain import list_near
from jupyter_selfheal.inside.search.likely_slips import Slip, list_slips
from jupyter_selfheal.inside.search.localise_faults import trace_program
from jupyter_selfheal.inside.search.odd_code import HARDLY_MEANT, find_idle_question, find_odd_code
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.program import DEFINE, Program, compile_unit, fingerprint, read_program
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.unrun_statements import has_run
from jupyter_selfheal.inside.search.vary_checks import make_variations, run_variations

FIXED = 2
"""Conditions that come out one way in every check, from which on that is said."""
SHOWN, SHARE = 2, 0.15
"""Slips that pass and of which a call shows the difference, from which on it is said; and the share of all slips that may pass, shown or not."""
SHOWN_OF_SURE, SHARE_OF_SURE = 3, 0.2
"""And of one mend that by itself can only be meant so, a missing colon: how many slips must be shown, and which share of those that make a difference."""
MOST = 250
"""Slips that are tried: of more every second, or third, one."""
TRACED, EACH, ALL, COMPARED = 400_000, 25_000, 4_000_000, 4_000_000
"""Steps for the checks as they are, for those with one slip at least, for those with all, and for the calls that compare them."""
FEWEST, CALLS = 10, 150
"""Calls like the checked ones with which a slip is looked for: so few are too few, and so many at most."""
WAIT = 60.0
"""Seconds on the clock after which it is given up."""
QUOTED = 60
"""Characters of the code that is quoted."""

Arguments = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: only what the checks do not run (``unrun``), or only what can hardly be meant whatever they say (``many``); whether the patch is one
    mend that by itself can only be meant so (``sure``), the lines that a guess puts in (``added``), and the parameters that nothing read without it
    (``unread``)."""

    unrun: bool = False
    many: bool = False
    sure: bool = False
    added: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Made:
    """A slip in one of the program's units."""

    slip: Slip
    codes: Mapping[int, CodeType]


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> str:
    """The doubt about the functions of a patched cell that ran, and whose checks hold; empty where these tell enough, or it is not known."""
    with warnings.catch_warnings(), skip_sleep(), limit_recursion():
        warnings.simplefilter("ignore")
        program, added = read_program(argument), tuple(argument.get("added", ()))
        unrun, many, sure = (bool(argument.get(key)) for key in ("unrun", "many", "sure"))
        asked = Asked(unrun, many, sure, added, tuple(argument.get("unread", ())))
        said = run_in_fork(lambda: describe_untold(program, shell.user_ns, asked), WAIT)
    return said if isinstance(said, str) else ""


def describe_untold(program: Program, space: dict[str, Any], asked: Asked) -> str:
    """What the checks of a program leave untold, in words. To be called in a fork."""
    runner = Runner(program, space)
    sight = trace_program(runner, TRACED)
    if sight.result.failed or not sight.result.passed:
        return ""
    odd = "" if asked.unrun else _find_odd(runner, sight.ran, asked)
    if asked.many:
        return odd
    unrun = next(
        (
            text
            for n, u in enumerate(program.units)
            if u.role == DEFINE and (text := find_unrun(u.text, sight.ran.get(n, ())))
        ),
        "",
    )
    if unrun or asked.unrun:
        return f"no check comes to `{_cut_line(unrun)}`" if unrun else ""
    if odd := odd or _find_fixed(runner, sight.ran):
        return odd
    made = list(_list_made(runner))
    for function, checked in sight.checked.items():
        is_defined = any(u.role == DEFINE and is_defined_in(u.text, function) for u in program.units)
        alike = _list_calls(sight.calls.get(function, ()), checked) if checked and is_defined else []
        if endless := _find_endless(runner, function, checked, alike):
            return f"`{endless}` does not come to an end"
        if alike:
            passing, noticed = _list_passing(runner, made, max(EACH, 4 * sight.result.steps))
            missed = _list_missed(runner, passing, function, [*checked, *alike])
            break
    else:
        passing, noticed = _list_passing(runner, made, max(EACH, 4 * sight.result.steps))
        missed = _list_missed_by_varied(runner, passing)
    return (
        _describe_missed(missed, noticed, asked)
        or _describe_turned(passing, asked.added)
        or ("" if asked.sure else _describe_too_few(program, sight.result.passed, passing, noticed))
    )


def _find_odd(runner: Runner, ran: Mapping[int, Collection[int]], asked: Asked) -> str:
    """What can hardly be meant in the functions that ran, by itself or by their docstring."""
    defined = [(n, u.text) for n, u in enumerate(runner.program.units) if u.role == DEFINE and n in ran]
    if odd := next((odd for n, text in defined if (odd := find_odd_code(text, ran[n], bool(asked.added)))), ""):
        return odd
    for n, text in defined if asked.unread else ():
        if odd := find_idle_question(text, asked.unread, list_one_way(runner, n, TRACED)):
            return odd
    said = next((said for _, text in defined if (said := find_contradicted_bound(text))), None)
    if said is None:
        return ""
    return f"the docstring says `{said[0]}`, and `{_cut_line(said[1])}` is not on that side, which {HARDLY_MEANT}"


def _find_fixed(runner: Runner, ran: Mapping[int, Collection[int]]) -> str:
    """The first two conditions in the functions that ran which no check has both ways; one that stands twice is one."""
    defined = [n for n, u in enumerate(runner.program.units) if u.role == DEFINE and n in ran]
    fixed = list(dict.fromkeys(condition for n in defined for condition in list_one_way(runner, n, TRACED)))
    if len(fixed) < FIXED:
        return ""
    return f"`{_cut_line(fixed[0])}` and `{_cut_line(fixed[1])}` come out the same way in every check"


def find_unrun(text: str, ran: Collection[int]) -> str:
    """The first statement that reckons something and did not run, of a function of which some did; empty where there is none.

    Not one that handles an error or only tells what is known: nothing is reckoned by ``return False``.
    """
    for function in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
        if not any(has_run(s, ran) for s in function.body):
            continue
        left = [*function.body]
        while left:
            node = left.pop(0)
            if isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
                left[:0] = [*node.body, *getattr(node, "orelse", ())]
            elif _reckons(node) and not has_run(node, ran):
                return ast.unparse(node)
    return ""


def _reckons(node: ast.stmt) -> bool:
    """Whether a statement sets a variable, or gives or changes a value by more than to name, or to keep, what is there (`out += letter`)."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return node.value is not None
    if isinstance(node, ast.AugAssign):
        return not (isinstance(node.op, ast.Add) and isinstance(node.value, ast.Name))
    if isinstance(node, ast.Expr):
        call = node.value
        if not isinstance(call, ast.Call) or ast.unparse(call.func) in ("print", "warnings.warn"):
            return False
        is_kept = isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "add")
        return not (is_kept and all(isinstance(a, ast.Name) for a in call.args))
    return isinstance(node, ast.Return) and any(isinstance(n, ast.Call | ast.BinOp) for n in ast.walk(node))


def _find_endless(runner: Runner, function: str, checked: Sequence[Arguments], alike: Sequence[Arguments]) -> str:
    """A call like the checked ones, and of no number beyond all of theirs, that does not come to an end; empty where there is none."""
    alike = [given for given in alike if all(map(_is_between, given, zip(*checked, strict=False)))]
    (shown,) = collect_behaviours(runner, [{}], function, [*checked, *alike], COMPARED)
    late = (g for g, said in zip(alike, shown[len(checked) :], strict=False) if said in ENDLESS)
    return next((Input(function, given).text for given in late), "")


def _is_between(value: Any, checked: Sequence[Any]) -> bool:
    numbers = [c for c in checked if isinstance(c, int | float)]
    return not isinstance(value, int | float) or not numbers or min(numbers) <= value <= max(numbers)


def _list_calls(calls: Sequence[Arguments], checked: Sequence[Arguments]) -> list[Arguments]:
    """Generated calls like the checked ones, and such as are made of these; where hardly any has all that these share of one argument to another,
    those that have what each argument shares by itself."""
    alike = list_alike(calls, checked)
    texts = set(map(repr, alike))
    alike += [g for g in list_alike([*calls, *alike], checked) if repr(g) not in texts]
    if len(alike) < FEWEST:
        given = generate_inputs([*checked, *calls])
        near = zip(given, list_near(given, checked), strict=True)
        alike += [g for g, is_near in near if is_near and g not in alike and g not in checked]
    return alike[:CALLS]


def _list_made(runner: Runner) -> Iterator[_Made]:
    """The slips in the definitions, as code, each once; what a docstring tells ("under six") is no slip."""
    known = {(n, fingerprint(code)) for n, code in enumerate(runner.codes)}
    units = [(n, u.text) for n, u in enumerate(runner.program.units) if u.role == DEFINE and u.mutable]
    slips = [
        (n, slip)
        for n, text in units
        for docstrings in [read_docstrings(text)]
        for slip in list_slips(text)
        if not is_told_by(docstrings, slip.old)
    ]
    for n, slip in slips[:: len(slips) // MOST + 1]:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            code = compile_unit(runner.program, n, slip.text)
            if (key := (n, fingerprint(code))) not in known:
                known.add(key)
                yield _Made(slip, {n: code})


def _list_passing(runner: Runner, made: Sequence[_Made], steps: int) -> tuple[list[_Made], int]:
    """Those with which every check holds, and how many there are with which one does not."""
    until, spent, noticed = time.monotonic() + WAIT, 0, 0
    passing = []
    jobs = iter([(n, dict(m.codes)) for n, m in enumerate(made)])
    with contextlib.closing(Pool(runner, steps, 1).collect_results(jobs, lambda: time.monotonic() > until)) as results:
        for n, result, cost in results:
            spent += cost
            if result is not None and result.plausible:
                passing.append(made[n])
            else:
                noticed += 1
            if spent > ALL:
                break
    return passing, noticed


def _list_missed(
    runner: Runner, passing: Sequence[_Made], function: str, given: Sequence[Arguments]
) -> list[tuple[Slip, str]]:
    """Of the slips that pass those that give another value for a call, with that call in words."""
    variants = [{}, *(dict(m.codes) for m in passing)]
    right, *others = collect_behaviours(runner, variants, function, given, COMPARED)
    missed = []
    for made, shown in zip(passing, others, strict=True):
        for arguments, *pair in zip(given, right, shown, strict=False):
            mine, theirs = (text.removesuffix(CHANGES) for text in pair)
            if mine != theirs and LATE not in (mine, theirs) and "!" not in (mine[:1], theirs[:1]):
                call = Input(function, arguments).text
                missed.append((made.slip, f"`{call}` gives {mine}, and would give {theirs}"))
                break
    return missed


def _list_missed_by_varied(runner: Runner, passing: Sequence[_Made]) -> list[tuple[Slip, str]]:
    """The same where no call can be made up (of a tree, or a list of nodes): by the checks with other literals in them."""
    variations = make_variations(runner.program, ()) if passing else []
    right, *others = run_variations(runner, [{}, *(m.codes for m in passing)], variations, COMPARED)
    missed = []
    for made, shown in zip(passing, others, strict=True):
        for variation, mine, theirs in zip(variations, right, shown, strict=True):
            if mine != theirs and LATE not in (mine, theirs) and "!" not in (mine[:1], theirs[:1]):
                missed.append((made.slip, f"a check with {variation.text} would give another value then"))
                break
    return missed


def _describe_turned(passing: Sequence[_Made], added: Collection[str]) -> str:
    """Of the slips that pass one that turns a condition round, though no call that was made up shows what it does: no check needs it as it stands. Or one
    that returns another result than the one which a guess does."""
    slips = [made.slip for made in passing]
    turned = next((s for s in slips if s.turned or (s.other and s.line in added)), None)
    return _write_instead(turned) if turned else ""


def _describe_missed(missed: Sequence[tuple[Slip, str]], noticed: int, asked: Asked) -> str:
    """The first that tells: a condition turned round, one in what a guess puts in, which is as much of a guess, or where there are several of them."""
    turned = next(((s, told) for s, told in missed if s.turned or s.reversed or s.line in asked.added), None)
    least = max(SHOWN_OF_SURE, SHARE_OF_SURE * (len(missed) + noticed)) if asked.sure else SHOWN
    if turned is None and len(missed) < least:
        return ""
    slip, told = turned or missed[0]
    return f"{_write_instead(slip)}: {told}"


def _describe_too_few(program: Program, checks: int, passing: Sequence[_Made], noticed: int) -> str:
    """That so few checks are no proof, where more slips pass than can all be idle, or there is more to decide than they are: what they say of the rest
    was wrong in one patch of seven (docs/adr/0051)."""
    told = "1 example does" if checks == 1 else f"{checks} examples do"
    if len(passing) > max(SHOWN, SHARE * (len(passing) + noticed)):
        return f"{told} not tell enough, as {len(passing)} of {len(passing) + noticed} small slips would pass"
    decisions = sum(count_decisions(u.text) for u in program.units if u.role == DEFINE)
    if decisions > checks:
        return f"{told} not tell enough of what has {decisions} conditions and loops"
    return ""


def _write_instead(slip: Slip) -> str:
    instead = (
        f"if `{_cut_line(slip.old)}` were `{_cut_line(slip.new)}`" if slip.new else f"without `{_cut_line(slip.old)}`"
    )
    return f"the checks would also hold {instead}"


def _cut_line(text: str) -> str:
    """The first line of a code, cut where it is long."""
    line = text.partition("\n")[0]
    return line if len(line) <= QUOTED else line[: QUOTED - 1] + "…"
