"""What a cell draws on by chance, read off its source."""

from __future__ import annotations

import pytest

from jupyter_selfheal.source.chance import (
    ADDRESSES,
    CLOCK,
    NETWORK,
    PROGRAMS,
    RANDOM,
    SET_ORDER,
    SYSTEM,
    THREADS,
    find_chance,
)

RANDOM_MODULE = "import random"


@pytest.mark.parametrize(
    ("above", "cell", "drawn"),
    [
        (RANDOM_MODULE, "assert random.random() > 0.5", RANDOM),
        ("from random import choice as pick", "pick([1, 2])", RANDOM),
        ("import numpy as np", "x = np.random.rand(3)\nx[0]", RANDOM),
        ("import numpy as np", "rng = np.random.default_rng()", RANDOM),
        ("from sklearn.model_selection import train_test_split", "train_test_split(X)", RANDOM),
        ("import pandas as pd\ndf = pd.DataFrame()", "df.sample(3)", RANDOM),
        ("import random\ndef roll():\n    return random.randint(1, 6)\ndef twice():\n    return roll() + roll()", "twice()", RANDOM),
        ("import os\nclass Box:\n    def key(self):\n        return os.urandom(2)\nbox = Box()", "box.key()", SYSTEM),
        ("import uuid", "uuid.uuid4().hex[0]", SYSTEM),
        ("import secrets", "secrets.token_hex()", SYSTEM),
        ("from time import time", "1 / (int(time()) % 2)", CLOCK),
        ("import datetime as dt", "dt.datetime.now().second", CLOCK),
        ("from threading import Thread", "Thread(target=print).start()", THREADS),
        ("import threading\nclass Job(threading.Thread):\n    def run(self):\n        out.append(1)", "job = Job()\njob.start()", THREADS),
        ("from multiprocessing import Process\nclass Job(Process):\n    pass", "Job().start()", THREADS),
        ("import asyncio\nasync def go():\n    async with asyncio.TaskGroup() as g:\n        g.create_task(f())", "await go()", THREADS),
        ("from joblib import Parallel, delayed", "Parallel(2)(delayed(f)(n) for n in xs)", THREADS),
        ("import asyncio", "jobs = [asyncio.ensure_future(f(n)) for n in xs]\ndone, _ = await asyncio.wait(jobs)", THREADS),
        ("import asyncio\nloop = asyncio.new_event_loop()", "loop.create_task(f())\nfirst = out[0]", THREADS),
        ("import asyncio", "asyncio.get_running_loop().run_in_executor(None, f)", THREADS),
        ("import subprocess", "p = subprocess.Popen(['convert', 'a.png'])\nassert p.poll() == 0", PROGRAMS),
        ("from timeit import timeit", "assert timeit('f()', number=9) < 0.01", CLOCK),
        ("", "id(object()) % 3", ADDRESSES),
        ("import requests", "requests.get('http://example.org').json()", NETWORK),
        ("import networkx as nx", "g = nx.erdos_renyi_graph(30, 0.2)\nlen(g.edges())", RANDOM),
        ("import networkx", "networkx.connected_watts_strogatz_graph(9, 2, 0.1)", RANDOM),
        ("from networkx import gnm_random_graph", "gnm_random_graph(9, 12)", RANDOM),
        ("from networkx.algorithms.approximation import average_clustering", "average_clustering(friends)", RANDOM),
        ("import networkx as nx", "nx.community.louvain_communities(friends)", RANDOM),
    ],
)  # fmt: skip
def test_what_the_cell_or_what_it_calls_draws(above: str, cell: str, drawn: str) -> None:
    chance = find_chance(cell, [above])
    assert chance.drawn == (drawn,)


