"""PDA111: an option of pandas, matplotlib or NumPy that was removed or renamed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, find_line_span
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_dotted_name, read_last_name
from jupyter_selfheal.model import Applicability, Failure, Patch

RENAMED = {
    "axes.hold": "", "text.latex.unicode": "", "keymap.all_axes": "", "verbose.level": "",
    "animation.avconv_path": "animation.ffmpeg_path", "examples.directory": "", "datapath": "", "savefig.jpeg_quality": "",
    "mathtext.fallback_to_cm": "mathtext.fallback", "backend.qt4": "backend", "svg.embed_char_paths": "svg.fonttype",
    "legend.isaxes": "", "tk.pythoninspect": "", "text.dvipnghack": "",
}  # fmt: skip
"""Parameters of matplotlib that are gone, with what took their place; empty where nothing did."""


NOT_A_NUMBER = re.compile(r"(?:\w+\.)?(?:nan|NaN|NAN)|float\(\s*['\"]nan['\"]\s*\)")

REPLACED = "df.replace([np.inf, -np.inf], np.nan)"

OPTION_CALLS = ("set_option", "get_option", "reset_option", "describe_option", "option_context")


class RemovedOption(Rule):
    """Set an option in the way that took its place.

    **Failure** `OptionError: No such option: 'mpl_style'`, `KeyError: 'axes.color_cycle is not a valid rc parameter'`.

    **Fix** `pd.options.display.mpl_style = 'default'` and `pd.set_option('display.mpl_style', …)` become
    `plt.style.use('ggplot')`; `rcParams['axes.color_cycle'] = colors` becomes
    `rcParams['axes.prop_cycle'] = cycler(color=colors)`, `rc('axes', color_cycle=colors)` and what reads the colours likewise.

    Also `max_colwidth` of -1, which meant no limit: `None` does. And `pd.set_option('max_columns', 30)`, which raises `Pattern matched multiple keys` since
    pandas 1.4: `'display.max_columns'`. A dictionary for `rcParams.update` that was read from a file gets its keys of today above that line. And `np.set_printoptions(threshold=np.nan)`, by which arrays were shown whole until NumPy 1.14: `sys.maxsize`.

    `pd.options.mode.use_inf_as_na = …`, which pandas 3.0 removed, goes. So does `rcParams["text.latex.unicode"] = True`, which is always so now.

    **Fix safety** Safe: only the look of plots is set, and the libraries' release notes name the successor. Unsafe where `use_inf_as_na` was `True`: infinities were
    missing values for `isna` and `dropna`, and nothing says so for all of them now. Silent where that line is all that a block has.
    """

    code = "PDA111"
    name = "removed option"
    stage = Stage.LIBRARY
    enames = frozenset({"OptionError", "KeyError", "AttributeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "The release notes name this as what took the option's place, and it sets the look of plots only."

    def matches(self, failure: Failure) -> bool:
        text = failure.evalue
        return super().matches(failure) and (
            "mpl_style" in text
            or "nonnegative integer or None" in text
            or "existing options" in text
            or "color_cycle" in text
            or "valid rc parameter" in text
            or "rcParam" in text
            or "Pattern matched multiple keys" in text
            or "threshold must be non-NAN" in text
            or "mode.use_inf_as_n" in text
        )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in ast.walk(context.tree):
            if not isinstance(node, ast.stmt) or not node.lineno <= context.line <= (node.end_lineno or 0):
                continue
            matches = (
                _name_whole(context, node)
                or _mend_style(context, node)
                or _mend_cycle(context, node)
                or _mend_unlimited(context, node)
                or _mend_threshold(context, node)
                or _mend_settings(context, node)
            )
            if matches is not None:
                splices, line = matches
                yield self.patch(
                    context.replace(context.cell_id, [*splices, *context.add_imports([line])]),
                    f"Use `{splices[0][2].strip()}`",
                    "This option no longer exists.",
                    prior=0.9,
                )
                return
            if (span := _leave_out_parameter(context, node)) is not None:
                yield self.patch(
                    context.replace_here(span),
                    "Leave out the parameter that is gone",
                    "Matplotlib has no such parameter any more.",
                    why="What it switched on is always so since then, or it had no effect (the release notes of Matplotlib 3.0 to 3.3).",
                    removes="a parameter of Matplotlib that has no effect any more",
                    prior=0.9,
                )
                return
            if (left_out := _leave_out_infinities(context, node)) is not None:
                yield self._build_removal(context, *left_out)
                return

    def _build_removal(self, context: RuleContext, span: Splice, is_off: bool) -> Patch:
        return self.patch(
            context.replace_here(span),
            "Leave out `use_inf_as_na`",
            "pandas 3.0 has no option by which infinities are missing values.",
            applicability=Applicability.SAFE if is_off else Applicability.UNSAFE,
            why="It is off, as it was unless set, and as there is no such option." if is_off else f"Infinities no longer count as missing; a table's own become so by `{REPLACED}`.",
            removes="`use_inf_as_na`, which pandas 3.0 has no more",
            prior=0.9 if is_off else 0.6,
        )  # fmt: skip


IDLE = {
    "text.latex.unicode": (True,),
    "axes.hold": (True, None),
    "examples.directory": (),
    "keymap.all_axes": (),
    "legend.isaxes": (),
    "verbose.level": (),
}
"""Parameters that change nothing of a picture any more, with the values for which that is so (none: with any)."""


def _leave_out_parameter(context: RuleContext, node: ast.stmt) -> Splice | None:
    """The line ``rcParams["text.latex.unicode"] = True``, alone and not within a block."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return None
    key, value = node.targets[0].slice, node.value
    name = key.value if isinstance(key, ast.Constant) else None
    if name not in IDLE or name not in context.failure.evalue or not isinstance(value, ast.Constant):
        return None
    if IDLE[name] and value.value not in IDLE[name]:
        return None
    return _find_lone_line(context, node)


