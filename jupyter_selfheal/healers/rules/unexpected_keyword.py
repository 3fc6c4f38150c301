"""CAL101: a keyword argument that is misspelt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Signature, questions
from jupyter_selfheal.healers.rules.context.knowledge import is_from, load_knowledge
from jupyter_selfheal.healers.rules.context.misspelt_definitions import is_written_right
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.spelling import (
    find_nearest,
    is_abbreviated,
    is_plain_slip,
    is_plural,
    keep_digits,
    normalize,
)
from jupyter_selfheal.model import Applicability, Patch

TAKEN_BY = re.compile(r"(?<![\w.])(\w+)\.set\(\) got an unexpected|'(\w+)' object has no property")
"""Matplotlib's functions hand what they do not know to an artist, which names its class."""
MADE_BY = re.compile(r"(?<![\w.])(\w+)\.__init__\(\) got an unexpected")
"""Others hand it to what makes one: ``Legend``."""

MESSAGE = re.compile(
    r"got an unexpected keyword argument '(\w+)'(?:\. Did you mean '(\w+)'\?)?|'(\w+)' is an invalid keyword argument|object has no property '(\w+)'|keyword (\w+) is not recognized; valid keywords are \[(.*)\]"
)

OF_CLASS = re.compile(r"(DataFrame|Series|NDFrame|IndexOpsMixin)\.(\w+)\(\) got an unexpected")
SHOWN = {"NDFrame": "DataFrame", "IndexOpsMixin": "Series"}
"""Classes of pandas that messages name, and one that users know which has their methods."""

MEANINGS: dict[str, tuple[str, ...]] = {
    "columns": ("subset", "by", "usecols"), "column": ("subset", "by", "columns"), "cols": ("columns", "subset", "by"), "col": ("subset", "by", "columns"),
    "on": ("by",), "by": ("on",), "key": ("by", "on"), "names": ("columns",), "separator": ("sep", "separators"), "seperator": ("sep",), "delimiter": ("sep",), "delim": ("sep",),
    "ending": ("end",), "decimals": ("ndigits",), "digits": ("ndigits", "decimals"), "places": ("ndigits", "decimals"), "begin": ("start",), "initial": ("start",),
    "seed": ("random_state",), "trees": ("n_estimators",), "location": ("loc",), "position": ("loc",), "thickness": ("linewidth",), "width": ("linewidth",), "style": ("linestyle",), "rotate": ("rotation", "rot", "labelrotation"), "rotation": ("labelrotation",), "fontsize": ("labelsize",), "opacity": ("alpha",), "angle": ("rotation", "startangle"),
    "colour": ("color", "c"), "size": ("figsize", "shape", "n"), "shape": ("size",), "n": ("k", "num", "size"), "count": ("k", "num"), "type": ("kind", "dtype"),
    "percent": ("normalize",), "method": ("how", "aggfunc", "func"), "how": ("method",), "function": ("func", "aggfunc"), "func": ("aggfunc",), "fill": ("fill_value", "value"), "fillna": ("fill_value",), "fill_na": ("fill_value",),
    "descending": ("!ascending", "reverse"), "desc": ("!ascending", "reverse"), "reverse": ("!ascending",), "reversed": ("!ascending", "reverse"),
    "score": ("scoring",), "scorer": ("scoring",), "metric": ("scoring",), "ascending": ("!reverse",), "asc": ("ascending", "!reverse"),
}  # fmt: skip
"""Words for a parameter, and what pandas, NumPy, scikit-learn, Matplotlib and Python call it; with `!` what says the opposite."""

ORDERS = frozenset({"ascending", "asc", "descending", "desc", "reverse", "reversed"})
"""Words that say which way is sorted: of the two ways one is left."""

SAME = {
    "opacity": "alpha",
    "rotate": "rotation",
    "fillna": "fill_value",
    "fill_na": "fill_value",
    "score": "scoring",
    "scorer": "scoring",
}
LIBRARY = frozenset({"fill_value", "scoring"})
"""Words that mean just what Matplotlib's artists, pandas and scikit-learn call otherwise; and which of these need not be an artist's."""
OF_TICKS = {"rotate": "labelrotation", "rotation": "labelrotation", "fontsize": "labelsize"}
"""And what its ticks do."""

WITHOUT_SIGNATURE = {
    "datetime.timedelta": ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks"),
    "Legend": ("loc", "ncols", "title", "fontsize", "frameon", "labelcolor", "bbox_to_anchor", "markerscale", "shadow"),
}
"""What functions take that cannot be asked for it: https://docs.python.org/3/library/datetime.html#datetime.timedelta,
https://matplotlib.org/stable/api/legend_api.html#matplotlib.legend.Legend."""


OF_NORMAL = {
    "mean": "loc", "mu": "loc", "avg": "loc", "average": "loc", "std": "scale", "sd": "scale", "sigma": "scale", "stdev": "scale", "stddev": "scale", "std_dev": "scale",
}  # fmt: skip
"""What a normal distribution's two parameters are called elsewhere: "The location (loc) keyword specifies the mean. The scale (scale) keyword specifies the
standard deviation." (https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.norm.html; of `normal` in NumPy's manual the same)."""


