"""What is read of an object, a loop or a dictionary in place of something else is mended where it has one reading, and offered otherwise."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.accessor_type import AccessorType
from jupyter_selfheal.healers.rules.attribute_of_parameter import AttributeOfParameter
from jupyter_selfheal.healers.rules.context import Rule
from jupyter_selfheal.healers.rules.first_round_only import FirstRoundOnly
from jupyter_selfheal.healers.rules.mixed_dates import MixedDates
from jupyter_selfheal.healers.rules.read_only_array import ReadOnlyArray
from jupyter_selfheal.healers.rules.thousands_separator import ThousandsSeparator
from jupyter_selfheal.healers.rules.time_column import TimeColumn
from jupyter_selfheal.healers.rules.union_written_as_sum import UnionWrittenAsSum
from jupyter_selfheal.healers.rules.value_not_begun import ValueNotBegun
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.needed import needs

pytestmark = needs("pandas")

TABLE = "import numpy as np, pandas as pd\ntable = pd.DataFrame({'v': [1.0, -2.0, 3.0]})\n"
FIND = "def {}(jobs):\n    for job in jobs:\n        if job['ready']:\n            return job\n        else:\n            return None\n"
JOBS = "jobs = [{'ready': False, 'n': 1}, {'ready': True, 'n': 2}]"
KEPT = "class Team:\n    def __init__(self, {given}):\n        self.{kept} = {given}\n        self.joined = []\n    def join(self, name):\n        {change}\n    def size(self):\n        return len(self.{given})\nteam = Team(['Ann'])\nteam.join('Bob')"


@pytest.mark.parametrize(
    ("rule", "cells", "is_safe"),
    [
        (ReadOnlyArray(), [TABLE, "v = table['v'].values\nv[0] = 0\nv.sum()"], True),
        (ReadOnlyArray(), [TABLE, "v = table.groupby('v').size().values\nv[0] = 0\nv.sum()"], True),
        (ReadOnlyArray(), [TABLE, "v = np.frombuffer(b'abcd', dtype='uint8')\nv[0] = 0"], True),
        (ReadOnlyArray(), [TABLE + "train = table", "v = table['v'].values\nv[0] = 0\ntrain"], False),
        (ReadOnlyArray(), [TABLE + "column = table['v']", "v = column.values\nv[0] = 0\ntable"], False),
        (ReadOnlyArray(), [TABLE + "kept = {'a': table}", "v = kept['a']['v'].values\nv[0] = 0"], False),
        (ReadOnlyArray(), [TABLE + "kept = {'a': table.v}", "v = kept['a'].values\nv[0] = 0"], False),
        (ReadOnlyArray(), [TABLE + "kept = {'a': table.v}", "v = table.v.values\nv[0] = 0\nkept"], False),
        (ReadOnlyArray(), [TABLE, "m = np.ones((2, 2))\nd = m.diagonal()\nd[:] = 0\nm"], False),
        (ReadOnlyArray(), [TABLE, "m = np.ones(3)\nm.flags.writeable = False\nd = m.reshape(-1)\nd[:] = 0"], False),
        (FirstRoundOnly(), [FIND.format("find") + JOBS, "find(jobs)['n']"], True),
        (FirstRoundOnly(), [FIND.format("front") + JOBS, "front(jobs)['n']"], False),
        (FirstRoundOnly(), [FIND.format("find") + "    raise ValueError('no jobs')\n" + JOBS, "find(jobs)['n']"], False),
        (AttributeOfParameter(), [KEPT.format(given="names", kept="_names", change="self.joined.append(name)"), "team.size()"], True),
        (AttributeOfParameter(), [KEPT.format(given="names", kept="members", change="return name"), "team.size()"], True),
        (AttributeOfParameter(), [KEPT.format(given="names", kept="founders", change="self.joined.append(name)"), "team.size()"], False),
        (AttributeOfParameter(), [KEPT.format(given="names", kept="first_names", change="self.joined.append(name)"), "team.size()"], False),
        (UnionWrittenAsSum(), ["a, b = {'x': 1}, {'x': 1, 'y': 2}", "a + b"], True),
        (UnionWrittenAsSum(), ["a, b = {'x': 1}, {'x': 3, 'y': 2}", "a + b"], False),
        (ValueNotBegun(), ["moves = [5, -2]", "for m in moves:\n    total += m\nprint(total)"], True),
        (ValueNotBegun(), ["moves = [5, -2]", "for m in moves:\n    balance += m\nprint(balance)"], False),
        (ThousandsSeparator(), [TABLE + "t = pd.DataFrame({'w': ['1,234', '10,500', '950']})", "t.w.astype(float)"], True),
        (ThousandsSeparator(), [TABLE + "t = pd.DataFrame({'w': ['1,234', '10,500']})", "t.w.astype(int)"], True),
        (ThousandsSeparator(), [TABLE + "t = pd.DataFrame({'w': ['1,234', '10,500']})", "t.w.astype(float)"], False),
        (ThousandsSeparator(), [TABLE + "t = pd.DataFrame({'w': ['1,234', '0,500']})", "t.w.astype(float)"], False),
    ],
)  # fmt: skip
def test_a_fix_is_safe_where_it_has_one_reading(bench: Bench, rule: Rule, cells: list[str], is_safe: bool) -> None:
    patches = bench.fail(*cells).propose_patches(rule)
    assert patches
    assert (patches[0].applicability is Applicability.SAFE) is is_safe, patches[0].why


TEXTS = "import pandas as pd\nlog = pd.DataFrame({'day': %r, 'n': [1, 2, 3]})"


@pytest.mark.parametrize(
    ("rule", "days", "failing", "readings"),
    [
        (AccessorType(), ["03/04/2024", "05/06/2024", "07/08/2024"], "log['month'] = log['day'].dt.month", 2),
        (AccessorType(), ["03/04/2024", "05/06/2024", "25/08/2024"], "log['month'] = log['day'].dt.month", 1),
        (AccessorType(), ["05/05/2024", "06/06/2024", "07/07/2024"], "log['month'] = log['day'].dt.month", 1),
        (AccessorType(), ["2024-04-03", "2024-06-05", None], "log['month'] = log['day'].dt.month", 1),
        (TimeColumn(), ["03/04/2024", "05/06/2024", "07/08/2024"], "log.set_index('day', inplace=True)\nlog.resample('D')['n'].sum()", 2),
        (TimeColumn(), ["04/25/2024", "06/26/2024", "08/27/2024"], "log.set_index('day', inplace=True)\nlog.resample('D')['n'].sum()", 1),
        (MixedDates(), ["03/04/2024", "05/06/2024 10:00", "07/08/2024"], "pd.to_datetime(log['day'])", 2),
        (MixedDates(), ["2024-04-03", "2024-06-05 10:00", "2024-08-07"], "pd.to_datetime(log['day'])", 1),
    ],
)  # fmt: skip
def test_dates_that_can_be_read_day_first_too_are_proposed_both_ways(
    bench: Bench, rule: Rule, days: list[str], failing: str, readings: int
) -> None:
    patches = bench.fail(TEXTS % days, failing).propose_patches(rule)
    assert len(patches) == readings
    assert sum("dayfirst=True" in p.title for p in patches) == readings - 1
    assert readings == 1 or Applicability.SAFE not in {p.applicability for p in patches}
