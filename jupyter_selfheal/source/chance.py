"""What a cell draws on that may be otherwise in its next run: random numbers, the clock, threads, the order of a set.

Read off the source, and therefore a reason to look, never a proof: what is found is run again (docs: "The loop"). Errs towards
saying it, where a run more is the price, but a plain cell must stay silent.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.source.binding import find_free_names
from jupyter_selfheal.source.set_order import depends_on_set_order
from jupyter_selfheal.source.slices import find_backward_slice
from jupyter_selfheal.source.source import read

RANDOM = "random numbers without a seed"
SYSTEM = "random bytes of the system"
CLOCK = "the clock"
THREADS = "threads"
PROGRAMS = "a program that runs beside the cell"
ADDRESSES = "addresses of objects"
NETWORK = "the network"
SET_ORDER = "the order of a set, or a hash of a text"
"""What a failure may depend on, in words that follow "it depends on"."""

_DRAWS = frozenset(
    {"rvs", "rand", "randn", "randint", "random", "random_sample", "choice", "choices", "sample", "shuffle", "permutation",
     "uniform", "normal", "binomial", "poisson", "exponential", "gauss", "randrange", "integers", "standard_normal",
     "multivariate_normal", "train_test_split", "make_classification", "make_regression", "make_blobs", "make_moons"}
)  # fmt: skip
_OF_NETWORKX = re.compile(
    r"\w*random_\w+|(?:erdos_renyi|binomial|\w*barabasi_albert|\w*watts_strogatz|navigable_small_world|powerlaw_cluster|scale_free|\w*geometric|waxman|gnc?r?|"
    r"planted_partition|relaxed_caveman|duplication_divergence|partial_duplication|LFR_benchmark)_graph|\w*configuration_model|stochastic_block_model|"
    r"expected_degree_graph|spectral_graph_forge|\w*double_edge_swap|maximal_independent_set|sigma|omega|asyn_\w+|louvain_\w+"
)
"""What of NetworkX draws where no seed is given: random graphs, and measures by trials."""
_BY_TRIALS = frozenset({"average_clustering", "simulated_annealing_tsp", "threshold_accepting_tsp", "one_exchange", "randomized_partitioning"})  # fmt: skip
"""What of ``networkx.algorithms.approximation`` draws."""
_KEEPS = frozenset({"seed", "getstate", "setstate", "get_state", "set_state", "Generator", "PCG64", "SeedSequence"})
"""What a module of random numbers offers that draws nothing."""

_GENERATORS = frozenset({"default_rng", "RandomState", "Random"})
_SEEDING = frozenset({"random_state", "seed"})
_CLOCKS = frozenset(
    f"time.{name}{suffix}" for name in ("time", "perf_counter", "monotonic", "process_time") for suffix in ("", "_ns")
)
_MODULES = (
    ("secrets.", SYSTEM),
    ("threading.Thread", THREADS),
    ("threading.Timer", THREADS),
    ("_thread.start_new", THREADS),
    ("concurrent.futures.", THREADS),
    ("multiprocessing.", THREADS),
    ("asyncio.gather", THREADS),
    ("asyncio.create_task", THREADS),
    ("asyncio.as_completed", THREADS),
    ("asyncio.to_thread", THREADS),
    ("asyncio.ensure_future", THREADS),
    ("asyncio.wait", THREADS),
    ("subprocess.Popen", PROGRAMS),
    ("timeit.", CLOCK),
    ("asyncio.TaskGroup", THREADS),
    ("joblib.Parallel", THREADS),
    ("requests.", NETWORK),
    ("urllib.request.", NETWORK),
    ("httpx.", NETWORK),
    ("socket.", NETWORK),
)
_TASKS = frozenset({"create_task", "run_in_executor", "call_soon_threadsafe", "call_later"})
"""Methods of a loop of ``asyncio`` that start something beside the cell."""
_SYSTEM = frozenset({"os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom"})

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Chance:
    """What a cell depends on that may be otherwise in its next run, in words.

    ``drawn`` by the cell itself, or by what it calls: running it again from the same state varies that. ``before``: in a cell
    above that it depends on; only running that again too varies it. ``order``: the order of a set or a hash, anywhere in these;
    only another process varies it. ``seeds``: the modules of random numbers that the notebook seeds itself.
    """

    drawn: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    order: bool = False
    seeds: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """All of it, each once."""
        return tuple(dict.fromkeys((*self.drawn, *self.before, *([SET_ORDER] if self.order else ()))))


def find_chance(source: str, above: Sequence[str]) -> Chance:
    """What a cell depends on by chance; ``above`` are the cells that ran before it, in order."""
    kept = [above[n] for n in find_backward_slice(above, read(source).names.uses)]
    reader = _CallReader((*above, source))
    definitions = {
        s.node.name: s.node for text in kept for s in read(text).statements if isinstance(s.node, _FUNCTIONS)
    }
    own = [s.node for s in read(source).statements]
    called = _list_called(own, definitions)
    top = [s.node for text in kept for s in read(text).statements if not isinstance(s.node, _FUNCTIONS)]
    return Chance(
        tuple(reader.find_drawn([*own, *called])),
        tuple(reader.find_drawn([*top, *_list_called(top, definitions)])),
        depends_on_set_order([*definitions.values(), *top, *own]),
        tuple(sorted(reader.seeded)),
    )


def _list_called(nodes: Iterable[ast.AST], definitions: Mapping[str, ast.AST]) -> list[ast.AST]:
    """The definitions that code names, and those of which it calls a method, and what they name in turn."""
    methods = {
        inner.name: outer
        for outer, node in definitions.items()
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    called: dict[str, ast.AST] = {}
    pending = list(nodes)
    while pending:
        node = pending.pop()
        names = list_names(node) | set(find_free_names(node))
        names |= {methods[n.attr] for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr in methods}
        for name in sorted(names & definitions.keys() - called.keys()):
            called[name] = definitions[name]
            pending.append(definitions[name])
    return list(called.values())


class _CallReader:
    """Reads what calls stand for, by the imports and the seeds of a notebook."""

    def __init__(self, sources: Iterable[str]) -> None:
        nodes = [node for text in sources for node in read(text).nodes]
        self._full = collect_imports(nodes)
        self.seeded = {s for n in nodes if isinstance(n, ast.Call) and (s := self._find_seeded(n))}

    def find_drawn(self, nodes: Iterable[ast.AST]) -> Iterator[str]:
        """What the calls in some code draw on, each once."""
        drawn: dict[str, None] = {}
        for node in nodes:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call) and (word := self._find_source(inner)) is not None:
                    drawn.setdefault(word)
                elif isinstance(inner, ast.ClassDef) and self._is_thread(inner):
                    drawn.setdefault(THREADS)
        yield from drawn

    def _is_thread(self, kind: ast.ClassDef) -> bool:
        """Whether a class is one of threads or processes: to make one is to start something beside the cell."""
        return any(
            self._read_name(base).startswith(("threading.Thread", "threading.Timer", "multiprocessing."))
            for base in kind.bases
        )

    def _read_name(self, node: ast.expr) -> str:
        """``np.random.rand`` → ``numpy.random.rand``; empty for what is no plain name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        root = self._full.get(node.id, node.id) if isinstance(node, ast.Name) else ""
        return ".".join([root, *reversed(parts)])

    def _find_seeded(self, call: ast.Call) -> str:
        """The module that a call seeds, empty for another call; ``generator`` for one made with a seed."""
        name = self._read_name(call.func)
        last = name.rpartition(".")[2]
        if name in ("random.seed", "numpy.random.seed") and _has_arguments(call):
            return name.removesuffix(".seed")
        if last in _GENERATORS and _has_arguments(call):
            return "generator"
        return "library" if last in ("manual_seed", "set_seed", "set_random_seed") else ""

    def _find_source(self, call: ast.Call) -> str | None:
        name = self._read_name(call.func)
        root, _, last = name.rpartition(".")
        if name in _SYSTEM:
            return SYSTEM
        if name in _CLOCKS or (last in ("now", "today", "utcnow") and not _has_arguments(call)):
            return CLOCK
        if name == "id":
            return ADDRESSES
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in _TASKS and "asyncio" in self._full.values():
            return THREADS
        word = next((word for module, word in _MODULES if name.startswith(module)), None)
        return word if word is not None else (RANDOM if self._draws_at_random(call, root, last) else None)

    def _draws_at_random(self, call: ast.Call, root: str, last: str) -> bool:
        """Whether a call draws random numbers that no seed decides."""
        if last in _GENERATORS:
            return not _has_arguments(call)
        if any(k.arg in _SEEDING and not _is_none(k.value) for k in call.keywords) or last in _KEEPS:
            return False
        if root in ("random", "numpy.random"):
            return root not in self.seeded
        if root.startswith("networkx"):  # it draws from either of these, whose seeds it shares
            draws = _OF_NETWORKX.fullmatch(last) or (root.endswith("approximation") and last in _BY_TRIALS)
            return bool(draws) and not {"random", "numpy.random"} & self.seeded
        if root.startswith(("torch", "tensorflow", "jax")):
            return last in _DRAWS and "library" not in self.seeded
        known = root.startswith(("sklearn", "scipy")) or (root and root not in self._full.values())
        return bool(known) and last in _DRAWS and not {"generator", "numpy.random"} & self.seeded


def collect_imports(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What imported names stand for in full."""
    full: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            full.update({a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0]
                         for a in node.names})  # fmt: skip
        elif isinstance(node, ast.ImportFrom) and node.module:
            full.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    return full


def _has_arguments(call: ast.Call) -> bool:
    return bool(call.args or call.keywords)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
