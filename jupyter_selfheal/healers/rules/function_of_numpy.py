"""NPA127: a function of NumPy asked of an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

OF_EACH = frozenset(
    {"abs", "absolute", "sqrt", "cbrt", "exp", "expm1", "log", "log10", "log2", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
     "sinh", "cosh", "tanh", "floor", "ceil", "rint", "sign", "square", "isnan", "isinf", "isfinite", "degrees", "radians", "power"}
)  # fmt: skip
"""Functions of each item, which take a column too."""
OF_ARRAY = OF_EACH | frozenset(
    {"median", "average", "unique", "diff", "gradient", "histogram", "percentile", "quantile", "nanmean", "nanmedian", "nanstd", "nanvar",
     "nanmax", "nanmin", "nansum", "flip", "fliplr", "flipud", "roll", "rot90", "tile", "bincount", "count_nonzero", "split", "array_split",
     "hsplit", "vsplit", "expand_dims", "pad", "digitize", "cov", "corrcoef", "convolve", "correlate", "cross", "outer", "inner", "kron",
     "maximum", "minimum", "triu", "tril", "argwhere", "isin", "delete", "insert"}
)  # fmt: skip
OF_MATRIX = {
    "inv": "inv", "inverse": "inv", "det": "det", "determinant": "det", "norm": "norm", "eig": "eig", "eigvals": "eigvals", "eigenvalues": "eigvals",
    "eigh": "eigh", "svd": "svd", "qr": "qr", "solve": "solve", "pinv": "pinv", "matrix_rank": "matrix_rank", "cholesky": "cholesky",
}  # fmt: skip
"""What is meant → its name in ``numpy.linalg``."""
MADE_ANEW = frozenset({"delete", "insert", "pad", "roll"})
"""Functions that give a new array, where who calls a method may mean that the array changes."""
FLATTENING = frozenset({"delete", "insert"})
"""Functions that make a row of a matrix, where no axis is given."""
OF_PANDAS = frozenset({"diff", "unique"})
"""Functions that pandas has too, and which give something else there: another length, another order."""
WITHOUT_GAPS = frozenset({"median", "average", "quantile", "percentile"})
"""Functions that pandas has too, and which leave out NaN there."""


class FunctionOfNumpy(Rule):
    """Call NumPy's function with the array whose method it was taken for.

    **Failure** `AttributeError: 'numpy.ndarray' object has no attribute 'median'` at `v.median()`, `'inverse'` at `m.inverse()`; `'Series' object has no
    attribute 'sqrt'` at `df["area"].sqrt()`.

    **Fix** `np.median(v)`, `np.linalg.inv(m)`, `np.sqrt(df["area"])`; the other arguments stay.

    **Fix safety** Safe: NumPy's function of that name takes the array first and does just that. Unsafe where a column of pandas may be meant, whose method gives
    something else: `diff`, `unique`, and `median` of an array with NaN. Silent where the result of one that gives a new array (`v.insert(0, 3)`) is kept
    nowhere, and for those that make a row of a matrix.
    """

    code = "NPA127"
    name = "function of NumPy as a method"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "NumPy has it as a function, which takes what it was called on first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name, owner = context.attribute, context.owner
        path = _find_path(name) if owner.is_a("numpy.ndarray") else f"numpy.{name}" if name in OF_EACH else ""
        if not path or not owner.is_a("numpy.ndarray", "pandas.Series", "pandas.DataFrame"):
            return
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == name), None)
        call = context.call_of(node) if node is not None else None
        known = context.reference(path)
        if node is None or call is None or known is None or any(isinstance(a, ast.Starred) for a in call.args):
            return
        if (name in MADE_ANEW and context.is_statement(call)) or (name in FLATTENING and owner.ndim > 1):
            return
        array = context.text(node.value)
        doubted = name in OF_PANDAS or (name in WITHOUT_GAPS and not context.is_true(f"not ({array} != {array}).any()"))
        given = [context.text(a) for a in (node.value, *call.args, *call.keywords)]
        text = f"{known.text}({', '.join(given)})"
        imports = context.add_imports([known.import_line] if known.import_line else [])
        yield self.patch(
            context.replace_here((*context.span(call), text), *imports),
            f"Use `{text}`",
            f"`{name}` is a function of NumPy, not a method of a `{owner.type}`.",
            applicability=Applicability.UNSAFE if doubted else Applicability.SAFE,
            why="The method of a column gives something else." if doubted else self.why,
            prior=0.8 if doubted else 0.95,
        )


def _find_path(name: str) -> str:
    """``numpy.median``, ``numpy.linalg.inv``; empty where NumPy has no such function of one array."""
    if name in OF_ARRAY:
        return f"numpy.{name}"
    return f"numpy.linalg.{OF_MATRIX[name]}" if name in OF_MATRIX else ""
