"""CAL101: a keyword argument that is misspelt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.knowledge import is_from, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.spelling import find_meant, find_nearest, is_plain_slip, keep_digits
from jupyter_selfheal.model import Applicability, Patch

TAKEN_BY = re.compile(r"(?<![\w.])(\w+)\.set\(\) got an unexpected")
"""Matplotlib's functions hand what they do not know to an artist, which names its class."""

MESSAGE = re.compile(
    r"got an unexpected keyword argument '(\w+)'(?:\. Did you mean '(\w+)'\?)?|'(\w+)' is an invalid keyword argument"
)


class UnexpectedKeyword(Rule):
    """Use the parameter that the function has.

    **Failure** `TypeError: f() got an unexpected keyword argument 'colour'`, where the live function's signature has a near name, or
    `AttributeError: Line2D.set() got an unexpected keyword argument 'lable'`, where Matplotlib's class has such a property.

    **Fix** The keyword is spelt as the parameter. It is never dropped, since that would change what the call means.

    **Fix safety** Safe where the two differ by a slip and the parameter is not given already. Unsafe otherwise.
    """

    code = "CAL101"
    name = "misspelt keyword argument"
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.UNSAFE
    why = "The parameter's name is near, but another may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if not match:
            return
        wrong, hinted = match[1] or match[3], match[2]
        for failing in context.list_failing_nodes(ast.Call):
            call = failing
            keyword = next((k for k in call.keywords if k.arg == wrong), None) if isinstance(call, ast.Call) else None
            if keyword is None or not isinstance(call, ast.Call):
                continue
            given = {k.arg for k in call.keywords}
            name = context.read_plain_chain(call.func)
            if _is_in_changelog(context, call, wrong):
                return  # `loffset` is no slip of `offset`: it is gone
            signature = context.signature(name) if name else None
            known = [
                p.name
                for p in (signature.parameters if signature else ())
                if p.kind in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")
            ]
            artist = TAKEN_BY.search(context.failure.evalue)
            if artist is not None:
                known += context.ask(questions.LIST_MATPLOTLIB_PROPERTIES, name=artist[1])
            known = [k for k in ([hinted] if hinted else known) if k not in given]
            hint = (hinted,) if hinted and keep_digits(hinted) == keep_digits(wrong) else ()
            parts = tuple(k for k in known if wrong in k.split("_") and len(wrong) > 2)
            near = find_nearest(wrong, known) or hint or (parts if len(parts) == 1 else ())
            for word in near if len(near) <= 2 else ():
                is_number = len(wrong) > 2 and (f"{wrong}s" == word or f"{word}s" == wrong)  # one bin, many bins
                slip = is_number or is_plain_slip(wrong, word) or find_meant(wrong, known) == word
                sure = len(near) == 1 and (slip or bool(hinted))
                start = context.span(keyword)[0]
                yield self.patch(
                    context.replace(context.cell_id, [(start, start + len(wrong), word)]),
                    f"Change `{wrong}=` to `{word}=`",
                    f"The function has no parameter `{wrong}`, but has `{word}`.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="One parameter only is near, by a slip, and it is not given yet." if sure else self.why,
                    prior=0.8 if sure else 0.5,
                )
            return


def _is_in_changelog(context: RuleContext, call: ast.Call, keyword: str) -> bool:
    """True where a library of which the callable is says that it took the keyword once."""
    known = [k for k in load_knowledge().keywords.get(keyword, ()) if read_last_name(call.func) in k.calls]
    live = context.describe_all([call.func], calls=True)[0] if known else None
    return live is not None and any(is_from([p for p in (live.path, *live.mro) if p], k.libraries) for k in known)
