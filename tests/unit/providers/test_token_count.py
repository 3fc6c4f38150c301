"""Tokens of a text, counted high."""

import pytest

from jupyter_selfheal.providers.token_count import BYTES_PER_TOKEN, estimate_text_tokens

HEX = "3a9f00c1d27be4486f1d9a77c05b2e813a9f00c1d27be4486f1d9a77c05b2e81"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [  # the most that Claude 2's published tokenizer, o200k and cl100k make of it
        ("1,0.134,w31\n2,0.847,c7\n39,0.763,k94\n", 27),
        (HEX, 47),
        ("😀🚀📈🧪" * 5, 55),
        ("数据分析笔记本中的单元格失败了" * 3, 42),
        ("total = sum(row['price'] * row['amount'] for row in rows)\n", 19),
        ("The cell failed, since the name of the column is misspelt.", 15),
    ],
)
def test_no_text_is_counted_low(text: str, tokens: int) -> None:
    assert tokens <= estimate_text_tokens(text) <= 3 * tokens


def test_data_and_other_scripts_count_for_more_than_their_length_says() -> None:
    for text in (HEX, "1,0.134,w31\n" * 20, "😀🚀" * 9):
        assert estimate_text_tokens(text) > len(text.encode()) / BYTES_PER_TOKEN
