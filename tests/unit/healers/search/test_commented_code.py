"""Code that was taken out of a function, and stands in a comment or a text that nothing reads."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find, list_texts

IN_TEXT = """def paid(prices, member):
    total = 0
    for price in prices:
        total += price
    '''
    if member and total > 45:
        total -= 10
    '''
    return total
"""
IN_COMMENT = """def total(xs):
    result = 0
    for x in xs:
        # what is negative is left out
        # if x < 0:
        #     continue
        result += x
    return result
"""


def test_code_in_a_text_is_taken_out_of_it() -> None:
    found = find(
        IN_TEXT, "assert paid([40, 20], True) == 50\nassert paid([40], True) == 40\nassert paid([60], False) == 60\n"
    )
    assert found["patches"][0]["texts"]["0"] == IN_TEXT.replace("    '''\n", "").rstrip()


def test_code_in_a_comment_is_taken_out_of_it() -> None:
    (text,) = list_texts(IN_COMMENT, "comment")
    assert text == IN_COMMENT.replace("# if x < 0:", "if x < 0:").replace("#     continue", "    continue")


@pytest.mark.parametrize(
    "definition",
    [
        'def f(x):\n    """\n    x + 1\n    """\n    return x\n',  # what a docstring shows
        "def f(x):\n    '''this is\n    what it does'''\n    return x\n",
        "def f(x):\n    # the total\n    return x\n",
        "def f(x):\n    # return the total\n    return x\n",
        "def f(x):\n    y = '''\n    x = 1\n    '''\n    return y\n",  # a text that is read
    ],
)
def test_what_is_no_code_stays(definition: str) -> None:
    assert not list_texts(definition, "is needed")
