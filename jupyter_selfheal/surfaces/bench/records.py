"""Records of HumanEval, HumanEvalFix (``humanevalpack``) and their like, as tasks.

Fields: ``prompt`` (imports, signature, docstring), ``canonical_solution``, ``buggy_solution``, ``test`` and ``example_test`` (a function
``check`` that takes the candidate, with or without its call; or asserts), ``entry_point``; also ``declaration`` (the prompt without
docstring), ``import``, ``test_setup``, ``bug_type``, ``task_id``. What can be done without is: see :func:`task_of`.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.healers.search.reading import list_examples
from jupyter_selfheal.surfaces.bench.tasks import Task

_FILES = (".jsonl", ".jsonl.gz", ".ndjson")


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines (gzipped or not) or of one JSON list, or of all such files below a folder.

    Raises UsageError where there are none. Records that name another language than Python are left out.
    """
    files = sorted(p for p in path.rglob("*") if p.name.endswith(_FILES)) if path.is_dir() else [path]
    records = [record for file in files for record in _read_file(file)]
    records = [r for r in records if str(r.get("task_id", "Python/")).split("/")[0] not in _OTHER]
    if not records:
        raise UsageError(f"{path} holds no records of Python programs in JSON lines")
    return records


_OTHER = frozenset({"CPP", "C++", "Go", "Java", "JavaScript", "JS", "Rust"})


def _read_file(path: Path) -> list[dict[str, Any]]:
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
        records = json.loads(text) if text.lstrip()[:1] == "[" else _read_lines(text, path)
    except (OSError, ValueError, EOFError) as error:
        raise UsageError(f"{path} is no file of JSON lines: {error}") from error
    return [r for r in records if isinstance(r, dict)]


def build_task(record: dict[str, Any], number: int, solution: str) -> Task | None:
    """The task of a record with the field ``solution`` as the program; None where it makes no program with a test.

    Without a prompt the declaration is taken, without an entry point the last function of the program, without a canonical
    solution there is no reference (and nothing is compared on generated inputs).
    """
    definition = _build_program(record, solution)
    if definition is None or not _to_text(record, "test").strip():
        return None
    entry = _to_text(record, "entry_point") or find_last_function(definition)
    reference = (_build_program(record, "canonical_solution") or "") if record.get("canonical_solution") else ""
    setup = _to_text(record, "test_setup").strip()
    tests = _add_calls(_to_text(record, "test"), entry, setup)
    if not entry or not can_parse(tests):
        return None
    kind = f" ({record['bug_type']})" if record.get("bug_type") else ""
    return Task(
        f"{record.get('task_id') or f'{number}/{entry}'}{kind}", entry, definition, (tests,), reference, arguments=find_arguments(tests, entry),
        examples=_find_examples(record, entry, definition, setup),
    )  # fmt: skip


def _read_lines(text: str, path: Path) -> list[Any]:
    """The JSON of each line. Raises UsageError that names the line which is broken."""
    records = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                records.append(json.loads(line))
            except ValueError as error:
                raise UsageError(f"{path}, line {number} is no JSON ({error}): mend or remove that record") from error
    return records


def _to_text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _build_program(record: dict[str, Any], solution: str) -> str | None:
    """The program with a field as its body, or as the whole of it; None where that does not parse."""
    body, imports = _to_text(record, solution), _to_text(record, "import").strip()
    ahead = imports + "\n" if imports and can_parse(imports) else ""
    prompt, declaration = _to_text(record, "prompt"), _to_text(record, "declaration")
    entry = _to_text(record, "entry_point") or find_last_function(prompt + "\n    pass\n")
    if re.search(rf"^(async )?def {re.escape(entry)}\b", body, re.M) and can_parse(body):
        names = [line for line in prompt.splitlines() if line.startswith(("import ", "from "))]
        return ahead + "".join(f"{line}\n" for line in names if line not in body) + _end_line(body)
    for head in (prompt, declaration):
        for text in (body, textwrap.indent(textwrap.dedent(body), "    ")):
            whole = f"{ahead}{head}{'' if head.endswith(chr(10)) or not head else chr(10)}{text}"
            if head and body.strip() and can_parse(whole):
                return _end_line(whole)
    return None


def _end_line(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def can_parse(text: str) -> bool:
    """True for Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def find_last_function(source: str) -> str:
    """The name of the function that a program defines last; empty where there is none."""
    if not can_parse(source):
        return ""
    names = [n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return names[-1] if names else ""


def _add_calls(test: str, entry: str, setup: str) -> str:
    """The test as statements that run it: the checker's call and the candidate's name are added where they are missing."""
    text = _end_line(textwrap.dedent(test).strip())
    if not can_parse(text):
        return text
    tree = ast.parse(text)
    checkers = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith(("check", "test"))]
    called = {
        n.func.id for s in tree.body for n in ast.walk(s) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    for name in checkers:
        node = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
        if name not in called:
            text += f"\n{name}({entry if node.args.args else ''})\n"
    free = {
        n.id for s in tree.body if not isinstance(s, ast.FunctionDef) for n in ast.walk(s) if isinstance(n, ast.Name)
    }
    if "candidate" in free and not re.search(r"^candidate\s*=", text, re.M):
        text = f"candidate = {entry}\n{text}"
    return f"{setup}\n{text}" if setup and setup not in text and can_parse(setup) else text


def find_arguments(test: str, entry: str) -> tuple[str, ...]:
    """Literal argument lists of the calls in the tests."""
    arguments = []
    for node in ast.walk(ast.parse(test)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("candidate", entry):
            text = f"({', '.join(map(ast.unparse, node.args))},)" if node.args else "()"
            try:
                ast.literal_eval(text)
            except (ValueError, SyntaxError, TypeError):
                continue
            arguments.append(text)
    return tuple(dict.fromkeys(arguments))


def _find_examples(record: dict[str, Any], entry: str, definition: str, setup: str) -> tuple[str, ...]:
    """The examples that the docstring shows, as asserts: the record's own, else those of the docstring with literal results."""
    given = _to_text(record, "example_test")
    if given.strip():
        text = _add_calls(given, entry, setup)
        if can_parse(text):
            return (text,)
    return tuple(f"assert {call} == {want}\n" for call, want in _find_docstring_examples(definition, entry))


def _find_docstring_examples(definition: str, entry: str) -> Iterator[tuple[str, str]]:
    for node in ast.parse(definition).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry and (doc := ast.get_docstring(node)):
            yield from list_examples(doc, entry)
