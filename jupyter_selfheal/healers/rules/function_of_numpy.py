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
     "hsplit", "vsplit", "expand_dims", "pad", "digitize", "cov", "corrcoef", "convolve", "cross", "outer", "inner", "kron",
     "maximum", "minimum", "triu", "tril", "argwhere", "isin", "delete", "insert"}
)  # fmt: skip
OF_MATRIX = {
    "inv": "inv", "inverse": "inv", "det": "det", "determinant": "det", "norm": "norm", "eig": "eig", "eigvals": "eigvals", "eigenvalues": "eigvals",
    "eigh": "eigh", "svd": "svd", "qr": "qr", "solve": "solve", "pinv": "pinv", "matrix_rank": "matrix_rank", "cholesky": "cholesky",
}  # fmt: skip
"""What is meant → its name in ``numpy.linalg``."""
MADE_ANEW = frozenset({"delete", "insert", "pad", "roll"})
"""Functions that give a new array, where who calls a method may mean that the array changes."""
OF_ROWS = frozenset(
    {"median", "average", "quantile", "percentile", "nanmean", "nanmedian", "nanstd", "nanvar", "nanmax", "nanmin", "nansum", "flip", "roll",
     "cov", "corrcoef", "unique", "diff", "count_nonzero", "argwhere", "norm", "insert"}
)  # fmt: skip
"""Functions that take all items of a matrix together, or its rows, where no axis is given: a table's method goes by column."""
OF_PANDAS = frozenset({"diff", "unique", "delete", "inverse", "percentile"})
"""Names of which something else may be meant: what a column's method gives, an item for a place, a picture turned, a share for a percentage."""
WITHOUT_GAPS = frozenset({"median", "average", "quantile"})
"""Functions that pandas has too, and which leave out NaN there."""


class FunctionOfNumpy(Rule):
    """Call NumPy's function with the array whose method it was taken for.

    **Failure** `AttributeError: 'numpy.ndarray' object has no attribute 'median'` at `v.median()`, `'inverse'` at `m.inverse()`; `'Series' object has no
    attribute 'sqrt'` at `df["area"].sqrt()`.

    **Fix** `np.median(v)`, `np.linalg.inv(m)`, `np.sqrt(df["area"])`; the other arguments stay. `np.inverse(m)` and `np.linalg.inverse(m)` become `np.linalg.inv(m)`, too.

    **Fix safety** Safe: NumPy's function of that name takes the array first and does just that. Unsafe where a column or a table of pandas may be meant, whose
    method gives something else: `diff`, `unique`, `median` of an array with NaN, and what has no axis of a matrix; also for `delete`, `inverse` and `percentile`,
    which are read in two ways. Silent for arrays of other classes (with a mask, say), and where the result of one that gives a new array
    (`v.insert(0, 3)`) is kept nowhere.
    """

    code = "NPA127"
    name = "function of NumPy as a method"
    stage = Stage.LIBRARY
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "NumPy has it as a function, which takes what it was called on first."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name, owner = context.attribute, context.owner
        if owner.is_module and owner.name in ("numpy", "numpy.linalg"):
            yield from self._name_in_linalg(context, name)
            return
        is_array = owner.type in ("ndarray", "matrix") and owner.is_a("numpy.ndarray")
        path = _find_path(name) if is_array else f"numpy.{name}" if name in OF_EACH else ""
        if not path or not (is_array or owner.type in ("Series", "DataFrame")):
            return
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == name), None)
        call = context.call_of(node) if node is not None else None
        known = context.reference(path)
        if node is None or call is None or known is None or any(isinstance(a, ast.Starred) for a in call.args):
            return
        if name in ("maximum", "minimum") and not call.args:
            return  # `max` is meant
        if (name in MADE_ANEW and context.is_statement(call)) or (name in OF_EACH and call.args and name != "power"):
            return
        doubted = _is_open(context, name, context.text(node.value), call)
        imports = context.add_imports([known.import_line] if known.import_line else [])
        (start, end), dot = context.span(call), context.find_attribute_span(node)[0]
        dot = context.source.rindex(".", start, dot)
        bracket = context.source.index("(", dot) + 1
        more = ", " if call.args or call.keywords else ""
        text = f"{known.text}({context.text(node.value)}{more}{context.source[bracket:end]}"
        yield self.patch(
            context.replace_here((start, start, f"{known.text}("), (dot, bracket, more), *imports),
            f"Use `{' '.join(text.split())}`",
            f"`{name}` is a function of NumPy, not a method of a `{owner.type}`.",
            applicability=Applicability.UNSAFE if doubted else Applicability.SAFE,
            why="Something else may be meant by the method." if doubted else self.why,
            prior=0.8 if doubted else 0.95,
        )

    def _name_in_linalg(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``np.linalg.inv(m)`` for ``np.inverse(m)``."""
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == name), None)
        if node is None or name not in OF_MATRIX or not context.is_called(node):
            return
        right = f"{'' if context.owner.name == 'numpy.linalg' else 'linalg.'}{OF_MATRIX[name]}"
        yield self.patch(
            context.replace_here((*context.find_attribute_span(node), right)),
            f"Use `{context.text(node.value)}.{right}`",
            f"NumPy has `{OF_MATRIX[name]}` in its part for linear algebra.",
            why="The name says what is meant, and NumPy has one function for it.",
            prior=0.95,
        )


def _is_open(context: RuleContext, name: str, array: str, call: ast.Call) -> bool:
    """Whether another thing may be meant than what NumPy's function gives."""
    if name in OF_PANDAS or (name in WITHOUT_GAPS and not context.is_true(f"not ({array} != {array}).any()")):
        return True
    has_axis = any(k.arg in ("axis", "rowvar") for k in call.keywords)
    return name in OF_ROWS and not has_axis and context.owner.ndim > 1


def _find_path(name: str) -> str:
    """``numpy.median``, ``numpy.linalg.inv``; empty where NumPy has no such function of one array."""
    if name in OF_ARRAY:
        return f"numpy.{name}"
    return f"numpy.linalg.{OF_MATRIX[name]}" if name in OF_MATRIX else ""