@pytest.mark.parametrize(
    ("above", "cell"),
    [
        ("import random\nrandom.seed(1)", "random.random()"),
        ("import networkx as nx", "nx.erdos_renyi_graph(30, 0.2, seed=4)"),
        ("import networkx as nx\nimport random\nrandom.seed(3)", "nx.gnp_random_graph(30, 0.2)"),
        ("import networkx as nx", "nx.average_clustering(nx.path_graph(4))"),
        ("import networkx as nx", "nx.shortest_path_length(nx.complete_graph(9), 1, 3)"),
        ("import numpy as np\nnp.random.seed(0)", "np.random.rand()"),
        ("import numpy as np\nrng = np.random.default_rng(3)", "rng.normal()"),
        ("from sklearn.model_selection import train_test_split", "train_test_split(X, random_state=0)"),
        ("import random\ndef roll():\n    return random.random()", "len([1])"),
        ("class Deck:\n    def draw(self):\n        return 1\ndeck = Deck()", "deck.draw()"),
        ("def sample(xs):\n    return xs[0]", "sample([1])"),
        ("import random", "random.Random(4).random()"),
        ("today = 3", "print(today)"),
        (
            "class Board:\n    def create_task(self, name):\n        return name\nboard = Board()",
            "board.create_task('tidy up')",
        ),
        ("import subprocess", "subprocess.run(['true'], check=True)"),
        ("import asyncio\nasync def f():\n    return 2", "assert await f() == 3"),
        ("import threading\nclass Job(threading.Thread):\n    pass\nclass Deck(list):\n    pass", "Deck()"),
        ("import threading", "lock = threading.Lock()\nwith lock:\n    print(1)"),
        ("class Thread:\n    pass\nclass Job(Thread):\n    pass", "Job()"),
    ],
)
def test_what_is_seeded_or_not_called_is_no_chance(above: str, cell: str) -> None:
    assert find_chance(cell, [above]).sources == ()


def test_what_a_cell_above_drew_is_told_from_what_the_cell_draws() -> None:
    chance = find_chance("data[0] + 1", ["import random", "data = [random.random()]", "other = random.random()"])
    assert (chance.drawn, chance.before) == ((), (RANDOM,))
    assert find_chance("1 + 1", ["import random", "data = [random.random()]"]).sources == ()


def test_a_seed_of_one_module_is_none_of_the_other() -> None:
    chance = find_chance("random.random()", ["import random\nimport numpy as np\nnp.random.seed(1)"])
    assert chance.drawn == (RANDOM,)
    assert chance.seeds == ("numpy.random",)


@pytest.mark.parametrize(
    "cell",
    [
        "list({'a', 'b'})", "', '.join(set(words))", "for w in {'a', 'b'}:\n    print(w)", "words = {'a'}\nx, *rest = words",
        "words = set()\nwords.pop()", "next(iter(frozenset(words)))", "[w for w in set(words)]", "{w: 1 for w in set(words)}",
        "max({'a', 'b'}, key=len)", "sorted({'a', 'b'}, key=len)", "list({'a'} | other)", "hash('a') % 3",
        "def f(xs):\n    return set(xs)\nlist(f('ab'))", ("class A:\n    def __init__(self):\n        self.items = {1}\n"
        "    def first(self):\n        return list(self.items)[0]"), "enumerate(set(words))", "str({'a', 'b'})",
    ],
)  # fmt: skip
def test_where_the_order_of_a_set_is_used(cell: str) -> None:
    assert find_chance(cell, []).sources == (SET_ORDER,)


@pytest.mark.parametrize(
    "cell",
    [
        "len({'a', 'b'})", "'a' in {'a', 'b'}", "words = {'a'}\nwords.add('b')\nassert words == {'a', 'b'}",
        "sorted(set(words))", "seen = set()\nfor w in words:\n    if w not in seen:\n        seen.add(w)",
        "any(w == 'a' for w in set(words))", "{w.upper() for w in {'a'}}", "{'a'} & {'b'}", "table = {'a': 1}\nlist(table)",
        "max({1, 2})", "sum(set(numbers))", "set(a) - set(b)", "names = {'a', 'b'}\nnames[0]", "names = {'a', 'b'}\nnames.sort()",
    ],
)  # fmt: skip
def test_a_set_that_is_only_asked_has_no_order(cell: str) -> None:
    assert find_chance(cell, []).sources == ()
