"""Which cells a value depends on, where its object goes by another name: a loop over a list of tables."""

from __future__ import annotations

import pytest

from jupyter_selfheal.source import find_backward_slice

READ = "train = read('train'); test = read('test')"
LISTED = "both = [train, test]"


@pytest.mark.parametrize(
    "loop",
    [
        "for table in both:\n    table['age'] = 0",
        "for table in both:\n    table['age'].fillna(0, inplace=True)",
        "for table in [train, test]:\n    table.loc[0, 'age'] = 0",
    ],
)
def test_a_loop_over_a_list_of_tables_changes_them(loop: str) -> None:
    assert 2 in find_backward_slice([READ, LISTED, loop], ["train"])


@pytest.mark.parametrize(
    "loop",
    [
        "for table in both:\n    print(table['age'])",
        "for table in both:\n    table = table.fillna(0)",
        "for table in [other]:\n    table['age'] = 0",
    ],
)
def test_a_loop_that_only_reads_or_rebinds_changes_nothing(loop: str) -> None:
    assert find_backward_slice([READ, LISTED, loop], ["train"]) == (0,)


@pytest.mark.parametrize("statement", ["del train['age']", "del train.columns[0], test", "print(train); del train.age"])
def test_a_part_that_is_deleted_changes_what_had_it(statement: str) -> None:
    assert 1 in find_backward_slice([READ, statement], ["train"])
