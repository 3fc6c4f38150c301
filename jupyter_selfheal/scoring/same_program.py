"""Is a patch, by construction, the program that the cell was? Then another output than the stored one is not its doing.

So is one that imports a library's thing from where it is now, or calls it by its new name (:func:`is_renamed`): a safe rule has its word for
it from the library. So is a call in the form of today (:func:`is_same_call`) where something that hangs on it comes out as stored.

``print x`` is ``print(x)``: whatever the two print, they print the same. Two things must hold, and both are read off trees:

1. What was written anew is syntax alone. The cell as it was, taken through fissix' fixers of syntax and of names that were renamed only, has
   the tree of the patched cell. A patch that also reckons otherwise (``//`` for ``/``, ``list(d.keys())``) has another tree.
2. Nothing that the cell's output depends on, itself or above, means something else in Python 3: no ``/`` that may have been one of whole
   numbers, no ``round``, no order of a dictionary or set, no ``map`` that was a list, no variable that a list comprehension left, …

Then what differs comes from a library, whose release is another one: so it is only believed where one is at work, and nothing that nobody
here knows (a module of the project's own, a file that is opened, a shell). What is not known to be the same counts as another program.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import is_name, read_called_name
from jupyter_selfheal.model import Applicability, Case, Patch, Replace
from jupyter_selfheal.source.python2 import DIVISION, SYNTAX, may_be_whole, refactor

RENAMED = ("xrange", "has_key", "reduce", "map", "filter", "zip")
"""Fixers of names that Python 3 has under another one, or gives lazily: a list is made of the latter where one was."""

NEW_NAMES = frozenset({"API101", "API102"})
"""Rules whose safe fix gives a library's thing by its new name."""
STYLES = re.compile(r"\bstyle\.(use|context)$")
"""Calls that set how plots look, by name: nothing that is printed hangs on them."""
NEW_FORMS = NEW_NAMES | {"API103", "API201", "API202"}
"""Rules whose safe fix makes the call as today's release takes it."""

LIBRARIES = frozenset(
    {"numpy", "scipy", "pandas", "matplotlib", "pylab", "sklearn", "seaborn", "statsmodels", "networkx", "nltk", "gensim", "sympy", "skimage", "cv2", "PIL",
     "bokeh", "xgboost", "lightgbm", "tensorflow", "keras", "torch", "theano", "patsy", "IPython", "mpl_toolkits", "wordcloud", "textblob", "spacy", "plotly"}
)  # fmt: skip
"""Libraries whose releases give other outputs; a module that is none of them, nor Python's, may be the project's own."""

ELSEWHERE = frozenset(
    {"random", "cPickle", "pickle", "csv", "codecs", "io", "urllib", "urllib2", "subprocess", "os", "sys", "operator"}
)
"""Python's own modules that give something else in Python 3 (texts and bytes, drawn numbers), or look outside of the notebook."""

FUNCTIONS = frozenset(
    {"round", "input", "raw_input", "open", "file", "hash", "cmp", "reload", "execfile", "buffer", "apply", "coerce", "intern", "unicode", "long", "bytes",
     "bytearray", "chr", "ord", "vars", "dir", "globals", "locals", "getattr", "next", "iter", "exec", "eval"}
)  # fmt: skip
"""Python's own that may give something else in Python 3; what ``exec`` is given is not read."""
METHODS = frozenset(
    {
        "divide",
        "encode",
        "decode",
        "keys",
        "values",
        "items",
        "iterkeys",
        "itervalues",
        "iteritems",
        "popitem",
        "most_common",
        "next",
    }
)
"""Methods that may give something else, or the same in another order."""

LAZY = frozenset({"map", "filter", "zip"})
EATERS = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "dict", "sum", "max", "min", "any", "all", "enumerate"}
)
"""What goes through an iterator as through a list."""
SHOWS = frozenset({"print", "repr", "str", "format", "display", "type", "isinstance"})
UNORDERED = frozenset({"dict", "set", "frozenset", "Counter", "defaultdict"})
COUNTED = frozenset({"range", "linspace", "arange"})
PASSED = frozenset({"enumerate", "zip", "list", "tuple", "reversed"})
"""What is gone through in the order of its arguments."""
OLD_METHODS = frozenset({"next", "__nonzero__", "__cmp__", "__div__", "__idiv__", "__rdiv__", "__coerce__", "__getslice__", "__setslice__", "__unicode__", "__hash__", "__eq__"})  # fmt: skip
DRAWS = re.compile(r"^\s*%(?:matplotlib|pylab|config|precision|load_ext autoreload|autoreload)\b")
"""Magics that leave every value as it is."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def find_same_programs(case: Case, patch: Patch, below: Iterable[str] = ()) -> frozenset[str]:
    """Those of the failing cell and cells ``below`` whose program is, with the patch, the one that Python 2 ran: another output is a library's doing."""
    failing = case.failure.cell_id
    if patch.applicability is not Applicability.SAFE or case.notebook.index(failing) < 0 or not is_respelt(patch):
        return frozenset()
    cells = [c for c in case.notebook.cells if c.kind == "code"]
    sources = [patch.source_of(c.id, c.source) for c in cells]
    places = {c.id: n for n, c in enumerate(cells)}
    return frozenset(i for i in (failing, *below) if i in places and _means_the_same(sources[: places[i] + 1]))


