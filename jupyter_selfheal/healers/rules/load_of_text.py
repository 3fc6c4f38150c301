"""FIL106: `load` for a text and `loads` for a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"'(?:str|bytes|PosixPath|WindowsPath)' object has no attribute 'readl?i?n?e?'|file must have 'read' and 'readline' attributes|"
    r"the JSON object must be str, bytes or bytearray, not \w*(?:TextIOWrapper|BufferedReader|StringIO|dict|list)|"
    r"a bytes-like object is required, not '(?:_io\.)?Buffered\w+'|dump\(\) missing 1 required positional argument: 'f\w*'|"
    r"^Expecting value: line 1 column 1 \(char 0\)"
)
MODULES = ("json", "pickle", "marshal", "tomllib", "simplejson", "cloudpickle", "dill")


class LoadOfText(Rule):
    """Use `loads` for what is held, and `load` for a file.

    **Failure** `AttributeError: 'str' object has no attribute 'read'` at `json.load(text)`, `TypeError: the JSON object must be str, bytes
    or bytearray, not TextIOWrapper` at `json.loads(file)`, `dump() missing 1 required positional argument: 'fp'` at `json.dump(obj)`; `JSONDecodeError: Expecting value` at `json.loads(name)` of a file that is there.

    **Fix** `json.loads(text)`, `json.load(file)`, `json.dumps(obj)`; with the name of a file that is there: `json.load(open(name))`. What is a dictionary or a list
    already, as `response.json()` gives it, is taken as it is: `data = reply` for `data = json.loads(reply)`.

    **Fix safety** Safe: the two differ by what they take, and the live value says which it is. Unsafe for a dictionary or a list, unless an item of the
    result is taken by its name: `dumps` may be meant.
    """

    code = "FIL106"
    name = "load of a text"
    enames = frozenset({"AttributeError", "TypeError", "JSONDecodeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The two functions differ by what they take, and this is what is given."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            name = read_last_name(call.func)
            if name not in ("load", "loads", "dump") or not call.args or find_keyword(call, "fp") is not None:
                continue
            function = context.describe_all([call.func])[0]
            if not function.path.lstrip("_").startswith(MODULES):
                continue
            given, end = call.args[0], context.span(call.func)[1]
            text = context.text(given)
            kind = context.describe_all([given])[0].type or (
                type(given.value).__name__ if isinstance(given, ast.Constant) else ""
            )
            if name == "loads" and kind in ("dict", "list"):
                yield self._take_as_it_is(context, call, text)
                return
            is_name = kind in ("str", "PosixPath", "WindowsPath")
            is_file = is_name and context.is_true(f"__import__('os').path.isfile({text})")
            if is_file and name in ("load", "loads"):
                mode = ", 'rb'" if context.text(call.func).startswith(("pickle", "tomllib")) else ""
                start = end - 1 if name == "loads" else end
                opened, rest = f"open({text}{mode})", context.source[end : context.span(given)[0]]
                change, title = (start, context.span(given)[1], f"{rest}{opened}"), f"Open the file `{text}`"
            elif context.failure.ename == "JSONDecodeError":
                return
            elif name == "load" and kind in ("str", "bytes") and not _is_file_name(context, given):
                change, title = (end, end, "s"), f"Use `{context.text(call.func)}s`"
            elif name == "loads" and not is_name and kind not in ("bytes", ""):
                change, title = (end - 1, end, ""), f"Use `{context.text(call.func)[:-1]}`"
            elif name == "dump" and len(call.args) == 1 and not context.is_statement(call):
                change, title = (end, end, "s"), f"Use `{context.text(call.func)}s`"
            else:
                continue
            yield self.patch(
                context.replace_here(change),
                title,
                "`load` and `dump` work on a file, `loads` and `dumps` on a value.",
                prior=0.93,
            )
            return

    def _take_as_it_is(self, context: RuleContext, call: ast.Call, given: str) -> Patch:
        """``json.loads(reply)`` of what is read already."""
        made = next((n for n in context.list_nodes_on_line(ast.Assign) if n.value is call), None)
        targets = {context.text(t) for t in made.targets} if made is not None else set()
        items = [n for n in context.walk_notebook() if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)]
        is_read = any(getattr(n.value, "id", "") in targets and isinstance(n.slice, ast.Constant) for n in items)
        return self.patch(
            context.replace_here((*context.span(call), given)),
            f"Take `{given}` as it is",
            f"`{given}` is no text: it is read already.",
            applicability=Applicability.SAFE if is_read else Applicability.UNSAFE,
            why="Items of the result are taken, and they are there already."
            if is_read
            else "A text may be wanted, which `dumps` makes.",
            prior=0.93 if is_read else 0.6,
        )


def _is_file_name(context: RuleContext, given: ast.expr) -> bool:
    """True for a text that looks like the name of a file: it is missing then, and no text of data."""
    text = str(given.value) if isinstance(given, ast.Constant) else context.describe_all([given])[0].text
    return re.fullmatch(r"[\w./\\~ -]+\.\w{2,6}", text.strip()) is not None
