"""The one value to ask the user for, where plausible patches disagree and nothing decides between them.

What is asked about is what a person sees first: the value that the cell shows, what it prints, then its variables. The
patches are grouped by it; one answer leaves one group.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.difference import cut_text
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import (
    AS_LIKELY,
    JSON,
    Applicability,
    Candidate,
    Case,
    Patch,
    Probe,
    Question,
    Replace,
    Role,
)
from jupyter_selfheal.registry import USER
from jupyter_selfheal.scoring import output_text
from jupyter_selfheal.scoring.asserts import find_asserts_below, list_patched_cells
from jupyter_selfheal.scoring.randomness import draws_unseeded
from jupyter_selfheal.scoring.readings import ask_about_reading

Look = Callable[[Patch, Probe], JSON]
"""Runs the patched cell once more and asks the probe behind it."""

NEAR = 1.5
"""A patch whose score is this much below the best one's is no rival of it."""

RIVALS = 6
"""Patches that are compared, best first."""

ANSWERS = 4
"""Answers to choose from: more is no question of one value."""

SHOWN = 80
"""Characters of an answer; values that agree so far are not asked about."""

_OUT = re.compile(r"(?:^|\n)Out\[\d+\]: ?((?s:.*))$")
"""How terminal IPython prints the value of a cell."""

VALUES = "values"
CALLS = "changed_calls"
CALLS_SECONDS = 20.0
LOOK_SECONDS = 5.0
"""Longer than this no patch is run again only to look at its variables."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about: how the question calls it, what it is about, and the expression (see :class:`Question`)."""

    words: str
    kind: str
    expression: str = ""


def choose_questions(
    case: Case, candidates: Sequence[Candidate], look: Look, accept: float = 7.0
) -> tuple[Question, ...]:
    """The question to ask, none where the candidates agree, or where something else decides.

    Candidates that would be applied, with equal evidence and different values, are asked about first, and block; so are those that
    show the same here, and change functions so that another call of them gives something else. Of offers that show the same and differ in
    one name, that name is asked for.
    """
    tied = _select_tied(case, candidates, accept)
    for subject, texts in _collect_values(case, tied, look) if len(tied) > 1 else ():
        values = {c.patch.id: text for c, text in zip(tied, texts, strict=True)}
        if len(_group_patches(values)) > 1:
            return (_build_blocking_question(subject, values),)
    unseen = tuple(c for c in tied if not c.patch.behaviour)  # a search has compared its own
    asked = (_ask_about_call(case, unseen, look) or _ask_about_name(case, unseen)) if len(unseen) > 1 else None
    asked = asked or ask_about_reading(case, tied)
    if asked is not None:
        return (asked,)
    rivals = _select_rivals(candidates)
    if len(rivals) < 2 or draws_unseeded(case, rivals[0].patch):
        return ()
    for subject, texts in _collect_values(case, rivals, look):
        chosen = _build_question(subject, {c.patch.id: text for c, text in zip(rivals, texts, strict=True)})
        if chosen:
            return chosen
    alike = [c for c in rivals if c is rivals[0] or _is_equal_standing(rivals[0], c)]
    named = _ask_about_name(case, alike) if len(alike) > 1 else None
    return (named,) if named is not None else ()


def _select_tied(case: Case, candidates: Sequence[Candidate], accept: float) -> tuple[Candidate, ...]:
    """The best candidate, where it would be applied but for what its checks leave untold, and those that the same evidence speaks for.

    A safer one is not tied with one that is less safe, nor a search's guess with one that is clearly less likely, or that did the
    same on every input on which they were compared; nor a safe one with one that changes more beside it, for which nothing speaks.
    """
    best = candidates[0] if candidates else None
    if best is None or best.patch.healer == USER or not _is_sound(best):
        return ()
    if best.verdict.score < accept and not best.verdict.untold:
        return ()
    if draws_unseeded(case, best.patch):
        return ()
    tied = [c for c in candidates[1:] if _is_sound(c) and _is_equal_standing(best, c)]
    return (best, *tied[: RIVALS - 1])