def is_renamed(patch: Patch) -> bool:
    """Whether a patch does nothing but name a library's things as its installed release does; so it does with a style sheet of plots."""
    if _is_made_by(patch, NEW_NAMES):
        return True
    replaced = [e for e in patch.edits if isinstance(e, Replace)]
    are_styles = all(_count_values_beside_styles(e.old) == _count_values_beside_styles(e.source) for e in replaced)
    return bool(replaced) and are_styles and _is_made_by(patch, NEW_NAMES | {"API203"})


def _count_values_beside_styles(source: str) -> Counter[str] | None:
    """The constants of a source, without the names of Matplotlib's style sheets; None where it does not parse."""
    if (tree := src.parse(source)) is None:
        return None
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and STYLES.search(ast.unparse(n.func)))
    styles = {id(value) for call in calls for value in ast.walk(call)}
    return Counter(repr(n.value) for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in styles)


def is_same_call(patch: Patch) -> bool:
    """Whether a patch does nothing but make a library's calls as its installed release takes them."""
    return _is_made_by(patch, NEW_FORMS)


def _is_made_by(patch: Patch, rules: frozenset[str]) -> bool:
    return patch.applicability is Applicability.SAFE and set(patch.rule.split("+")) <= rules


def is_respelt(patch: Patch) -> bool:
    """Whether a patch does nothing but write cells of Python 2 in the syntax of Python 3: by their trees, it is the same program."""
    edits = patch.edits
    return bool(edits) and all(isinstance(e, Replace) and _is_same_tree(e.old, e.source) for e in edits)


def _is_same_tree(old: str, new: str) -> bool:
    tree = src.parse(new)
    if src.parse(old) is not None or tree is None:
        return False
    respelt = refactor(old, SYNTAX)
    if respelt is None or (meant := src.parse(refactor(respelt, RENAMED) or respelt)) is None:
        return False
    # a comma behind what is printed: Python 2 parted what came next by a blank, or not, and by what was printed last
    is_open = any(k.arg == "end" for n in ast.walk(tree) if isinstance(n, ast.Call) for k in n.keywords)
    return not is_open and ast.dump(meant) == ast.dump(tree)


