"""SKL141: tables that a sampler of imbalanced-learn gives back, where it gave arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.healers.rules.context.written_before import find_older_use
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"'(?:DataFrame|Series)' object has no attribute '(\w+)'|^\(|^-?\d+$|slice|data did not contain feature names"
)
ARRAYS = re.compile(r"(?:\.values|\.to_numpy\(\)|\.(?:ravel|reshape|flatten)\(.*\)|array\(.*\))$", re.DOTALL)
"""How what is an array already ends."""


class ResampledArrays(Rule):
    """Give a sampler arrays, so that it gives arrays back.

    **Failure** `AttributeError: 'DataFrame' object has no attribute 'ravel'` or `InvalidIndexError` at `X_res[y_res == 1, 0]`, below `X_res, y_res = smote.fit_sample(X, y)`. Since imbalanced-learn 0.6 a sampler
    that is given tables gives tables.

    **Fix** `smote.fit_sample(np.asarray(X), np.asarray(y))` where it is made, also in a function. The cells that made the values run again.

    **Fix safety** Safe where the notebook uses `fit_sample`, which was there until 0.8 and of which the cell reads arrays, or what was removed by 0.6. Unsafe elsewhere. Silent on what an array has not, either.
    """

    code = "SKL141"
    name = "arrays of a sampler"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError", "InvalidIndexError", "KeyError", "TypeError", "ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    restores = "imblearn 0.6"
    why = "Until imbalanced-learn 0.6 samplers gave arrays (https://imbalanced-learn.org/stable/whats_new/v0.6.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missed, known = MESSAGE.search(context.failure.evalue), context.reference("numpy.asarray")
        if missed is None or known is None or known.import_line:
            return
        if missed[1] and not context.exists(f"numpy.ndarray.{missed[1]}"):
            return

        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for node in ast.walk(statement):
                match node:
                    case ast.Call(ast.Attribute(_, "fit_sample" | "fit_resample"), [_, _] as given):
                        for value in given:
                            text = src.extract_text(source, value)
                            if not ARRAYS.search(text):
                                new = f"{known.text}({text})"
                                yield (*src.find_span(source, value), new), new

        edits, shown = mend_above(context, find)
        if edits:
            cells = (c.given or c.source for c in context.notebook.cells if c.kind == "code")
            is_old = any(".fit_sample(" in text for text in cells) or find_older_use(context, "imblearn", "0.6")
            yield self.patch(
                edits,
                f"Give the sampler arrays: `{shown}`",
                "Since imbalanced-learn 0.6, a sampler that is given tables gives tables; the cell asks for arrays.",
                applicability=Applicability.SAFE if is_old else Applicability.UNSAFE,
                prior=0.92 if is_old else 0.6,
            )
