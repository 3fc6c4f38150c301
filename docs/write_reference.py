"""The site's reference pages, written from the code: commands, settings, rules with their messages."""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import NamedTuple

from run_examples import SHOWN, Ran, run_examples
from write_rules_since import CHANGELOG, describe_since, list_releases, read_since
from write_tables import list_table_pages

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.rules import _docs
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.surfaces.bench.run import build_parser as build_bench_parser
from jupyter_selfheal.surfaces.cli.parser import build_parser

ROOT = Path(__file__).parents[1]
LIBRARIES = {
    "pandas": "pandas", "numpy": "NumPy", "sklearn": "scikit-learn", "matplotlib": "Matplotlib", "scipy": "SciPy",
    "seaborn": "seaborn", "sqlite3": "SQLite", "statsmodels": "statsmodels", "networkx": "NetworkX", "sympy": "SymPy",
}  # fmt: skip
"""Module → the name of its library."""
WIDTH = 72
"""Columns of a help text that a page shows whole."""


def write_reference(folder: Path, run: bool = True) -> None:
    """Write all pages into a folder (unless ``run``, without running the rules' examples); those that are as they were are left alone, so that Sphinx does not read them again."""
    pages = {
        "index.md": INDEX, "commands.md": format_commands(), "magics.md": format_magics(), "libraries.md": format_libraries(), "settings.md": format_settings(),
        "messages.md": format_messages(), **dict(list_rule_pages(run)), **dict(list_table_pages()),
    }  # fmt: skip
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


INDEX = """# Reference

Written from the code when this site was built.

| | |
|---|---|
| [Commands](commands.md) | `jupyter selfheal …`: every command with its options |
| [Magics](magics.md) | `%heal` and `%%heal` |
| [Settings](settings.md) | every setting with its type and default |
| [Metadata of a cell](metadata.md) | what a cell can say about itself: what it must give, that it is left alone |
| [Python](api.md) | `jupyter_selfheal.heal(…)` and what it returns |
| [The report as JSON](report.md) | what `--report` and `--json` write |
| [Events of the journal](events.md) | what `jupyter selfheal trace` reads |
| [Messages](messages.md) | an error message, and the rule that heals it |
| [Rules by library](libraries.md) | the rules for pandas, NumPy, Matplotlib … |
| [Rules](rules/index.md) | a page for each: what fails, what it becomes, whether that is safe |
| [Removed and renamed names](removed/index.md) | what a release took away, and what takes its place |

```{toctree}
:hidden:

commands
magics
settings
metadata
api
report
events
messages
libraries
rules/index
removed/index
```
"""


def format_commands() -> str:
    """Every command of the command line with its help."""
    with _set_width(WIDTH):
        return "\n".join(_list_helps())


