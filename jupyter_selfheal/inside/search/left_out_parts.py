"""Parts of a line that are left out, for cells whose output is known: the ``input`` of a question, the braces of a value within a text, the quotes of
a word, ``len`` of a text that is compared, the ``=`` of a value."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.reading_changes import NUMBERS, is_call
from jupyter_selfheal.inside.search.repeated_slips import list_numbers, list_texts
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_defined_names, list_read_names

_QUESTION = re.compile(r"(?s)\S.*[?:]\s*")
_LIST = re.compile(r"\s*-?\d+(?:\.\d+)?(?:\s*,\s*-?\d+(?:\.\d+)?)+\s*")
_WORD = re.compile(r"(?<![\w{.'’])[^\W\d]\w*(?![\w}(])")
_VALUES = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Call, ast.ListComp)
_ENGLISH = frozenset({"a", "i"})
"""Variables that are words of a sentence as well."""


def list_left_out(source: Source, expected: str, known: frozenset[str]) -> list[Change]:
    """These changes. ``known`` are names that exist apart from the source."""
    return [
        *_ask_questions(source),
        *_brace_values(source, expected),
        *_quote_unknown_words(source, expected, known),
        *_measure_texts(source),
        *_set_annotated(source),
        *_list_numbers_of_texts(source),
    ]


def _ask_questions(source: Source) -> Iterator[Change]:
    """``age = "How old are you? "`` and ``int("Number: ")`` as ``input("How old are you? ")``, in all lines that set a variable to a question
    and read it."""
    read = list_read_names(source.tree)
    plain: list[Edit] = []
    whole: list[Edit] = []
    numbers = list_numbers(source)
    line = 0
    for node in source.order:
        if not isinstance(node, ast.Assign) or not isinstance(target := node.targets[0], ast.Name):
            continue
        value = node.value
        converted = is_call(value, *NUMBERS) and isinstance(value, ast.Call) and len(value.args) == 1
        asked = value.args[0] if converted and isinstance(value, ast.Call) else value
        if not isinstance(asked, ast.Constant) or not isinstance(asked.value, str) or target.id not in read:
            continue
        if _QUESTION.fullmatch(asked.value) is None or not asked.value.rstrip(" ?:"):
            continue
        start, end = source.start_of(asked), source.end_of(asked)
        text = source.text[start:end]
        plain.append((start, end, f"input({text})"))
        is_number = target.id in numbers and not converted
        whole.append((start, end, f"int(input({text}))" if is_number else f"input({text})"))
        line = line or node.lineno
    if plain:
        yield Change(tuple(plain), 0.7, line, "a question is set, and not asked")
    if whole != plain:
        yield Change(tuple(whole), 0.72, line, "a question is set, and not asked")


def _brace_values(source: Source, expected: str) -> Iterator[Change]:
    """``f"Total = total"`` as ``f"Total = {total}"``, ``"Hello name"`` as ``f"Hello {name}"``: words of a text that is printed are variables, in
    one text or in all. A word that is expected as well stands for a value where it comes last."""
    own = {n.id for n in source.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in source.order if isinstance(n, ast.arg)}
    said = set(re.findall(r"[^\W\d]\w*", expected))
    found: list[list[Edit]] = []
    line = 0
    for call in source.order:
        for node in call.args if isinstance(call, ast.Call) and is_call(call, "print") else ():
            is_formatted = isinstance(node, ast.JoinedStr)
            if not is_formatted and not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            start, text = source.start_of(node), source.text_of(node)
            match = re.match(r"f?(?='|\")(?!'''|\"\"\")", text)
            if match is None or ("{" in text and not is_formatted) or "\\" in text:
                continue
            words = [m for m in _WORD.finditer(text, match.end()) if m[0] in own]
            words = list(_leave_slots_out(text, words))
            last = {m[0]: m.start() for m in words}
            chosen = [
                m for m in words if m[0] not in said or (m.start() == last[m[0]] and m[0].lower() not in _ENGLISH)
            ]
            if not chosen:
                continue
            edits: list[Edit] = [] if is_formatted else [(start, start, "f")]
            edits += [(start + m.start(), start + m.end(), f"{{{m[0]}}}") for m in chosen]
            found.append(edits)
            line = line or node.lineno
            if is_formatted or len(chosen) > 1:
                sure = all(m[0] not in said for m in chosen)
                words_said = f"`{chosen[-1][0]}` stands for its value in the text"
                yield Change(tuple(edits), 0.8 if sure else 0.55, node.lineno, words_said)
    if len(found) > 1:
        edits = [e for group in found for e in group]
        yield Change(tuple(edits), 0.7, line, "names stand for their values in the texts")


def _leave_slots_out(text: str, words: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The words that are in no ``{…}``, in their order."""
    depth = at = 0
    for word in words:
        depth += text.count("{", at, word.start()) - text.count("}", at, word.start())
        at = word.start()
        if depth <= 0:
            yield word


