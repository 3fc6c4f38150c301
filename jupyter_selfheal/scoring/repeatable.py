"""Does a cell print the same whenever and wherever it is run? Read off the text of the cell and of those that it depends on.

Only where it does, an output that is not as stored says something: of the code, or of the age of what is stored.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.source.chance import collect_imports, find_chance

_PASSING = re.compile(
    r"""\b(?:time|perf_counter|monotonic|process_time|now|utcnow|today|ctime|localtime|gmtime)(?:_ns)?\(\)  # the clock
      | (?m:^\s*%%?time(?:it)?\b) | \btimeit\b
      | \b(?:id|hash)\( | \b(?:uuid|urandom|secrets|getpid|SystemRandom)\b                                  # this process
      | \b(?:getcwd|environ|getenv|platform|hostname|gethostname|getuser|expanduser|cpu_count|psutil)\b     # this machine
      | \b(?:listdir|scandir|glob|rglob|iterdir|os\.walk|getmtime|getsize|stat)\( | \bPath\.(?:cwd|home)\b
      | \bsys\.(?:version|path|executable|platform|getsizeof|modules|argv)\b | \bgetsizeof\b | \bmemory_usage\b
      | __version__ | \bversion(?:_info)?\b | \bshow_versions\b                                             # this release
      | \brequests\. | \burlopen\( | \burllib\b | ["'](?:https?|ftp|s3|gs):// | \binput\(                  # the world
    """,
    re.VERBOSE,
)
"""What gives something else at another time, in another process, on another machine or with another release."""

_SHOWS_PASSING = re.compile(
    r"""(?m:^\s*%(?:cd|pwd|ls|ll|lsmagic|pushd|popd|dirs|whos?|who_ls|env|hist(?:ory)?)\b)   # this machine's folders and session
      | \.cv_results_\b(?!\s*(?:\[|\.get\b)) | \[\s*["'](?:mean|std)_(?:fit|score)_time["']   # how long each fit took
    """,
    re.VERBOSE,
)
"""What shows such a thing, and hands nothing of it on: `search.best_params_` below is the same in each run."""

_TRAINS = re.compile(
    r"\.(?:partial_)?fit(?:_\w+)?\(|\bcross_val\w*\(|\bcross_validate\(|SearchCV\(|\b(?:curve_fit|minimize|least_squares)\("
)
"""What ends in other last digits with another release of the library, whatever the seed."""

_DRAWS = re.compile(
    r"(?:DecisionTree|RandomForest|ExtraTrees?|(?:Hist)?GradientBoosting|AdaBoost|Bagging|MLP|SGD|PassiveAggressive)(?:Classifier|Regressor)"
    r"|(?:MiniBatch)?KMeans|IsolationForest|RandomTreesEmbedding|RandomizedSearchCV|TSNE|MDS|LatentDirichletAllocation"
    r"|(?:Bayesian)?GaussianMixture|FastICA|RANSACRegressor|(?:Stratified|Group)?ShuffleSplit|permutation_importance"
)
"""What of scikit-learn draws random numbers where no ``random_state`` is given: trees choose by them among splits that are as good."""
_FOLDS = re.compile(r"(?:Stratified|StratifiedGroup|Group)?KFold")

_READS_FILE = re.compile(r"\bopen\(|\bread_\w+\(|\bsqlite3\b|\bPath\(|\bimportlib\b|\b__import__\b")
"""What is given from outside of the notebook."""


class Hang(Enum):
    """What it is that a cell's output hangs on, beside its code."""

    PASSING = "the clock, the process, the machine, the release, the network"
    CHANCE = "random numbers, the order of a set, what another language does"
    MODEL = "a fitted model, a numerical search"


def is_repeatable(cell: Cell, notebook: Notebook) -> bool:
    """Whether, by the text, the cell prints the same whenever it is run."""
    return not cell.stale and not {Hang.PASSING, Hang.CHANCE} & _find_hangs(cell, notebook)


def is_passing(cell: Cell, notebook: Notebook) -> bool:
    """Whether what the cell prints hangs on the clock, the process, the machine, the release or the network."""
    return Hang.PASSING in _find_hangs(cell, notebook)


def is_trained(cell: Cell, notebook: Notebook) -> bool:
    """Whether what the cell prints hangs on a model that was fitted, or on a numerical search."""
    return Hang.MODEL in _find_hangs(cell, notebook)


def is_own_work(cell: Cell, notebook: Notebook) -> bool:
    """Whether what the cell prints comes of nothing but the notebook's own code and Python: no library, no file, nothing that passes or
    is drawn. Then another output than the stored one is the code's doing, and no other release's."""
    above = notebook.list_code_before(cell.id)
    code = [c.source for c in (*above, cell)]
    if any(src.parse(source) is None or _READS_FILE.search(source) for source in code):
        return False
    nodes = (n for source in code for n in src.walk(source))
    return all(name in sys.stdlib_module_names for n in nodes for name in _list_imported(n)) and not _find_hangs(
        cell, notebook
    )


def _list_imported(node: ast.AST) -> list[str]:
    """The top packages that a statement imports; a dot for one of its own folder."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return (
        [(node.module or ".").partition(".")[0] if not node.level else "."] if isinstance(node, ast.ImportFrom) else []
    )


def _find_hangs(cell: Cell, notebook: Notebook) -> frozenset[Hang]:
    code = [c for c in notebook.cells if c.kind == "code"]
    at = next((n for n, c in enumerate(code) if c.id == cell.id), -1)
    if at < 0:
        return _trace_hangs((*(c.source for c in code), cell.source))[-1]
    return _trace_hangs(tuple(c.source for c in code))[at]


@lru_cache(maxsize=8)
def _trace_hangs(sources: tuple[str, ...]) -> tuple[frozenset[Hang], ...]:
    """What each cell hangs on, itself or by what it reads: from the top down, so that no cell is looked at twice."""
    hanging: dict[Hang, set[str]] = {hang: set() for hang in Hang}
    modules: set[str] = set()
    header: list[str] = []
    traced = []
    for source in sources:
        names = src.find_names(source)
        header += [line for line in _list_imports_and_seeds(source) if line not in header]
        modules |= names.imports
        own = _find_own_hangs(source, "\n".join(header))
        hangs = own | {h for h, tainted in hanging.items() if not tainted.isdisjoint(names.uses | names.changes)}
        for hang, tainted in hanging.items():
            if hang in hangs:
                tainted |= (names.binds | names.changes) - modules
            else:
                tainted -= names.binds
        traced.append(frozenset(hangs | {Hang.PASSING} if _SHOWS_PASSING.search(source) else hangs))
    return tuple(traced)


@lru_cache(maxsize=2048)
def _find_own_hangs(source: str, header: str) -> frozenset[Hang]:
    hangs = set()
    if _PASSING.search(source):
        hangs.add(Hang.PASSING)
    if _TRAINS.search(source):
        hangs.add(Hang.MODEL)
    foreign = src.is_foreign(source) or source.lstrip().startswith(("!", "%%"))
    chance = find_chance(source, (header,))
    if foreign or chance.sources or ("numpy.random" not in chance.seeds and _draws_unseeded(source, header)):
        hangs.add(Hang.CHANCE)
    return frozenset(hangs)


def _draws_unseeded(source: str, header: str) -> bool:
    """``RandomForestClassifier()``, ``KFold(5, shuffle=True)``: what scikit-learn makes draws from NumPy's own generator, which the notebook
    doesn't seed. A ``KMeans`` of the notebook's own draws what its text says."""
    full = collect_imports([*src.walk(header), *src.walk(source)])
    imported = {name: whole for name, whole in full.items() if whole.partition(".")[0] == "sklearn"}
    return bool(imported) and any(_is_made_unseeded(node, imported) for node in src.walk(source))


def _is_made_unseeded(node: ast.AST, imported: Mapping[str, str]) -> bool:
    root = src.find_root_name(node.func) if isinstance(node, ast.Call) else ""
    whole = imported.get(root, imported.get("*", ""))
    if not isinstance(node, ast.Call) or not whole:
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else whole.rpartition(".")[2].replace("*", root)
    given = {k.arg: k.value for k in node.keywords}
    seed = given.get("random_state", ast.Constant(None))
    if None in given or not (isinstance(seed, ast.Constant) and seed.value is None):
        return False  # a seed, or keywords that may hold one
    shuffles = isinstance(shuffle := given.get("shuffle"), ast.Constant) and shuffle.value is True
    return bool(_DRAWS.fullmatch(name) or (shuffles and _FOLDS.fullmatch(name)))


@lru_cache(maxsize=2048)
def _list_imports_and_seeds(source: str) -> tuple[str, ...]:
    """What a cell imports and seeds: what other cells draw is read with these."""
    if not re.search(r"\bimport\b|seed|default_rng|RandomState|Random\(", source):
        return ()
    nodes = [n for n in src.walk(source) if isinstance(n, ast.Import | ast.ImportFrom) or _is_seed(n)]
    return tuple(map(ast.unparse, nodes))


def _is_seed(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return "seed" in name or name in ("default_rng", "RandomState", "Random")