class UnexpectedKeyword(Rule):
    """Use the parameter that the function has.

    **Failure** `TypeError: f() got an unexpected keyword argument 'colour'`, where the live function's signature has a near name, or
    `AttributeError: Line2D.set() got an unexpected keyword argument 'lable'`, where Matplotlib's class has such a property, or `keyword rotate is not recognized; valid keywords are ['size', …]` of its ticks.

    **Fix** The keyword is spelt as the parameter. It is never dropped, since that would change what the call means. Where none is near, it is one of a
    few words for the same thing, of which the function has a parameter: `dropna(columns=["name"])` becomes `subset=`, `read_csv(…, separator=";")` `sep=`,
    `sort_values("age", descending=True)` `ascending=False`. `opacity=` and `rotate=` of an artist are `alpha=` and `rotation=`, `rotate=` and `fontsize=` of ticks `labelrotation=` and `labelsize=`, `mean=` and `std=` of a normal distribution `loc=` and `scale=`.

    **Fix safety** Safe where the two differ by a slip and the parameter is not given already, or where it has the beginnings of the same words (`equal_var` for `equal_variance`), or where one is the other's plural and gets a whole number
    (`bin=10`; `color="red"` is no list of colours, and `column=3` may be a place), for the two words of Matplotlib, and for the order of a sort (`descending=True`); of a normal distribution, whose manual says so (of no other one: `loc` of an exponential is no mean). Unsafe otherwise, also where Python itself asks whether one was meant (`max_age` for `min_age`),
    and where it is the parameter that is written wrongly (`amuont`).
    """

    code = "CAL101"
    name = "misspelt keyword argument"
    enames = frozenset({"TypeError", "AttributeError", "ValueError"})
    applicability = Applicability.UNSAFE
    why = "The parameter's name is near, but another may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if not match:
            return
        wrong, hinted = match[1] or match[3] or match[4] or match[5], match[2]
        for failing in context.list_failing_nodes(ast.Call):
            call = failing
            keyword = next((k for k in call.keywords if k.arg == wrong), None) if isinstance(call, ast.Call) else None
            if keyword is None or not isinstance(call, ast.Call):
                continue
            given = {k.arg for k in call.keywords}
            if wrong in OF_NORMAL and _is_normal(context, call):
                yield from self._name_as_normal(context, call)
                return
            if _is_in_changelog(context, call, wrong):
                return  # `loffset` is no slip of `offset`: it is gone
            known = [k for k in ([hinted] if hinted else _list_parameters(context, call)) if k not in given]
            hint = (hinted,) if hinted and keep_digits(hinted) == keep_digits(wrong) else ()
            parts = tuple(k for k in known if wrong in k.split("_") and len(wrong) > 2)
            is_other_word = SAME.get(wrong) in known  # `score` of a search is not its `error_score`
            opposite = is_other_word or any(m.startswith("!") and m[1:] in known for m in MEANINGS.get(wrong, ()))
            short = tuple(k for k in known if "_" in k and is_abbreviated(k, wrong))
            near = find_nearest(wrong, known) or hint or (parts if len(parts) == 1 else ()) or short
            near = () if opposite else near  # `descending` is no slip of `ascending`
            for word in near if len(near) <= 2 else ():
                # one bin, many bins; but a name is no list of names
                is_count = len(wrong) > 2 and wrong != "column" and is_plural(wrong, word) and _is_whole(keyword.value)
                slip = is_count or is_plain_slip(wrong, word) or word in short
                is_right = is_count or is_written_right(word) or not is_written_right(wrong)
                sure = len(near) == 1 and (normalize(wrong) == normalize(word) or (slip and is_right))
                start = context.span(keyword)[0]
                yield self.patch(
                    context.replace(context.cell_id, [(start, start + len(wrong), word)]),
                    f"Change `{wrong}=` to `{word}=`",
                    f"The function has no parameter `{wrong}`, but has `{word}`.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="One parameter only is near, by a slip, and it is not given yet." if sure else self.why,
                    prior=0.8 if sure else 0.5,
                )
            if not near:
                yield from self._by_meaning(context, call, keyword, known)
            return

    def _name_as_normal(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """All that the call says of the distribution, by the names that it takes: ``norm.cdf(1.5, mean=0, std=1)``."""
        renamed = [(k, OF_NORMAL[k.arg]) for k in call.keywords if k.arg in OF_NORMAL]
        names = [n for _, n in renamed] + [k.arg for k in call.keywords if k.arg not in OF_NORMAL]
        if len(set(names)) < len(names):
            return
        starts = [(context.span(k)[0], len(k.arg or ""), new) for k, new in renamed]
        yield self.patch(
            context.replace_here(*((start, start + length, new) for start, length, new in starts)),
            "; ".join(f"Change `{k.arg}=` to `{new}=`" for k, new in renamed),
            "A normal distribution calls its mean `loc` and its standard deviation `scale`.",
            applicability=Applicability.SAFE,
            why="Of a normal distribution, `loc` is the mean and `scale` the standard deviation.",
            prior=0.95,
        )

    def _by_meaning(
        self, context: RuleContext, call: ast.Call, keyword: ast.keyword, known: list[str]
    ) -> Iterator[Patch]:
        """The parameters that another word than the given one is for."""
        wrong = keyword.arg or ""
        known = known or _list_parameters_of_pandas(context)
        given = {k.arg for k in call.keywords}
        meant = [m for m in MEANINGS.get(wrong, ()) if m.lstrip("!") in known and m.lstrip("!") not in given]
        same = OF_TICKS if "valid keywords are" in context.failure.evalue else SAME
        is_artist = TAKEN_BY.search(context.failure.evalue) is not None or same.get(wrong) in LIBRARY
        is_same = same.get(wrong) in meant and (same is OF_TICKS or is_artist)
        for n, word in enumerate(meant[:2]):
            new = f"{word}={context.text(keyword.value)}"
            is_order = len(meant) == 1 and {wrong, word.lstrip("!")} <= ORDERS and _sorts(call)
            if word.startswith("!"):
                if not (isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)):
                    continue
                new = f"{word[1:]}={not keyword.value.value}"
            yield self.patch(
                context.replace(context.cell_id, [(*context.span(keyword), new)]),
                f"Change `{wrong}=` to `{new.partition('=')[0]}=`",
                f"The function has no parameter `{wrong}`; what it calls so may be `{word.lstrip('!')}`.",
                applicability=Applicability.SAFE
                if is_order or (is_same and word == same[wrong])
                else Applicability.UNSAFE,
                why="What is sorted is sorted one way or the other."
                if is_order
                else "The library calls just this so."
                if is_same and word == same[wrong]
                else "The word means the same, but the call may have been meant otherwise.",
                prior=0.9 if is_order or (is_same and word == same[wrong]) else 0.6 - n / 10,
            )


