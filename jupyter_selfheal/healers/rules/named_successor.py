"""API205: a name or argument for which the message itself says what to use in its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import list_attributes_named, read_last_name
from jupyter_selfheal.healers.rules.context.remedies import SAID, SAME, SUCCESSOR
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Applicability, Patch

GONE = frozenset({"AttributeError", "ImportError", "NotImplementedError"})
"""Failures after which nothing by the old name works; after others it is this call alone that is not taken."""


class NamedSuccessor(Rule):
    """Use what the message names in place of what is gone.

    **Failure** An exception whose message names a successor: `AttributeError: np.cumproduct was removed, use np.cumprod instead`,
    `TypeError: argument 'n_iter' was renamed to 'max_iter'`, `NotImplementedError: … removed in favor of package.module.Name`.

    **Fix** The attribute, the called function or the keyword that the failing line has and the message speaks of gets the new name, where
    the same object, its module or the installed function's signature has it. Where the message gives the arguments too (`now('UTC')`), a call
    without any gets them; nothing else of the call changes.

    **Fix safety** Safe where the message says that it was renamed or moved: it is the same thing. Unsafe where it says "use … instead": what
    is used instead may take other arguments or give something else, and the outputs decide. Silent where the message names nothing that is
    there, or nothing that the line has.
    """

    code = "API205"
    name = "successor that the message names"
    stage = Stage.LAST
    enames = frozenset()
    message = SUCCESSOR
    applicability = Applicability.UNSAFE
    why = "The message itself names it; whether it does the same, the outputs decide."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        for match in SUCCESSOR.finditer(message):
            if match["verb"].lower() in ("use", "call") and not SAID.search(match["rest"]):
                continue
            found = _rename_keyword(context, match, message) or _rename_attribute(context, match, message)
            if found is None:
                continue
            old, new, splices = found
            same = SAME.search(match["verb"]) is not None
            yield self.patch(
                context.replace(context.cell_id, splices),
                f"Change `{old}` to `{new}`",
                f"`{old}` is gone, and the message names `{new}`.",
                applicability=Applicability.SAFE if same else Applicability.UNSAFE,
                why="The message says that it goes by this name now." if same else self.why,
                prior=0.85 if same else 0.6,
            )
            return


def _rename_keyword(context: RuleContext, match: re.Match[str], message: str) -> tuple[str, str, list[Splice]] | None:
    """A keyword of the failing call that the message speaks of, by a name that the function takes."""
    new = match["new"]
    if "." in new or (match["shape"] or "").startswith("("):
        return None
    for call in context.list_calls_at_failure()[:3]:
        given = [k for k in call.keywords if k.arg and k.arg != new and _speaks_of(message[: match.start()], k.arg)]
        if len(given) != 1 or any(k.arg == new for k in call.keywords):
            continue
        signature = context.signature(call.func, calls=True) or Signature()
        if new in signature.names("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")[len(call.args) :]:
            old = str(given[0].arg)
            start = context.span(given[0])[0]
            return old + "=", new + "=", [(start, start + len(old), new)]
    return None


def _rename_attribute(context: RuleContext, match: re.Match[str], message: str) -> tuple[str, str, list[Splice]] | None:
    """The attribute or called name of the failing line that the message speaks of, by the name of something that is there."""
    new = match["new"]
    for node in context.list_nodes_at_failure(ast.Attribute, ast.Name):
        old = read_last_name(node)
        if old == new.rpartition(".")[2] and "." not in new:
            continue
        if not _speaks_of(message[: match.start()], old):
            continue
        if isinstance(node, ast.Attribute) and _has_attribute(context, node.value, new.rpartition(".")[2], new):
            alike = [
                n
                for n in list_attributes_named(context.tree, old)
                if n is node or (context.failure.ename in GONE and context.text(n.value) == context.text(node.value))
            ]
            last = new.rpartition(".")[2]
            given = _read_arguments(match["shape"] or "")
            calls = [context.call_of(n) for n in alike]
            if not given:
                return old, last, [(*context.find_attribute_span(n), last) for n in alike]
            if any(
                c is None or c.args or c.keywords for c in calls
            ):  # what becomes of their own arguments, it does not say
                return None
            ends = [
                (context.find_attribute_span(n)[0], context.span(c)[1]) for n, c in zip(alike, calls, strict=True) if c
            ]
            return old, last + given, [(*span, last + given) for span in ends]
        known = context.reference(new) if "." in new else None
        if known is not None and context.is_called(node):
            imports = context.add_imports([known[1]]) if known[1] else []
            return context.text(node), known[0], [(*context.span(node), known[0]), *imports]
    return None


def _read_arguments(shape: str) -> str:
    """The arguments in brackets that a message gives its successor (``('UTC')``); empty where they are names, as of a signature, or none."""
    try:
        call = parse_expression(f"f{shape}")
    except SyntaxError:
        return ""
    values = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    return shape if values and all(isinstance(v, ast.Constant) and v.value is not ... for v in values) else ""


def _speaks_of(text: str, name: str) -> bool:
    """True where a text has a name as a word of its own."""
    return len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _has_attribute(context: RuleContext, owner: ast.expr, name: str, path: str) -> bool:
    """True where an object has an attribute; of a longer path, where the object is the module or class that it names."""
    chain = context.read_plain_chain(owner)
    described = context.describe(chain) if chain else None
    if described is None or name not in described.attributes:
        return False
    before = path.rpartition(".")[0]
    return not before or before.rpartition(".")[2] in (
        context.text(owner).rpartition(".")[2],
        described.name,
        described.type,
    )