@contextlib.contextmanager
def _set_width(columns: int) -> Iterator[None]:
    """Tells argparse how wide the terminal is."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(columns)
    try:
        yield
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before


def _list_helps() -> list[str]:
    parser = build_parser()
    groups = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    commands = {name: found for group in groups for name, found in group.choices.items()}
    commands["bench"] = build_bench_parser()
    parts = ["# Commands", "", "```text", parser.format_help().rstrip(), "```", ""]
    for name, found in commands.items():
        parts += [f"## {name}", "", "```text", found.format_help().rstrip(), "```", ""]
    return parts


def format_magics() -> str:
    """``%heal`` and ``%%heal``."""
    from jupyter_selfheal import magic_options

    return f"# Magics\n\n```text\n{magic_options.HELP.strip()}\n```\n"


def format_settings() -> str:
    """Every setting with its type, its default and what it does."""
    source = Path(sys_path_of(HealConfig)).read_text(encoding="utf-8")
    parts = [
        "# Settings",
        "",
        "`c.SelfHeal.NAME` in IPython's configuration, `%config SelfHeal.NAME = …` in a notebook.",
        "",
    ]
    parts += ["| setting | type | default | |", "|---|---|---|---|"]
    for field in fields(HealConfig):
        default = field.default if field.default is not MISSING else ""
        words = " ".join(_find_field_words(source, field.name).split()).replace("|", "\\|")
        kind = str(field.type).replace("|", "\\|")
        parts.append(f"| `{field.name}` | `{kind}` | `{default!r}` | {words} |")
    return "\n".join(parts) + "\n"


def sys_path_of(thing: type) -> str:
    """The file that defines a class."""
    import inspect

    return inspect.getfile(thing)


def _find_field_words(source: str, name: str) -> str:
    """The docstring that stands below a field."""
    match = re.search(rf'^    {name}:[^\n]*(?:\n(?!    \w)[^\n]*)*?\n    """(.*?)"""', source, re.MULTILINE | re.DOTALL)
    return match[1] if match and not re.search(r"\n    \w+:", match[0]) else ""


# --- rules ----------------------------------------------------------------------------------------------------------


def list_rule_pages(run: bool = True) -> Iterator[tuple[str, str]]:
    """A page for each shipped rule, and their index. Unless ``run``, the examples are shown without what running them gives."""
    rules = [r for r in load_rules() if type(r).__module__.startswith("jupyter_selfheal.")]
    dates, releases = read_since(), list_releases(CHANGELOG.read_text(encoding="utf-8"))
    ran = run_examples([r.code for r in rules]) if run else {}
    lines = ["# Rules", "", "| rule | what is wrong | its patches |", "|---|---|---|"]
    for rule in rules:
        lines.append(f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.applicability.name.lower()} |")
        since = describe_since(rule.code, dates, releases)
        yield f"rules/{rule.code}.md", _format_rule(rule.code, _docs.explain(rule.code), since, ran.get(rule.code, {}))
    lines += ["", "```{toctree}", ":hidden:", "", *(r.code for r in rules), "```", ""]
    yield "rules/index.md", "\n".join(lines)


def _format_rule(code: str, text: str, since: str, ran: Mapping[str, Ran]) -> str:
    title, _, body = text.partition("\n")
    parts = [f"# {title}", "", link_addresses(body.strip()), "", since, ""]
    for example in list_examples(code)[:SHOWN]:
        shown = ran.get(example.title, Ran(failure="", output=""))
        parts += [f"## {escape(example.message)}", "", "Before:", "", *_show_cells(example.before)]
        parts += [*_show_text("failure", shown["failure"]), "After:", "", *_show_cells(example.after)]
        parts += _show_text("output", shown["output"])
    return "\n".join(parts)


def link_addresses(text: str) -> str:
    """A text whose bare web addresses are links; those in code are left as they are."""
    parts = re.split(r"(`[^`]*`|<[^>]*>|\]\([^)]*\))", text)
    bare = r"https?://[^\s,;)>]*[^\s,;)>.]"
    return "".join(re.sub(bare, r"<\g<0>>", part) if n % 2 == 0 else part for n, part in enumerate(parts))


def _show_text(kind: str, text: str) -> list[str]:
    """What running a cell gave, as a block that the style sheet marks; nothing where it gave nothing."""
    return ["````{code-block} text", f":class: {kind}", "", text, "````", ""] if text else []


def _show_cells(text: str) -> list[str]:
    """Cells as blocks of code, one each."""
    cells = (cell.strip("\n") for cell in re.split(r"(?m)^# %%.*\n", text))
    return [line for cell in cells if cell.strip() for line in _show_code(cell)]


def _show_code(text: str) -> list[str]:
    """A block of code; plain where it is no Python that can be coloured."""
    try:
        ast.parse(text)
    except SyntaxError:
        return ["```text", text, "```", ""]
    return ["```python", text, "```", ""]


class Example(NamedTuple):
    """A rule's golden text that is healed: its title, the cells, and the failing cell as it becomes."""

    title: str
    before: str
    after: str

    @property
    def message(self) -> str:
        """The message that the failing cell gives."""
        return read_message(self.title)


def list_examples(code: str) -> list[Example]:
    """Of a rule's golden texts those that are healed."""
    path = ROOT / "tests" / "golden" / f"{code}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = []
    for part in re.split(r"(?m)^=== ", text)[1:]:
        title, _, cells = part.partition("\n")
        before, *healed = re.split(r"(?m)^# %% \[becomes\].*\n", cells, maxsplit=1)
        if healed and not title.startswith("silent"):
            found.append(Example(title.strip(), before.strip(), re.split(r"(?m)^# %%", healed[0])[0].strip()))
    return found


def read_message(title: str) -> str:
    """The message in the title of an example: some have a word before it, or a number behind, that tells two examples apart."""
    message = re.sub(r"^[a-z][\w ,-]*: (?=[A-Z]\w*(Error|Warning|Exception|Interrupt)\b)", "", title.strip())
    return re.sub(r" \(\d\)$", "", message)


def escape(message: str) -> str:
    """A message as a heading, with nothing in it that Markdown reads."""
    return re.sub(r"([\\`*_{}\[\]<>#|$])", r"\\\1", message)


def format_libraries() -> str:
    """For each library the rules whose examples import it."""
    found: dict[str, dict[str, str]] = {}
    for rule in load_rules():
        cells = "\n".join(before for _, before, _ in list_examples(rule.code))
        for library in set(re.findall(r"(?m)^(?:import|from) (\w+)", cells)) & LIBRARIES.keys():
            found.setdefault(library, {})[rule.code] = rule.name
    parts = [
        "# Rules by library",
        "",
        "Rules whose examples use the library. [Names it removed or renamed](removed/index.md)",
        "",
    ]
    for library, name in LIBRARIES.items():
        parts += [f"## {name}", "", "| rule | what is wrong |", "|---|---|"]
        parts += [
            f"| [{code}](rules/{code}.md) | {what} |" for code, what in sorted(found.get(library, {}).items())
        ] + [""]
    return "\n".join(parts)


def format_messages() -> str:
    """Every message of the examples with the rule that heals it, for those who search for one."""
    parts = ["# Messages", "", "| message | rule |", "|---|---|"]
    rows = {(example.message, rule.code) for rule in load_rules() for example in list_examples(rule.code)}
    parts += [f"| {escape(message)} | [{code}](rules/{code}.md) |" for message, code in sorted(rows)]
    return "\n".join(parts) + "\n"
