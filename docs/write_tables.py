"""Reference pages that are tables of what the code holds: removed names, the journal's events, metadata, the report, the Python API."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

import jupyter_selfheal
from jupyter_selfheal.healers.rules.context.knowledge import Case, Change, Keyword, Positional, Value, load_knowledge
from jupyter_selfheal.loop import events
from jupyter_selfheal.surfaces.notebook.api import CellProposal, HealedNotebook

ROOT = Path(__file__).parents[1]
Row = tuple[str, str, str]
"""What it was, what it is, and a note."""

METADATA = {
    "expect": "a Python expression that the cell's last value must equal",
    "stdout": "what the cell prints, or `/a regular expression/`",
    "check": "statements that must not raise; run in a trial only",
    "spec": "what the cell is for, in words; only a language model can judge by it",
    "test": "the command whose tests a changed file must pass; also in the notebook's metadata",
    "skip": "neither run nor heal the cell",
    "expensive": "never run it again just to see whether a fix elsewhere hurts it",
    "inserted": "written by healing: the cell is new",
    "origin": "written by healing: where a moved cell stood",
    "healed": "written by healing: what was changed, by whom, on which evidence (`jupyter selfheal log`)",
}
"""Key of ``metadata.selfheal`` → what it says."""


def list_table_pages() -> Iterator[tuple[str, str]]:
    """Every page of this file: its path below ``reference/``, and its text."""
    yield from list_removed_pages()
    yield "events.md", format_events()
    yield "metadata.md", format_metadata()
    yield "report.md", format_report_schema(json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8")))
    yield "api.md", format_api()


# --- removed and renamed ----------------------------------------------------------------------------------------------


def list_removed_pages() -> Iterator[tuple[str, str]]:
    """A page for each library with what each release removed or renamed, and their index."""
    releases = collect_releases()
    libraries = sorted({library for library, _, _ in releases}, key=str.lower)
    lines = [
        "# Removed and renamed names",
        "",
        "What rules know of the libraries' own changelogs. An entry is used only after",
        "",
    ]
    lines[-2] += " the old name has failed, and where the new one is there."
    lines += ["| library | releases | entries |", "|---|---|---|"]
    for library in libraries:
        ours = sorted((key for key in releases if key[0] == library), key=lambda key: read_version(key[1]))
        found = {key[1:]: releases[key] for key in ours}
        count = sum(map(len, found.values()))
        lines.append(f"| [{library}]({library}.md) | {', '.join(dict.fromkeys(v for v, _ in found))} | {count} |")
        yield f"removed/{library}.md", _format_library(library, found)
    lines += ["", "```{toctree}", ":hidden:", "", *libraries, "```", ""]
    yield "removed/index.md", "\n".join(lines)


def collect_releases() -> dict[tuple[str, str, str], list[Row]]:
    """(Library, release, source) → its rows, in the order of the data files."""
    known = load_knowledge()
    releases: dict[tuple[str, str, str], list[Row]] = {}
    for change in (*known.modules.values(), *known.names.values(), *known.methods.values()):
        row = (format_code(change.old), format_successor(change), change.unsafe)
        _add_row(releases, (change.library, change.version, change.source), row)
    for entry in (*chain.from_iterable(known.keywords.values()), *known.values, *known.positional):
        library = _find_library(entry.libraries[-1], known.modules)
        for row in _list_call_rows(entry):
            _add_row(releases, (library, entry.version, entry.source), row)
    return releases


def read_version(text: str) -> tuple[int, ...]:
    """A release as numbers, to be sorted by: ``1.24`` comes after ``1.3``."""
    return tuple(map(int, re.findall(r"\d+", text)))


def _add_row(releases: dict[tuple[str, str, str], list[Row]], release: tuple[str, str, str], row: Row) -> None:
    rows = releases.setdefault(release, [])
    if row not in rows:
        rows.append(row)


def _find_library(name: str, modules: Mapping[str, Change]) -> str:
    """The library that an entry about calls is filed under: ``matplotlib`` for ``mpl_toolkits``, ``python`` for ``codecs``."""
    top = name.split(".")[0]
    libraries = {change.library for change in modules.values()}
    return top if top in libraries else "matplotlib" if top == "mpl_toolkits" else "python"


def format_successor(change: Change) -> str:
    """What takes the place of a module, name or method."""
    ways = [change.new] if change.new else [form.template for form in change.forms] or [change.read]
    shown = " or ".join(format_code(_read_template(way)) for way in ways if way)
    needs = f" (install `{change.requires}`)" if change.requires else ""
    return (shown or "nothing: you choose") + needs


def _read_template(template: str) -> str:
    """A template as a reader writes it: ``{@numpy.dstack}({x})`` becomes ``numpy.dstack(x)``."""
    return re.sub(r"\{@?([\w.]*)[^{}]*\}", lambda m: m[1] or "…", template)


def _list_call_rows(entry: Keyword | Value | Positional) -> Iterator[Row]:
    calls = ", ".join("any call" if c == "*" else f"{c}()" for c in entry.calls)
    if isinstance(entry, Keyword):
        for case in entry.cases:
            values = " or ".join(repr(v) for v in case.values) or "…"
            yield f"{format_code(f'{entry.old}={values}')} in {format_code(calls)}", _format_case(case), case.unsafe
    elif isinstance(entry, Value):
        for old, new in entry.new.items():
            name = f"{entry.keyword}=" if entry.keyword else ""
            yield (
                f"{format_code(name + repr(old))} in {format_code(calls)}",
                format_code(f"{name}{new!r}"),
                entry.unsafe,
            )
    else:
        yield f"arguments by position in {format_code(calls)}", f"by name: {format_code(', '.join(entry.order))}", ""


def _format_case(case: Case) -> str:
    argument = format_code(_read_template(case.argument)) if case.argument else "left out"
    callee = f", of {format_code(f'{case.callee}()')}" if case.callee else ""
    return argument + callee + (f", in {format_code(_read_template(case.wrap))}" if case.wrap else "")


def _format_library(library: str, releases: Mapping[tuple[str, str], Sequence[Row]]) -> str:
    parts = [
        f"# {library}",
        "",
        f"What releases of {library} removed or renamed, and what takes its place. A release is the one whose notes are named; a table may gather what went in releases near it.",
        "",
    ]
    for (version, source), rows in releases.items():
        parts += [f"## {library} {version}", "", f"Source: <{source}>", "", "| was | is | note |", "|---|---|---|"]
        parts += [f"| {old} | {new} | {escape_cell(note)} |" for old, new, note in rows]
        names = [m[1] for old, _, _ in rows if (m := re.fullmatch(rf"`{library}\.(\w+)`", old))]
        messages = [f"AttributeError: module '{library}' has no attribute '{name}'" for name in names]
        parts += ["", *(["Messages:", "", "```text", *messages, "```", ""] if messages else [])]
    return "\n".join(parts)


def format_code(text: str) -> str:
    """Code in a cell of a table."""
    return f"`{escape_cell(text)}`" if text else ""


def escape_cell(text: str) -> str:
    """Text that stays within one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