def _quote_unknown_words(source: Source, expected: str, known: frozenset[str]) -> Iterator[Change]:
    """``vowels = aeiou``, ``greet(Bob)``, ``return YES``: words alone that nothing binds, set, given back or handed over; all of them at
    once.

    What is expected shows that they are texts where it holds them: ``if flag:`` goes on with any text, and tells nothing of this one.
    """
    there = list_defined_names(source.tree) | known | set(dir(builtins))
    words: list[ast.Name] = []
    for node in source.order:
        given: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Return):
            given = [node.value] if node.value else []
        elif isinstance(node, ast.Call) and not is_call(node, "print"):
            given = list(node.args)
        words += [v for v in given if isinstance(v, ast.Name) and v.id not in there]
    if words:
        edits = tuple(sorted((source.start_of(n), source.end_of(n), f'"{n.id}"') for n in words))
        is_told = all(re.search(rf"\b{re.escape(n.id)}\b", expected) for n in words)
        yield Change(edits, 0.6, words[0].lineno, f"`{words[0].id}` is a text", "name" if is_told else "guess")


def _measure_texts(source: Source) -> Iterator[Change]:
    """``name > 4`` as ``len(name) > 4`` where ``name`` is a text, in all places at once."""
    texts = list_texts(source) - list_numbers(source)
    texts |= {
        t.id
        for n in source.order
        if isinstance(n, ast.Assign) and is_call(n.value, "input")
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    edits: list[Edit] = []
    line = 0
    for node in source.order:
        if isinstance(node, ast.Compare) and all(isinstance(o, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for o in node.ops):
            sides = [node.left, *node.comparators]
            if any(isinstance(s, ast.Constant) and type(s.value) is int for s in sides):
                named = [s for s in sides if isinstance(s, ast.Name) and s.id in texts]
                edits += [(source.start_of(s), source.end_of(s), f"len({s.id})") for s in named]
                line = line or (node.lineno if named else 0)
    if edits:
        yield Change(tuple(sorted(edits)), 0.5, line, "the length of a text is compared", "failing")


def _set_annotated(source: Source) -> Iterator[Change]:
    """``target : 9`` as ``target = 9``, where it is read; in all lines at once."""
    read = list_read_names(source.tree)
    edits: list[Edit] = []
    line = 0
    for node in source.order:
        if not isinstance(node, ast.AnnAssign) or node.value is not None or not isinstance(node.target, ast.Name):
            continue
        is_text = isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str)
        if node.target.id not in read or not isinstance(node.annotation, _VALUES) or is_text:
            continue
        if isinstance(node.annotation, ast.Constant) and node.annotation.value is None:
            continue
        edits.append((source.end_of(node.target), source.start_of(node.annotation), " = "))
        line = line or node.lineno
    if edits:
        yield Change(tuple(edits), 0.9, line, "`:` stands for `=`", "name")


def _list_numbers_of_texts(source: Source) -> Iterator[Change]:
    """``xs = "1, 2, 3"`` as ``xs = [1, 2, 3]``."""
    for node in source.order:
        if (
            isinstance(node, ast.Assign)
            and isinstance(value := node.value, ast.Constant)
            and isinstance(value.value, str)
        ) and _LIST.fullmatch(value.value):
            edit = (source.start_of(value), source.end_of(value), f"[{value.value.strip()}]")
            yield Change((edit,), 0.6, node.lineno, "a text of numbers is a list")
