"""What is likely meant, but may be meant otherwise, is offered and never applied by itself."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.safety import propose

FIT = (
    "import numpy as np\nfrom sklearn.linear_model import LinearRegression\nfrom sklearn.model_selection import train_test_split",
    "X, y = np.arange(8.0).reshape(-1, 1), np.arange(8.0)\nX_train, X_test, y_train, y_test = train_test_split(X, y)",
    "model = LinearRegression()",
    "model.score(X_test, y_test)",
)
ACCOUNT = """class Account:
    def __init__(self, start):
        self.balance = start
    def add(self, n):
        self.balance += n
    def gain(self):
        return self.balance - self.start
mine = Account(9)"""
TWIN = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nother = ax.twinx()"

READ_OTHERWISE = {
    "a list of marks, which may be added up": ("CAL126", ("marks = {'Ann': [9, 1], 'Bo': [7, 7]}\nmax(marks, key=marks.values())",)),
    "texts of digits": ("CAL126", ("ages = {'Ann': '9', 'Bo': '31'}\nmax(ages, key=ages)",)),
    "the pairs": ("CAL126", ("ages = {'Ann': 9, 'Bo': 31}\nbest = max(ages, key=ages.items())\nprint(best[0])",)),
    "a stock that nothing has filled": ("KEY102", ("stock = {}\nfor item in ['pear']:\n    stock[item] -= 1",)),
    "a stock that is filled below": (
        "KEY102",
        ("stock = {}", "for item in ['pear']:\n    stock[item] += 1", "stock.update({'pear': 5})"),
    ),
    "all rows, where a part is asked about": ("STA107", (*FIT, "model.fit(X, y)")),
    "axes beside other ones": ("MPL113", (TWIN, "fig.plot([1, 2])")),
    "a product": ("TYP208", ("import numpy as np\nmass, a = np.array([1.0, 2.0, 3.0]), 2", "force = mass(a)")),
    "a function that is to be written": (
        "IMP101",
        ("import math\n# Exercise: write a function `factorial(n)` with a loop.", "factorial(4)"),
    ),
    "functions that are to be written": (
        "IMP106",
        ("import numpy as np\n# Implement mean, var and std.", "print(mean([1, 2]), var([1, 2]), std([1, 2]))"),
    ),
    "a shuffled array of a table that is read below": (
        "NPA102",
        (
            "import numpy as np\nimport pandas as pd\nhomes = pd.DataFrame({'price': [3, 1]})",
            "prices = homes['price'].to_numpy()\nnp.random.default_rng(0).shuffle(prices)",
            "print(homes, prices)",
        ),
    ),
    "a row of which a number is missing": ("NPA101", ("import numpy as np", "np.array([[1, 2, 3], [4, 5]])")),
    "what an account began with": ("ATT124", (ACCOUNT, "mine.gain()")),
    "the items of lists in a list": ("CAL128", ("pairs = [[1, 2], [3, 4]]", "list(*pairs)")),
    "thousands among decimal commas": (
        "PDA112",
        ("import pandas as pd\nkilos = pd.Series(['1,250', '3,5'])", "kilos.astype(float)"),
    ),
    "thousands beside a column of decimal commas": (
        "PDA138",
        ("import pandas as pd\nt = pd.DataFrame({'kg': ['1,250', '3,000'], 'eur': ['2,5', '3']})", "t['kg'].mean()"),
    ),
    "a month that was octal": ("SYN101", ("import datetime\ndatetime.date(2020, 010, 012)",)),
    "a name for names": ("CAL101", ("def greet(names):\n    return [f'Hi {n}' for n in names]", "greet(name='Ann')")),
}  # fmt: skip


@pytest.mark.parametrize("title", READ_OTHERWISE)
def test_what_can_be_read_otherwise_is_offered(bench: Bench, title: str) -> None:
    code, cells = READ_OTHERWISE[title]
    assert {level for level, _ in propose(bench, code, *cells)} == {Applicability.UNSAFE}