def _is_normal(context: RuleContext, call: ast.Call) -> bool:
    """True for ``scipy.stats.norm`` and its methods, and for ``normal`` of NumPy's module or generator."""
    called = context.describe_all([call.func])[0]
    if not isinstance(call.func, ast.Attribute):
        return called.type == "norm_gen"
    owner = context.describe_all([call.func.value])[0]
    if "norm_gen" in (owner.type, called.type):
        return True
    is_random = owner.type in ("Generator", "RandomState") or (owner.is_module and owner.name == "numpy.random")
    return call.func.attr == "normal" and is_random


def _sorts(call: ast.Call) -> bool:
    """Whether a call is one of a sort by its name: `reverse` of another function may turn something else round."""
    return re.search("sort|rank|counts", read_last_name(call.func)) is not None


def _is_whole(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) is int


def _list_parameters(context: RuleContext, call: ast.Call) -> list[str]:
    """What the failing function can be given by name, and what it hands it to."""
    told = MESSAGE.search(context.failure.evalue)
    if told is not None and told[6]:
        return re.findall(r"\w+", told[6])
    name = context.read_plain_chain(call.func)
    signature = context.signature(name) if name else None
    known = _list_named(signature)
    kinds = [k.value.value for k in call.keywords if k.arg == "kind" and isinstance(k.value, ast.Constant)]
    if name and kinds and read_last_name(call.func) == "plot":
        # `.plot(kind="hist")` hands it to `.plot.hist`
        known += _list_named(context.signature(f"{name}.{kinds[0]!s}"))
    if name and signature is None:
        live = context.describe(name)
        known += WITHOUT_SIGNATURE.get(live.path, ()) if live is not None else ()
    made = MADE_BY.search(context.failure.evalue)
    known += WITHOUT_SIGNATURE.get(made[1], ()) if made is not None and not known else ()
    artist = TAKEN_BY.search(context.failure.evalue)
    if artist is not None and signature is not None:  # `capsize` of a bar, which takes any keyword
        known += re.findall(r"^ *(\w+) : ", signature.documentation, re.MULTILINE)
    return known + (
        context.ask(questions.LIST_MATPLOTLIB_PROPERTIES, name=artist[1] or artist[2]) if artist is not None else []
    )


def _list_named(signature: Signature | None) -> list[str]:
    """The parameters that can be given by name."""
    parameters = signature.parameters if signature is not None else ()
    return [p.name for p in parameters if p.kind in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")]


def _list_parameters_of_pandas(context: RuleContext) -> list[str]:
    """Parameters of the method of pandas that the message names: ``df[df.a > 1].dropna(…)`` is not evaluated to ask it."""
    method = OF_CLASS.match(context.failure.evalue)
    table = context.reference(f"pandas.{SHOWN.get(method[1], method[1])}") if method is not None else None
    if method is None or table is None or table.import_line:
        return []
    return _list_named(context.signature(f"{table.text}.{method[2]}"))


def _is_in_changelog(context: RuleContext, call: ast.Call, keyword: str) -> bool:
    """True where a library of which the callable is says that it took the keyword once."""
    known = [k for k in load_knowledge().keywords.get(keyword, ()) if read_last_name(call.func) in k.calls]
    live = context.describe_all([call.func], calls=True)[0] if known else None
    return live is not None and any(is_from([p for p in (live.path, *live.mro) if p], k.libraries) for k in known)