def _find_lone_line(context: RuleContext, node: ast.stmt) -> Splice | None:
    """What takes the line of a statement away, where it stands alone on it and in no block."""
    start, end = find_line_span(context.source, node.lineno)
    is_alone = context.source[start:end].split("#")[0].strip(" \t;") == context.text(node)
    if not is_alone or node not in context.tree.body:
        return None
    return (start, end + 1, "") if end < len(context.source) else (max(start - 1, 0), end, "")


def _leave_out_infinities(context: RuleContext, node: ast.stmt) -> tuple[Splice, bool] | None:
    """The line that sets an option which is gone, and whether it only said what holds anyway."""
    if isinstance(node, ast.Assign):
        name, value = (read_dotted_name(node.targets[0]) or "").rpartition("options.")[2], node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(node.value.args) == 2:
        call = node.value
        first, value = call.args
        is_set = read_last_name(call.func) == "set_option" and not call.keywords
        name = str(first.value) if is_set and isinstance(first, ast.Constant) else ""
    else:
        return None
    span = _find_lone_line(context, node)
    if name.removeprefix("mode.") not in ("use_inf_as_na", "use_inf_as_null") or span is None:
        return None
    return span, is_truth(value, False)


def _name_whole(context: RuleContext, node: ast.stmt) -> tuple[list[Splice], str] | None:
    """The whole names of display options, where a part of them named one until pandas 1.4, and names several now."""
    if "multiple keys" not in context.failure.evalue:
        return None
    given = [a for call in context.walk(ast.Call) if read_last_name(call.func) in OPTION_CALLS for a in call.args[::2]]
    short = {a: a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    shown = "__import__('pandas').options.display"
    whole = {
        a: f"'display.{name}'"
        for a, name in short.items()
        if name.isidentifier() and context.is_true(f"type(getattr({shown}, '{name}', {shown})) is not type({shown})")
    }
    if not any(node.lineno <= a.lineno <= (node.end_lineno or 0) for a in whole):
        return None
    return [(*context.span(a), text) for a, text in whole.items()], ""


def _mend_style(context: RuleContext, node: ast.stmt) -> tuple[list[Splice], str] | None:
    is_option = isinstance(node, ast.Assign) and (read_dotted_name(node.targets[0]) or "").endswith("display.mpl_style")
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        first = node.value.args[0] if node.value.args else None
        is_option = isinstance(first, ast.Constant) and "mpl_style" in str(first.value)
    known = context.reference("matplotlib.style.use") if is_option else None
    if known is None:
        return None
    return [(*context.span(node), f"{known[0]}('ggplot')")], known[1]


def _mend_unlimited(context: RuleContext, node: ast.stmt) -> tuple[list[Splice], str] | None:
    """``display.max_colwidth = -1`` meant no limit until pandas 1.0; `None` says so."""
    minus = [n for n in ast.walk(node) if isinstance(n, ast.UnaryOp) and context.text(n) == "-1"]
    if (
        "nonnegative integer or None" not in context.failure.evalue
        or len(minus) != 1
        or "width" not in context.text(node)
    ):
        return None
    return [(*context.span(minus[0]), "None")], ""


def _mend_threshold(context: RuleContext, node: ast.stmt) -> tuple[list[Splice], str] | None:
    """``threshold=np.nan`` meant that arrays are shown whole until NumPy 1.14; its message names ``sys.maxsize``."""
    given = [k.value for n in ast.walk(node) if isinstance(n, ast.Call) for k in n.keywords if k.arg == "threshold"]
    known = context.reference("sys.maxsize") if "threshold must be non-NAN" in context.failure.evalue else None
    if known is None or len(given) != 1 or not NOT_A_NUMBER.fullmatch(context.text(given[0])):
        return None
    return [(*context.span(given[0]), known[0])], known[1]


def _mend_cycle(context: RuleContext, node: ast.stmt) -> tuple[list[Splice], str] | None:
    colours = _mend_colours(context, node)
    if colours is not None:
        return colours
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return None
    key = node.targets[0].slice
    if not isinstance(key, ast.Constant):
        return None
    if key.value == "savefig.frameon":  # without its frame a figure is transparent
        given = context.text(node.value)
        turned = {"True": "False", "False": "True"}.get(given, f"not ({given})")
        return [(*context.span(key), "'savefig.transparent'"), (*context.span(node.value), turned)], ""
    new = RENAMED.get(str(key.value), "")
    return ([(*context.span(key), repr(new))], "") if new else None


def _mend_colours(context: RuleContext, statement: ast.stmt) -> tuple[list[Splice], str] | None:
    """``axes.color_cycle``: set by its key, in a dictionary, by ``rc("axes", color_cycle=…)``, or read."""
    if "color_cycle" not in context.failure.evalue or (known := context.reference("matplotlib.cycler")) is None:
        return None
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_cycle(node.slice):
            end = context.span(node)[1]
            return [(*context.span(node.slice), "'axes.prop_cycle'"), (end, end, ".by_key()['color']")], ""
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Subscript)
            and _is_cycle(node.targets[0].slice)
        ):
            pairs: list[tuple[ast.AST, ast.expr]] = [(node.targets[0].slice, node.value)]
        elif isinstance(node, ast.Dict):
            pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None and _is_cycle(k)]
        else:
            pairs = []
        if pairs:
            value = pairs[0][1]
            return [
                (*context.span(value), f"{known[0]}(color={context.text(value)})"),
                (*context.span(pairs[0][0]), "'axes.prop_cycle'"),
            ], known[1]
        if isinstance(node, ast.keyword) and node.arg == "color_cycle":
            return [(*context.span(node), f"prop_cycle={known[0]}(color={context.text(node.value)})")], known[1]
    return None


def _mend_settings(context: RuleContext, node: ast.stmt) -> tuple[list[Splice], str] | None:
    """Above ``rcParams.update(settings)``, where these were read from a file: what takes the place of keys that are gone."""
    call = node.value if isinstance(node, ast.Expr) else None
    known = context.reference("matplotlib.cycler")
    if known is None or not isinstance(call, ast.Call) or not context.text(call.func).endswith("rcParams.update"):
        return None
    name = context.text(call.args[0]) if call.args and isinstance(call.args[0], ast.Name) else ""
    forms = {"axes.color_cycle": f"{name}['axes.prop_cycle'] = {known[0]}(color={name}.pop('axes.color_cycle'))"}
    forms |= {key: f"{name}.pop('{key}')" for key, values in IDLE.items() if not values}
    lines = [f for k, f in forms.items() if name and context.is_true(f"type({name}) is dict and '{k}' in {name}")]
    at = context.span(node)[0]
    return ([(at, at, f"{line}\n{' ' * node.col_offset}") for line in lines], known[1]) if lines else None


def _is_cycle(key: ast.AST) -> bool:
    return isinstance(key, ast.Constant) and key.value == "axes.color_cycle"