# --- what is written ----------------------------------------------------------------------------------------------------


def format_events() -> str:
    """Every event of the journal with its fields."""
    parts = [
        "# Events of the journal",
        "",
        "The journal is JSON, one event a line, written before anybody acts on it: `$` is the name of the event, the rest",
    ]
    parts[-1] += " are its fields. `jupyter selfheal trace RUN --json` prints them."
    parts.append("")
    found = [c for c in vars(events).values() if inspect.isclass(c) and c.__module__ == events.__name__]
    for event in found:
        parts += [f"## {event.__name__}", "", read_docstring(event), ""]
        if rows := [f"| `{f.name}` | {format_code(str(f.type))} |" for f in fields(event)]:
            parts += ["| field | type |", "|---|---|", *rows, ""]
    return "\n".join(parts)


def format_metadata() -> str:
    """The keys of ``metadata.selfheal`` of a cell."""
    rows = [f"| `{key}` | {words} |" for key, words in METADATA.items()]
    return "\n".join(["# Metadata of a cell", "", "Below `selfheal` in the metadata of a cell (JupyterLab: the gear, *Cell metadata*).", "",
                      "| key | what it says |", "|---|---|", *rows, "",
                      "```json", '{"selfheal": {"expect": "55", "check": ["assert total == 55"]}}', "```", ""])  # fmt: skip


