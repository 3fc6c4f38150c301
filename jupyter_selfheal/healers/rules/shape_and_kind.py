"""NPA129: a live value whose shape, kind or gaps the call does not take, and that holds what it does take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, keep_outermost
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class Form(NamedTuple):
    """What a message (``told``) says of the ``nth`` argument of some calls, and what is given for it.

    ``nth`` -1 is what a method is called on. ``when`` and ``new`` have ``{x}`` for its text and ``{n}`` for ``size``, a number of the live value. A ``function`` takes
    the place of the called one's name. With ``sure`` it is safe.
    """

    told: str
    calls: str
    nth: int
    when: str
    new: str
    cause: str
    size: str = ""
    function: str = ""
    sure: bool = False


_PICTURE = "Invalid shape|Image size of|must have shape|image data"
_ARRAY = "type({x}).__module__ == 'numpy' and "
_NAN = "{x}.dtype.kind == 'f' and __import__('numpy').isnan({x}).any()"
_REFUSED = r"range of \[.*(?:nan|inf)|infs or NaNs|must be finite|SVD did not converge|contains? (?:NaN|nan)s?"
_NO_GAPS = "histogram|histogram_bin_edges|gaussian_kde|bincount|hist"

FORMS = (
    Form(_PICTURE, "imshow", 0, _ARRAY + "{x}.ndim == 3 and {x}.shape[0] == 3 and {x}.shape[2] > 4", "{x}.transpose(1, 2, 0)",
         "the channels of `{x}` come first, and a picture has them last", sure=True),
    Form(_PICTURE, "imshow", 0, "{x}.ndim == 3 and {x}.shape[0] == 3 and {x}.shape[2] > 4 and hasattr({x}, 'permute')", "{x}.permute(1, 2, 0)",
         "the channels of `{x}` come first, and a picture has them last", sure=True),
    Form(_PICTURE, "imshow", 0, "{x}.ndim in (3, 4) and {x}.shape[0] == 1 and ({x}.ndim == 3 or {x}.shape[3] in (1, 3, 4) or {x}.shape[1] == 1)", "{x}[0]",
         "`{x}` is one picture in a batch", sure=True),
    Form(_PICTURE, "imshow", 0, _ARRAY + "{x}.ndim == 4 and {x}.shape[0] == 1 and {x}.shape[1] == 3", "{x}[0].transpose(1, 2, 0)",
         "`{x}` is one picture in a batch, with its channels first", sure=True),
    Form(_PICTURE, "imshow", 0, "({x}.ndim == 1 or {x}.ndim == 2 and {x}.shape[0] == 1) and {x}.size > 9", "{x}.reshape({n}, {n})",
         "`{x}` holds the {n} rows of a square picture one behind the other", "{x}.size ** 0.5"),
    Form("zero-dimensional arrays cannot be concatenated", "concatenate", 0, "all(getattr(_, 'ndim', 0) < 2 for _ in {x})", "{x}",
         "`{x}` holds single values, which have no dimension", function="hstack", sure=True),
    Form(_REFUSED, _NO_GAPS, 0, _NAN + " and hasattr({x}, 'dropna')", "{x}.dropna()", "`{x}` has missing values, which are counted nowhere"),
    Form(_REFUSED, _NO_GAPS, 0, _ARRAY + _NAN, "{x}[~np.isnan({x})]", "`{x}` has missing values, which are counted nowhere"),
    Form(r"Expected 1D or 2D array, got \dD", "savetxt", 1, _ARRAY + "{x}.ndim > 2", "{x}.reshape({n}, -1)",
         "a text has lines and columns, and `{x}` more dimensions", "len({x})"),
    Form(r"invalid literal for int\(\) with base 10: '-?\d+\.\d*'", "astype", -1,
         "{x}.ndim == 1 and {x}.notna().all() and {x}.astype(float).mod(1).eq(0).all()", "{x}.astype(float)",
         "the texts in `{x}` are whole numbers that are written with a point", sure=True),
)  # fmt: skip
INDEX = re.compile(
    r"only integer scalar arrays can be converted|unhashable type: 'numpy.ndarray'|indices must be integers or slices, not (?:\w*\.)?(?:ndarray|Series|tuple|list)$"
)
"""What is said of an array that is given for one index or key."""


class ShapeAndKind(Rule):
    """Give a call the same values in the shape and of the kind that it takes.

    **Failure** `TypeError: Invalid shape (3, 224, 224) for image data` at `plt.imshow(picture)`; `TypeError: only integer scalar arrays can be converted to a scalar index` at
    `names[labels[i]]` with labels of the shape (n, 1); `autodetected range of [nan, nan] is not finite` at `np.histogram(values)`; `zero-dimensional arrays cannot be concatenated`; `Expected 1D or 2D
    array, got 5D array instead` at `np.savetxt`; `invalid literal for int() with base 10: '36.0'` at `texts.astype(int)`.

    **Fix** `picture.transpose(1, 2, 0)`, `picture[0]` of a batch of one, `picture.reshape(28, 28)`; `names[labels[i].item()]`, `np.array(names)[labels]` for several; `values.dropna()`; `np.hstack(values)`;
    `values.reshape(len(values), -1)`; `texts.astype(float).astype(int)`.

    **Fix safety** Safe where the live value holds the same in one such form only: channels that can stand nowhere else, of the values of colours, a batch of one picture, single values, one value as an
    index, texts that all are whole numbers. Unsafe where values are left out (gaps), where the rows of a picture or a file are told by their number alone, and of several names for one.
    """

    code = "NPA129"
    name = "shape and kind of a value"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "LinAlgError"})
    message = re.compile("|".join(dict.fromkeys((*(form.told for form in FORMS), INDEX.pattern))))
    why = "The value can be read so; another value may be meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if INDEX.search(context.failure.evalue):
            yield from self._take_one(context)
            return
        for call in context.list_calls_at_failure():
            for form in FORMS:
                given = _find_given(call, form)
                if given is None or not re.search(form.told, context.failure.evalue):
                    continue
                new, cause = _write_form(context, given, form)
                sure = form.sure and ("channels" not in form.cause or _are_colours(context, given))
                splices = _list_same(context, call, form) if new and sure else []
                changes = [*splices, (*context.span(given), new)]
                if new and form.function:
                    name = context.text(call.func).removesuffix(read_last_name(call.func)) + form.function
                    changes, new = [(*context.span(call.func), name)], f"{name}({new})"
                if new and (edits := context.replace_here(*keep_outermost(dict.fromkeys(changes)))):
                    yield self.patch(
                        edits,
                        f"Use `{new}`",
                        f"{cause[0].upper()}{cause[1:]}.",
                        applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                        why="All values stay as they are, in the one form that is taken." if sure else self.why,
                        prior=0.9 if sure else 0.7,
                    )
                    return

    def _take_one(self, context: RuleContext) -> Iterator[Patch]:
        """``names[label]`` where the index is an array: its one value, or as many of the names as it has."""
        for node in context.list_failing_nodes(ast.Subscript):
            given, owner = context.text(node.slice), context.text(node.value)
            if isinstance(node.slice, ast.Tuple | ast.Slice | ast.Constant) or not isinstance(node.ctx, ast.Load):
                continue
            if context.is_true(f"{given}.size == 1 and {given}.ndim > 0 and hasattr({given}, 'item')"):
                new = f"{context.operand(node.slice)}.item()"
                yield self.patch(
                    context.replace_here((*context.span(node.slice), new)),
                    f"Use `{owner}[{new}]`",
                    f"`{given}` is an array that holds one value, and `{owner}` is asked for one item.",
                    applicability=Applicability.SAFE,
                    why="An array of one value has one item.",
                    prior=0.93,
                )
                return
            several = f"type({owner}) in (list, tuple) and {given}.ndim == 1 and {given}.dtype.kind in 'iub' and len(__import__('numpy').asarray({owner}).shape) == 1"
            known = context.reference("numpy.array")
            if known is not None and context.is_true(several):
                edits = context.replace_here(
                    (*context.span(node.value), f"{known.text}({owner})"), *context.add_imports([known.import_line])
                )
                yield self.patch(
                    edits,
                    f"Use `{known.text}({owner})[{given}]`",
                    f"`{given}` asks for several items, and a list gives one.",
                    prior=0.7,
                )
                return


def _are_colours(context: RuleContext, given: ast.expr) -> bool:
    """Whether the values are those of colours, from 0 to 1 or to 255: three months of a map have the shape of a picture, too."""
    x = context.operand(given)
    return context.is_true(f"0 <= {x}.min() and {x}.max() <= (1 if 'float' in str({x}.dtype) else 255)")


def _find_given(call: ast.Call, form: Form) -> ast.expr | None:
    if read_last_name(call.func) not in form.calls.split("|"):
        return None
    if form.nth < 0:
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    given = call.args[form.nth] if len(call.args) > form.nth else None
    is_bare = isinstance(given, ast.Attribute) and given.attr == "values" and "dropna" in form.new
    return given.value if is_bare and isinstance(given, ast.Attribute) else given


def _write_form(context: RuleContext, given: ast.expr, form: Form) -> tuple[str, str]:
    """The new text and the cause; empty where the live value is of no such form."""
    x = context.operand(given)
    if not context.is_true(form.when.format(x=x)):
        return "", ""
    number = context.number(form.size.format(x=x)) if form.size else 0.0
    if number is None or number != int(number):
        return "", ""
    n = form.size.format(x=x) if form.size.startswith("len") else int(number)
    return form.new.format(x=x, n=n), form.cause.format(x=x, n=n)


def _list_same(context: RuleContext, call: ast.Call, form: Form) -> list[Splice]:
    """The same change of the cell's other calls with the same arguments, where their values are of that form, too."""
    shown = [context.text(a) for a in call.args]
    others = [c for c in context.walk(ast.Call) if c is not call and [context.text(a) for a in c.args] == shown]
    found = [(given, _write_form(context, given, form)[0]) for c in others if (given := _find_given(c, form))]
    return [(*context.span(given), new) for given, new in found if new]