def _means_the_same(sources: Sequence[str]) -> bool:
    """Whether the last source, and all above that it depends on, means the same in both Pythons, and a library is at work."""
    *above, own = sources
    if any(src.parse(s) is None for s in sources):
        return False  # what did not run, or is no Python, may have changed anything
    kept = [*(above[n] for n in src.find_backward_slice(above, src.find_names(own).uses)), own]
    trees = [src.parse(s) or ast.Module([], []) for s in kept]
    read = {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    imported = [pair for tree in trees for n in ast.walk(tree) for pair in _list_imported(n)]
    modules, used = {module for module, _ in imported}, {module for module, name in imported if name in read | {"*"}}
    known = modules <= LIBRARIES | sys.stdlib_module_names and not used & ELSEWHERE
    if not known or not used & LIBRARIES or not all(map(_has_plain_magics, kept)):
        return False
    is_true = any(map(DIVISION.search, sources))
    return not any(_list_differences(trees, is_true))


def _list_imported(node: ast.AST) -> list[tuple[str, str]]:
    """The top module of each name that a statement imports, with the name that it binds; a dot for one of the notebook's own folder."""
    if isinstance(node, ast.Import):
        return [(a.name.partition(".")[0], a.asname or a.name.partition(".")[0]) for a in node.names]
    if isinstance(node, ast.ImportFrom):
        module = (node.module or ".").partition(".")[0] if not node.level else "."
        return [(module, a.asname or a.name) for a in node.names]
    return []


def _has_plain_magics(source: str) -> bool:
    lines = zip(source.split("\n"), src.mask(source).split("\n"), strict=True)
    return all(line == masked or DRAWS.match(line) for line, masked in lines)


def _list_differences(trees: Sequence[ast.Module], is_true: bool) -> Iterator[ast.AST]:
    """Nodes that may mean something else in Python 3; ``is_true``: a ``/`` is a division with a rest in both."""
    nodes = [n for tree in trees for n in ast.walk(tree)]
    parents = {child: n for n in nodes for child in ast.iter_child_nodes(n)}
    given = {a for n in nodes if _is_of_object(n) for a in _list_given(n)}
    has_unordered = any(_is_unordered(n) and n not in given for n in nodes)
    left = {(_find_scope(n, parents), t.id) for n in nodes if isinstance(n, ast.ListComp) for t in _list_targets(n)}
    names_left = {name for _, name in left}
    modules = {n for tree in trees for n in src.collect_names(tree.body).imports}
    for node in nodes:
        match node:
            case ast.BinOp() | ast.AugAssign() if not is_true and may_be_whole(node, modules):
                yield node
            case ast.Constant(value=bytes()):
                yield node
            case ast.Constant(value=str() as text) if not text.isascii():
                yield node
            case ast.Name(id=name, ctx=ast.Load()) if name in names_left and _is_left_over(node, left, parents):
                yield node
            case ast.Name(id=name, ctx=ast.Load()) if name in FUNCTIONS:
                yield node
            case ast.Attribute(attr=name) if name in METHODS and _is_called(node, parents):
                yield node
            case ast.Name(id=name, ctx=ast.Load()) if name in LAZY | {"range"} and not _is_used_up(node, parents):
                yield node
            case ast.ClassDef() if not node.bases or any(
                s.name in OLD_METHODS for s in node.body if isinstance(s, ast.FunctionDef)
            ):
                yield node
            case ast.keyword(arg="cmp"):
                yield node
            case ast.For() | ast.AsyncFor() | ast.comprehension() if has_unordered and not _is_in_order(node.iter):
                yield node
            case ast.Call() if has_unordered and _is_kept_in_order(node) and not all(map(_is_in_order, node.args)):
                yield node
            case _:
                pass


def _is_of_object(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether it is a call of what an object, or a library, has: what that does with a dictionary is its own business."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and bool(src.find_root_name(node.func))


def _list_given(call: ast.Call) -> Iterator[ast.AST]:
    """What a call is given, and what stands in it in displays."""
    for value in (*call.args, *(k.value for k in call.keywords)):
        yield from (n for n in ast.walk(value) if not isinstance(n, ast.Call) or n is value)


def _list_targets(comprehension: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> list[ast.Name]:
    return [n for g in comprehension.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]


def _is_unordered(node: ast.AST) -> bool:
    made = isinstance(node, ast.Call) and read_called_name(node) in UNORDERED
    return made or isinstance(node, ast.Dict | ast.DictComp | ast.Set | ast.SetComp)


def _is_kept_in_order(call: ast.Call) -> bool:
    """Whether a call gives what it is given in its order: ``list(d)``; by a key, what is equal comes in it."""
    called = read_called_name(call)
    return called in {"list", "tuple", "join", "enumerate"} or (called == "sorted" and bool(call.keywords))


def _is_in_order(node: ast.expr) -> bool:
    """Whether something is gone through in an order that stands in the text."""
    if isinstance(node, ast.Call):
        called = read_called_name(node)
        is_sorted = called == "sorted" and not node.keywords
        return called in COUNTED or is_sorted or (called in PASSED and all(map(_is_in_order, node.args)))
    if isinstance(node, ast.List | ast.Tuple):
        return not any(isinstance(e, ast.Starred) for e in node.elts)
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return True  # no dictionary is reckoned with
    return isinstance(node, ast.Constant)


def _is_called(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether an attribute is called; a value that is read of an object (``table.values``) is not."""
    parent = parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def _find_scope(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST | None:
    """The function around a node, None where it stands in none: all cells are one scope."""
    at = parents.get(node)
    while at is not None and not isinstance(at, _FUNCTIONS):
        at = parents.get(at)
    return at


def _is_left_over(name: ast.Name, left: set[tuple[ast.AST | None, str]], parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a name may be what Python 2 left behind of a list comprehension: its last item."""
    node: ast.AST = name
    while (at := parents.get(node)) is not None:
        if isinstance(at, _COMPREHENSIONS) and name.id in {t.id for t in _list_targets(at)}:
            return False
        if isinstance(at, ast.For) and node is not at.iter and any(is_name(n, name.id) for n in ast.walk(at.target)):
            return False
        if isinstance(at, _FUNCTIONS):
            if name.id in {a.arg for a in ast.walk(at.args) if isinstance(a, ast.arg)}:
                return False
            if (at, name.id) in left:
                return True
        node = at
    return (None, name.id) in left


def _is_used_up(node: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether what ``map(…)`` or ``range(…)`` gives is gone through at once, or, of a range, handed to a function that does not show it."""
    call = parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    parent = parents.get(call)
    if isinstance(parent, _LOOPS):
        return parent.iter is call
    while isinstance(parent, ast.keyword | ast.Starred):
        parent = parents.get(parent)
    if not isinstance(parent, ast.Call) or parent.func is call:
        return False
    taken = read_called_name(parent)
    return (
        taken in EATERS
        or (taken in LAZY and _is_used_up_call(parent, parents))
        or (node.id == "range" and taken not in SHOWS)
    )


def _is_used_up_call(call: ast.Call, parents: dict[ast.AST, ast.AST]) -> bool:
    return isinstance(call.func, ast.Name) and _is_used_up(call.func, parents)