def format_report_schema(schema: Mapping[str, Any]) -> str:
    """The report's JSON Schema as tables, with the schema itself below."""
    parts = ["# The report as JSON", "", schema["description"], "", *_list_properties("The file", schema)]
    for name, part in schema["$defs"].items():
        parts += _list_properties(name, part)
    return "\n".join([*parts, "## The schema", "", "```json", json.dumps(schema, indent=1), "```", ""])


def _list_properties(title: str, part: Mapping[str, Any]) -> list[str]:
    rows = []
    for key, value in part.get("properties", {}).items():
        kind = (
            value.get("type")
            or value.get("$ref", "").rpartition("/")[2]
            or json.dumps(value.get("enum", value.get("const", "")))
        )
        kinds = " or ".join(kind) if isinstance(kind, list) else str(kind)
        of = value.get("items", {}).get("$ref", "").rpartition("/")[2]
        rows.append(f"| `{key}` | {kinds}{f' of {of}' if of else ''} | {escape_cell(value.get('description', ''))} |")
    head = [f"## {title[0].upper()}{title[1:]}", "", part.get("description", "") if title != "The file" else "", ""]
    return [*head, "| key | type | |", "|---|---|---|", *rows, ""] if rows else head


# --- the Python API -------------------------------------------------------------------------------------------------------


def format_api() -> str:
    """The functions of the package, and what they return."""
    parts = ["# Python", "", "```python", "import jupyter_selfheal", "```", ""]
    for name in jupyter_selfheal.__all__:
        thing = getattr(jupyter_selfheal, name)
        if callable(thing):
            parts += [
                f"## {name}",
                "",
                *_format_signature(f"jupyter_selfheal.{name}", thing),
                read_docstring(thing),
                "",
            ]
    parts += ["## CellProposal", "", read_docstring(CellProposal), ""]
    parts += ["## HealedNotebook", "", read_docstring(HealedNotebook), "", "| | |", "|---|---|"]
    parts += [f"| `{f.name}` | {format_code(str(f.type))} |" for f in fields(HealedNotebook)]
    for name, member in vars(HealedNotebook).items():
        if not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member)):
            parts.append(
                f"| `{name}{'' if isinstance(member, property) else '()'}` | {escape_cell(read_docstring(member))} |"
            )
    return "\n".join([*parts, ""])


def _format_signature(name: str, function: Any) -> list[str]:
    shown = inspect.signature(function)
    lines = [re.sub(r": '([^']*)'", r": \1", f"    {parameter},") for parameter in shown.parameters.values()]
    keyword_only = [n for n, p in enumerate(shown.parameters.values()) if p.kind is p.KEYWORD_ONLY]
    lines[min(keyword_only, default=len(lines)) : min(keyword_only, default=len(lines))] = (
        ["    *,"] if keyword_only else []
    )
    return ["```python", f"{name}(", *lines, f") -> {shown.return_annotation}", "```", ""]


def read_docstring(thing: Any) -> str:
    """A docstring as Markdown: roles become code, and what follows ``::`` a block of it."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r":\w+:`~?([^`]*)`", lambda m: f"`{m[1].rpartition('.')[2]}`", text).replace("``", "`")
    head, mark, code = text.partition("::\n")
    return f"{head}:\n\n```python\n{inspect.cleandoc(code)}\n```" if mark else text