def _ask_about_call(case: Case, tied: Sequence[Candidate], look: Look) -> Question | None:
    """The question about the shortest call that tells candidates apart which show the same; None where no call near those of the cell does."""
    functions = sorted({name for c in tied for name in _list_changed_functions(case, c.patch)})
    if not functions or max(c.trial.seconds for c in tied) > LOOK_SECONDS:
        return None
    shown = [look(c.patch, _build_calls_probe(case, c.patch, functions)) for c in tied]
    if not all(isinstance(s, dict) for s in shown):
        return None
    common = set[str].intersection(*(set(s) for s in shown))
    given = {call: dict(zip([c.patch.id for c in tied], [s[call] for s in shown], strict=True)) for call in common}
    telling = [call for call in common if len(_group_patches(given[call])) > 1 and len(call) <= SHOWN]
    if not telling:
        return None
    call = min(telling, key=lambda call: (any(s[call][:1] == "!" for s in shown), len(call), call))
    answers = {
        f"an error ({value[1:]})" if value[:1] == "!" else _shorten_for_button(value): ids
        for value, ids in _group_patches(given[call]).items()
    }
    if not 1 < len(answers) <= ANSWERS:
        return None
    return Question(f"What should `{call}` return?", answers, subject=call, kind="value", blocks=True)


def _ask_about_name(case: Case, tied: Sequence[Candidate]) -> Question | None:
    """The question which name, key or column is meant, where candidates differ in that alone and it holds the same here; else None."""
    best, answers = tied[0], dict[str, Ids]()
    for other in tied[1:]:
        names = _find_names_apart(case, best.patch, other.patch)
        if names is None or (answers and names[0] != next(iter(answers))):  # one question about one place
            continue
        answers.setdefault(names[0], (best.patch.id,))
        answers[names[1]] = (*answers.get(names[1], ()), other.patch.id)
    if not 1 < len(answers) <= ANSWERS:
        return None
    return Question(f"Which is meant: {' or '.join(f'`{name}`' for name in answers)}?", answers, blocks=True)


def _find_names_apart(case: Case, one: Patch, other: Patch) -> tuple[str, str] | None:
    """The one name, attribute or text in which two patches differ, of each; None where they differ otherwise or in more."""
    apart: list[tuple[str, str]] = []
    for cell_id, before, first in list_patched_cells(case, one):
        second = other.source_of(cell_id, before)
        nodes, others = list(src.walk(first)), list(src.walk(second))
        if len(nodes) != len(others) or set(one.cells_touched) != set(other.cells_touched):
            return None
        for a, b in zip(nodes, others, strict=True):
            mine, theirs = _read_word(a), _read_word(b)
            if type(a) is not type(b) or (mine is None) != (theirs is None):
                return None
            if mine is not None and theirs is not None and mine != theirs:
                apart.append((mine, theirs))
    return apart[0] if len(apart) == 1 else None


