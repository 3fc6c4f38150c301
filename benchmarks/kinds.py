"""The kinds of failure that live healing is to be smooth in: what a user has run, the cell that fails, and what must stand in the fix."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One failure as a user meets it; ``fix`` stands in the right fix's source, and is empty where only an explanation can be given."""

    name: str
    above: tuple[str, ...]
    failing: str
    fix: str = ""
    is_stopped: bool = False
    """It runs until the user stops it."""


TABLE = """import pandas as pd
from io import StringIO
sales = pd.read_csv(StringIO('region,price,amount\\nnorth,2.5,4\\nsouth,3.0,6\\nnorth,1.5,10'))"""
SHOP = """class Shop:
    def __init__(self, prices):
        self.prices = prices

    def total(self, basket):
        return sum(self.price[name] * count for name, count in basket.items())"""

KINDS = (
    Kind("misspelt name", ("prices = [1.2, 0.8, 3.1]",), "total = sum(prises)\nprint(total)", "sum(prices)"),
    Kind("column's KeyError", (TABLE,), "sales.groupby('regoin')['price'].mean()", "groupby('region')"),
    Kind(
        "wrong file name",
        ("from pathlib import Path\n_ = Path('measurements.csv').write_text('a,b\\n1,2\\n')",),
        "import pandas as pd\ntable = pd.read_csv('measurments.csv')\nprint(table.shape)",
        "'measurements.csv'",
    ),
    Kind("missing import", ("values = [4.0, 9.0]",), "roots = np.sqrt(values)\nprint(roots)", "import numpy as np"),
    Kind("removal of pandas 3", (TABLE,), "more = sales.append(sales)\nprint(len(more))", "pd.concat("),
    Kind("removal of NumPy 2", ("import numpy as np",), "print(np.product([2, 3, 4]))", "np.prod("),
    Kind(
        "off by one without an assert",
        ("values = [3, 5, 9, 12]",),
        "diffs = []\nfor i in range(len(values)):\n    diffs.append(values[i + 1] - values[i])\nprint(diffs)",
        "range(len(values) - 1)",
    ),
    Kind(
        "off by one with an assert",
        ("def mean(values):\n    return sum(values) / (len(values) - 1)",),
        "assert mean([1, 2, 3]) == 2.0\nassert mean([4, 4]) == 4.0\nassert mean([5]) == 5.0",
        "len(values)",
    ),
    Kind(
        "shapes in NumPy",
        ("import numpy as np\nA = np.arange(12).reshape(3, 4)\nB = np.arange(6).reshape(3, 2)",),
        "product = A @ B\nprint(product.shape)",
        "A.T @ B",
    ),
    Kind(
        "shapes in scikit-learn",
        ("import numpy as np\nfrom sklearn.linear_model import LinearRegression\nx = np.arange(10.0)\ny = 2 * x + 1",),
        "model = LinearRegression().fit(x, y)\nprint(model.coef_)",
        "x.reshape(-1, 1)",
    ),
    Kind(
        "a function defined below",
        (),
        "print(area(3, 4))\n\ndef area(width, height):\n    return width * height",
        "def area(width, height):\n    return width * height\n",
    ),
    Kind("a missing comma", (), "words = ['red' 'green', 'blue'\n         'white' 3]\nprint(len(words))", "'white', 3"),
    Kind("an empty list", ("scores = []",), "average = sum(scores) / len(scores)\nprint(average)"),
    Kind(
        "an endless loop that is stopped",
        (),
        "n = 0\nwhile n < 10:\n    total = n * 2\nprint(n)",
        "n += 1",
        is_stopped=True,
    ),
    Kind(
        "a class three cells up",
        (SHOP, "shop = Shop({'tea': 3})", "basket = {'tea': 2}"),
        "shop.total(basket)",
        "self.prices[name]",
    ),
    Kind(
        "a Matplotlib keyword",
        ("import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt",),
        "fig, ax = plt.subplots()\nax.plot([1, 2, 3], [2, 4, 8], colour='red', label='growth')",
        "color='red'",
    ),
    Kind("text plus number", ("age = 41",), "print('age: ' + age)", "str(age)"),
    Kind(
        "a wrong dictionary key in a loop",
        ("people = [{'name': 'Ada', 'age': 36}, {'name': 'Max', 'age': 41}]",),
        "for person in people:\n    print(person['nmae'], person['age'])",
        "person['name']",
    ),
    Kind(
        "a generator used twice",
        ("squares = (n * n for n in range(5))", "print(sum(squares))"),
        "print(max(squares))",
        "squares = list(n * n",
    ),
    Kind(
        "a %%time cell",
        ("prices = {'apple': 1.2, 'pear': 0.8}",),
        "%%time\ncost = prices['aple'] * 3\nprint(cost)",
        "prices['apple']",
    ),
    Kind(
        "a cell with await",
        ("import asyncio\nasync def fetch():\n    await asyncio.sleep(0)\n    return [1, 2, 3]",),
        "got = await fetch()\nprint(sum(gott))",
        "sum(got)",
    ),
    Kind(
        "a failure in a thread",
        ("import threading\nprices = {'apple': 1.2, 'pear': 0.8}",),
        "def work():\n    print('costs', prices['aple'])\nworker = threading.Thread(target=work)\nworker.start()\nworker.join()",
        "prices['apple']",
    ),
    Kind(
        "one in a widget's callback",
        ("import ipywidgets\nvalue = [7]",),
        "def show(_button):\n    print(vlaue[0])\nbutton = ipywidgets.Button()\nbutton.on_click(show)\nbutton.click()",
        "print(value[0])",
    ),
)
"""Twenty kinds, three of them in two forms."""
