"""SQL104: calls of SQLAlchemy in the form of its release 1.4, or of what takes them in another form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.value_types import find_type
from jupyter_selfheal.model import Applicability, Patch

READS = re.compile(r"\s*(?:select|with|show|pragma|explain|describe)\b", re.IGNORECASE)
PLACES = re.compile(r"(?<![:\w\\]):\w+(?!:)|\?|%s|%\(")
"""Where values belong in a statement; those of `text` begin with a colon."""


class StatementAsText(Rule):
    """Call SQLAlchemy 2 as it takes it: a statement as `text(…)`, on a connection.

    **Failure** `ObjectNotExecutableError: Not an executable object: 'SELECT …'`; `ArgumentError: Textual SQL expression '…' should be explicitly
    declared as text('…')`; `'Engine' object has no attribute 'execute'` or `'table_names'`; `execute() got an unexpected keyword argument 'id'`; `select([…])`, `query.filter(name="Ann")`, `session.add([…])`.

    **Fix** `connection.execute(text("SELECT …"))`, `engine.connect().execute(text("SELECT …"))`; the values for its places in a dictionary. A statement
    that writes, of an engine, becomes `with engine.begin() as connection: …`, which commits as `engine.execute` did. `inspect(engine).get_table_names()`, `select(…)`, `filter_by`, `add_all`.

    **Fix safety** Safe for statements that read, and for what an engine wrote. Unsafe where a connection writes and nothing commits: until 2.0 that went by itself. Silent for
    values that belong to places of another form (`?`, `%s`).
    """

    code = "SQL104"
    name = "statement as plain text"
    stage = Stage.CHANGELOG
    enames = frozenset(
        {"ObjectNotExecutableError", "ArgumentError", "AttributeError", "TypeError", "UnmappedInstanceError"}
    )
    message = re.compile(
        r"^Not an executable object: |should be explicitly declared as text\(|^'Engine' object has no attribute '(?:execute|table_names)'|"
        r"\.(?:execute|scalars?|filter)\(\) got an unexpected keyword argument|expected, got \[|^Class 'builtins\.list' is not mapped"
    )
    applicability = Applicability.SAFE
    why = "The notes of SQLAlchemy 2.0 say so (https://docs.sqlalchemy.org/en/20/changelog/migration_20.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
            live = context.describe_all([owner], calls=True)[0]
            if not any(path.startswith("sqlalchemy.") for path in (live.path, *live.mro)):
                continue
            if found := _write_call(context, call, owner):
                new, imports, is_sure = found
                yield self.patch(
                    context.replace_here((*context.span(call), new), *context.add_imports(imports)),
                    f"Use `{new.partition(chr(10))[0]}`",
                    "SQLAlchemy 2.0 takes the call in this form alone.",
                    applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                    why=self.why if is_sure else "Since 2.0 what is written is lost without `commit()`.",
                    prior=0.92 if is_sure else 0.6,
                )
                return


def _write_call(context: RuleContext, call: ast.Call, owner: ast.expr) -> tuple[str, list[str], bool] | None:
    """The call in its new form, the import lines that this needs, and whether it does what it did."""
    name, text = read_last_name(call.func), context.operand(owner)
    inside = context.text(call)[len(context.text(call.func)) :]
    match name, call.args:
        case "select", [ast.List() as columns] if not call.keywords:
            return f"{context.text(call.func)}({context.text(columns)[1:-1]})", [], True
        case "filter", []:
            return f"{text}.filter_by{inside}", [], True
        case "add", [ast.List() | ast.ListComp() | ast.Name()] if "builtins.list" in context.failure.evalue:
            return f"{text}.add_all{inside}", [], True
        case "table_names", [] if known := context.reference("sqlalchemy.inspect"):
            return f"{known.text}({text}).get_table_names()", [known.import_line], True
        case "execute" | "scalar" | "scalars", [statement, *values] if len(values) < 2:
            return _write_statement(context, call, owner, statement)
    return None


def _write_statement(
    context: RuleContext, call: ast.Call, owner: ast.expr, statement: ast.expr
) -> tuple[str, list[str], bool] | None:
    known, words = context.reference("sqlalchemy.text"), _read_words(context, statement)
    is_plain, of_engine = find_type(context, statement) == "str", "'Engine'" in context.failure.evalue
    if known is None or (is_plain and not _are_places_filled(call, words)):
        return None
    arguments = [context.text(a) for a in call.args]
    if is_plain:
        arguments[0] = f"{known.text}({arguments[0]})"
    if call.keywords:
        arguments.append("{" + ", ".join(f'"{k.arg}": {context.text(k.value)}' for k in call.keywords) + "}")
    engine, imports = context.operand(owner), [known.import_line] if is_plain else []
    run = f"{read_last_name(call.func)}({', '.join(arguments)})"
    reads = READS.match(words) is not None
    if of_engine and not reads:
        if not is_plain or not context.is_statement(call):
            return None
        return f"with {engine}.begin() as connection:\n{' ' * call.col_offset}    connection.{run}", imports, True
    commits = reads or re.search(r"\.commit\(|\.begin\(|AUTOCOMMIT", context.source) is not None
    return f"{engine}{'.connect()' if of_engine else ''}.{run}", imports, commits


def _read_words(context: RuleContext, node: ast.expr) -> str:
    """The words of a statement, as far as they are known: of an f-string its beginning."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if isinstance(node, ast.JoinedStr):
        node = node.values[0]
    if isinstance(node, ast.Constant):
        return str(node.value)
    live = context.describe(node) if isinstance(node, ast.Name) else None
    return live.text.strip("'\"") if live is not None else ""


def _are_places_filled(call: ast.Call, words: str) -> bool:
    """Whether values are given by name for the places that the statement has, or there are none."""
    places = PLACES.findall(words)
    return all(p.startswith(":") for p in places) and bool(places) == bool(len(call.args) > 1 or call.keywords)