def _read_word(node: ast.AST) -> str | None:
    """What a node names, if anything."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return str(node.value) if isinstance(node, ast.Constant) else None


def _build_calls_probe(case: Case, patch: Patch, functions: Sequence[str]) -> Probe:
    below = [c.code for c in find_asserts_below(case, patch)]
    code = src.mask("\n".join([patch.source_of(case.failure.cell_id, case.failure.source), *below]))
    numbers = {
        n.value
        for _, _, after in list_patched_cells(case, patch)
        for n in src.walk(after)
        if isinstance(n, ast.Constant)
    }
    literals = sorted((v for v in numbers if type(v) in (int, float)), key=repr)
    argument: JSON = {"functions": list(functions), "code": code, "literals": [*literals]}
    return Probe(probe_source("probes.changed_calls"), argument, name=CALLS, timeout=CALLS_SECONDS)


def _list_changed_functions(case: Case, patch: Patch) -> Iterator[str]:
    """The functions at the top of a cell that a patch changes."""
    for _, before, after in list_patched_cells(case, patch):
        old, new = (
            {n.name: src.canonicalise(ast.unparse(n)) for n in src.walk(text) if isinstance(n, ast.FunctionDef)}
            for text in (before, after)
        )
        yield from (name for name, text in new.items() if old.get(name, text) != text)


def _is_sound(candidate: Candidate) -> bool:
    return candidate.trial.ran and candidate.verdict.plausible and not candidate.verdict.inconclusive


def _is_equal_standing(best: Candidate, other: Candidate) -> bool:
    same_evidence = other.verdict.score == best.verdict.score and other.verdict.oracle_met == best.verdict.oracle_met
    as_safe = other.patch.applicability == best.patch.applicability
    as_likely = other.patch.weight >= AS_LIKELY * best.patch.weight
    alike = bool(best.patch.behaviour) and other.patch.behaviour == best.patch.behaviour
    is_less = best.patch.applicability is Applicability.SAFE and _is_part(best.patch, other.patch)
    return same_evidence and as_safe and as_likely and not alike and not is_less


def _is_part(patch: Patch, other: Patch) -> bool:
    """Whether all that a patch changes, line by line, is changed by the other one too, which changes more."""
    own, also = ([_count_changed_lines(e) for e in p.edits if isinstance(e, Replace)] for p in (patch, other))
    return bool(own) and own != also and all(any(small <= large for large in also) for small in own)


def _count_changed_lines(edit: Replace) -> Counter[tuple[str, bool, str]]:
    """How often an edit takes each line of its cell away (False), and puts each new one there (True)."""
    old, new = Counter(edit.old.splitlines()), Counter(edit.source.splitlines())
    gone, come = ((line, n) for line, n in (old - new).items()), ((line, n) for line, n in (new - old).items())
    return Counter(
        {(edit.cell_id, is_new, line): n for is_new, lines in ((False, gone), (True, come)) for line, n in lines}
    )


def _select_rivals(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    best = candidates[0] if candidates else None
    if best is None or best.patch.healer == USER or best.patch.applicability is Applicability.SAFE:
        return ()
    rivals = tuple(c for c in candidates if _is_open(c) and c.verdict.score >= best.verdict.score - NEAR)
    return rivals[:RIVALS] if rivals[:1] == (best,) else ()


def _is_open(candidate: Candidate) -> bool:
    """It runs, and nothing has decided about it."""
    return _is_sound(candidate) and not candidate.verdict.oracle_met


def _collect_values(case: Case, rivals: Sequence[Candidate], look: Look) -> Iterator[tuple[Subject, list[str]]]:
    """What can be asked about, and what each rival makes of it; empty where it makes nothing."""
    yield Subject(_name_shown_value(case), "result"), [_read_shown_value(c) for c in rivals]
    yield Subject("the cell print", "printed"), [_join_printed_text(c) for c in rivals]
    if max(c.trial.seconds for c in rivals) > LOOK_SECONDS:
        return
    names = _list_assigned(case.failure.source)
    probe = Probe(probe_source("probes.values"), names, name=VALUES, timeout=LOOK_SECONDS)
    held = [look(c.patch, probe) for c in rivals] if names else []
    for name in names if held and all(isinstance(h, dict) for h in held) else ():
        yield Subject(f"`{name}` be after the cell", "value", name), [str(h.get(name, "")) for h in held]


def _name_shown_value(case: Case) -> str:
    statements = src.list_statements(case.failure.source)
    text = src.extract_text(case.failure.source, statements[-1].node).strip() if statements else ""
    short = bool(statements) and isinstance(statements[-1].node, ast.Expr) and len(text) <= 60 and "\n" not in text
    return f"`{text}` give" if short else "the cell give"


def _read_shown_value(candidate: Candidate) -> str:
    shown = [o for s in candidate.trial.steps if s.role == Role.CELL.value for o in s.outputs]
    results = [output_text.join_texts([o]) for o in shown if o.output_type in ("execute_result", "display_data")]
    in_terminal = _OUT.search(_join_printed_text(candidate))
    return results[-1].strip() if results else in_terminal[1].strip() if in_terminal else ""


def _join_printed_text(candidate: Candidate) -> str:
    steps = [s for s in candidate.trial.steps if s.role == Role.CELL.value]
    return output_text.join_texts([o for s in steps for o in s.outputs if o.output_type == "stream"]).strip()


def _list_assigned(source: str) -> list[str]:
    """The variables that the cell binds or changes, the last one first; where a loop left its own variable is nobody's question."""
    nodes = [s.node for s in src.list_statements(source)]
    there = [src.collect_names([node]) for node in reversed(nodes)]
    names = [name for made in there for name in sorted(made.binds | made.changes)]
    loops = {
        id(n) for top in nodes for loop in ast.walk(top) if isinstance(loop, ast.For) for n in ast.walk(loop.target)
    }
    bound = [n for top in nodes for n in ast.walk(top) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    counters = {n.id for n in bound} - {n.id for n in bound if id(n) not in loops}
    return [name for name in dict.fromkeys(names) if not name.startswith("_") and name not in counters]


def _build_question(subject: Subject, texts: Mapping[str, str]) -> tuple[Question, ...]:
    """The texts compared line by line: the first line that differs is asked about."""
    if not all(texts.values()):
        return ()
    columns = zip_longest(*(text.splitlines() for text in texts.values()), fillvalue="")
    for number, lines in enumerate(columns, 1):
        groups = _group_patches(dict(zip(texts, (line.strip() for line in lines), strict=True)))
        if len(groups) < 2:
            continue
        if len(groups) > ANSWERS or any(not text or len(text) > SHOWN for text in groups):
            return ()
        long = max(len(text.splitlines()) for text in texts.values()) > 1
        where = f" (line {number})" if long else ""
        return (
            Question(f"What should {subject.words}{where}?", groups, subject.expression, _find_kind(subject, long)),
        )
    return ()


def _find_kind(subject: Subject, long: bool) -> str:
    """A value of several lines cannot be written down in one; a printed line can."""
    return "" if long and subject.kind != "printed" else subject.kind


def _build_blocking_question(subject: Subject, texts: Mapping[str, str]) -> Question:
    """Whatever differs is asked about, cut where it is long: the first line that differs, with the answers of the best patches."""
    columns = list(zip_longest(*(text.splitlines() for text in texts.values()), fillvalue=""))
    by_line = [_group_patches(dict(zip(texts, (line.strip() for line in lines), strict=True))) for lines in columns]
    number, groups = next(((n, found) for n, found in enumerate(by_line, 1) if len(found) > 1), (0, dict[str, Ids]()))
    shown = list(groups or _group_patches(texts))[:ANSWERS]
    short = [_shorten_for_button(line) for line in shown]
    if len(set(short)) < len(short):
        short = [f"{at}: {line}" for at, line in enumerate(short, 1)]
    answers = {line: (groups or _group_patches(texts))[text] for line, text in zip(short, shown, strict=True)}
    long = len(columns) > 1
    kind = _find_kind(subject, long) if short == shown else ""
    where = f" (line {number})" if long and number else ""
    return Question(f"What should {subject.words}{where}?", answers, subject.expression, kind, blocks=True)


def _shorten_for_button(text: str) -> str:
    """A text short enough for a button."""
    return cut_text(text, SHOWN) or "nothing"


Ids = tuple[str, ...]


def _group_patches(texts: Mapping[str, str]) -> dict[str, Ids]:
    """Ids of the patches by what they give; numbers that are equal but for rounding are one answer."""
    groups: dict[str, Ids] = {}
    for patch_id, text in texts.items():
        known = next((other for other in groups if _is_alike(other, text)), text)
        groups[known] = (*groups.get(known, ()), patch_id)
    return groups


def _is_alike(one: str, other: str) -> bool:
    first, second = output_text.split_tokens(one), output_text.split_tokens(other)
    quoted = (one[:1] in "'\"") == (other[:1] in "'\"")
    return one == other or (quoted and len(first) == len(second) and all(map(output_text.is_same_token, first, second)))
