"""Tables that are read like arrays and lists are mended where the fix has one reading, and offered otherwise."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.brackets_of_index import BracketsOfIndex
from jupyter_selfheal.healers.rules.context import Rule
from jupyter_selfheal.healers.rules.drawn_on_figure import DrawnOnFigure
from jupyter_selfheal.healers.rules.first_entry import FirstEntry
from jupyter_selfheal.healers.rules.function_of_numpy import FunctionOfNumpy
from jupyter_selfheal.healers.rules.list_filled_by_index import ListFilledByIndex
from jupyter_selfheal.healers.rules.loop_over_rows import LoopOverRows
from jupyter_selfheal.healers.rules.membership_of_values import MembershipOfValues
from jupyter_selfheal.healers.rules.misspelt_attribute import MisspeltAttribute
from jupyter_selfheal.healers.rules.place_in_table import PlaceInTable
from jupyter_selfheal.healers.rules.unpacking import Unpacking
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench

HOMES = "import pandas as pd\nhomes = pd.DataFrame({'town': ['Ulm', 'Bonn', 'Kiel'], 'rooms': [1, 4, 5]})\n"
FIGURE = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"


@pytest.mark.parametrize(
    ("rule", "cells", "is_safe"),
    [
        (PlaceInTable(), [HOMES, "homes[1, 1]"], True),
        (PlaceInTable(), [HOMES + "part = homes[homes.rooms > 1]", "part[1, 1]"], False),
        (PlaceInTable(), [HOMES + "part = homes[homes.rooms > 1]", "part[:, 1]"], True),
        (PlaceInTable(), [HOMES, "homes[1]"], False),
        (MembershipOfValues(), [HOMES, "homes[homes.town in ['Ulm']]"], True),
        (MembershipOfValues(), [HOMES, "homes['south'] = homes.town in ['Ulm']"], False),
        (LoopOverRows(), [HOMES, "for town, rooms in homes:\n    print(town)"], True),
        (LoopOverRows(), [HOMES, "for place, size in homes:\n    print(place)"], False),
        (ListFilledByIndex(), ["found = []\nfor n in range(3):\n    found[n] = n"], True),
        (ListFilledByIndex(), ["found = []", "for n in range(3):\n    found[n] = n"], False),
        (Unpacking(), ["a, b = [1, 2, 3], [4, 5, 6]", "for x, y in a, b:\n    print(x)"], True),
        (Unpacking(), ["for x, y in [1, 2, 3], [4, 5, 6]:\n    print(x)"], False),
        (FunctionOfNumpy(), ["import numpy as np\nv = np.array([3.0, 1.0])", "v.median()"], True),
        (FunctionOfNumpy(), ["import numpy as np\nv = np.array([3.0, np.nan])", "v.median()"], False),
        (FunctionOfNumpy(), ["import numpy as np\nv = np.array([3.0, 1.0])", "v.unique()"], False),
        (FunctionOfNumpy(), ["import numpy as np\nm = np.ones((2, 3))", "m.cov()"], False),
        (FunctionOfNumpy(), ["import numpy as np\nm = np.ones((2, 3))", "m.flip()"], False),
        (FunctionOfNumpy(), ["import numpy as np\nm = np.ones((2, 3))", "m.flip(axis=1)"], True),
        (FunctionOfNumpy(), ["import numpy as np\nm = np.ones((2, 2))", "m.inv()"], True),
        (FunctionOfNumpy(), ["import numpy as np\nm = np.ones((2, 2))", "m.inverse()"], False),
        (FirstEntry(), ["d = {}", "for k in 'aa':\n    d[k] += 1"], True),
        (
            FirstEntry(),
            ["d = {}\ndef put(k):\n    d[k] = 1\ndef take(k):\n    d[k] -= 1\nput('pear')", "take('peer')"],
            False,
        ),
        (FirstEntry(), ["d = {}\nd.update({'a': 1})", "for k in 'ab':\n    d[k] += 1"], False),
        (BracketsOfIndex(), ["rows = [[1, 2], [3, 4]]\ni = 1", "rows[i, 0]"], True),
        (BracketsOfIndex(), ["rows = [[1, 2], [3, 4]]", "rows[0, 1]"], False),
        (MisspeltAttribute(), [HOMES, "homes['town'].drop_duplicate()"], True),
        (MisspeltAttribute(), [HOMES, "homes['town'].counts()"], False),
        (DrawnOnFigure(), [FIGURE, "fig.set_xlabel('n')"], True),
        (DrawnOnFigure(), [FIGURE + "ax = plt.figure().add_subplot()", "fig.set_xlabel('n')"], False),
    ],
)
def test_what_has_one_reading_is_safe(bench: Bench, rule: Rule, cells: list[str], is_safe: bool) -> None:
    (patch,) = bench.fail(*cells).propose_patches(rule)
    assert (patch.applicability is Applicability.SAFE) is is_safe
