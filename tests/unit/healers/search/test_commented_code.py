"""Code that was taken out of a function, and stands in a comment or a text that nothing reads."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.mutations import commented_code
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
        'def f(x):\n    q = """\n# a = x\n"""\n    return q\n',  # no comment, but a part of a text
        'def f(x):\n    q = f"""{x}\n# a = x\n"""\n    return q\n',
        "def f(x):\n    # x = 42\n    return x\n",  # an answer that is written down
        "def f(x):\n    # return 42\n    return x\n",
        "def f(x):\n    # if x == 3:\n    #     return 42\n    return x\n",
        "def f(x):\n    # import os\n    # y = os.remove(x)\n    return x\n",  # what reaches outside
        "def f(x):\n    # for path in x:\n    #     os.remove(path)\n    return x\n",
        "def f(x):\n    from shutil import rmtree as away\n\n    # y = away(x)\n    return x\n",
        "def f(x):\n    # y = open(x, 'w')\n    return x\n",
        "def f(x):\n    # done = subprocess.run(x)\n    return x\n",
        "def f(x):\n    '''sums'''\n    '''\n    done = os.remove(x)\n    '''\n    return x\n",
    ],
)
def test_what_is_no_code_stays(definition: str) -> None:
    assert not list_texts(definition, "is needed")


def test_what_a_name_begins_with_and_calls_within_are_no_answers() -> None:
    for code in ("count = 0", "x = abs(x)", "if x < 0:\n    #     x = 0"):
        assert list_texts(f"def f(x):\n    # {code}\n    return x\n", "comment"), code


def test_of_a_long_comment_the_end_alone_is_read() -> None:
    prose = "    # what n = 3 of a long licence says, and so on\n" * 500
    commented_code._parse.cache_clear()
    (text,) = list_texts(f"def f(x):\n{prose}    # x += 1\n    return x\n", "comment")
    assert text.endswith("on\n    x += 1\n    return x\n")
    assert commented_code._parse.cache_info().misses <= commented_code.MOST_LINES
