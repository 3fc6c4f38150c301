"""The line of ``%%heal``."""

from __future__ import annotations

import pytest

from jupyter_selfheal import magic_options as options
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Oracle


@pytest.mark.parametrize(
    ("line", "oracle"),
    [
        ("", Oracle()),
        ("--expect 6", Oracle(expect="6")),
        ("--expect [1, 2, 3]", Oracle(expect="[1, 2, 3]")),
        ("--expect=df.shape == (3, 2)", Oracle(expect="df.shape == (3, 2)")),
        ('--expect "6"', Oracle(expect="6")),
        ("--expect 'abc'", Oracle(expect="'abc'")),
        ("--expect 'known'", Oracle(expect="known")),
        ("--expect 'two words'", Oracle(expect="'two words'")),
        ("--expect 'It is done.'", Oracle(expect="'It is done.'")),
        ("--check 'x > 1' --check y.any()", Oracle(checks=("x > 1", "y.any()"))),
        (
            "--stdout /^total: \\d+$/ --spec mean of the prices",
            Oracle(stdout="/^total: \\d+$/", spec="mean of the prices"),
        ),
        ("""--expect {"a": "b c"} --no-wait""", Oracle(expect='{"a": "b c"}')),
    ],
)
def test_oracle_is_read(line: str, oracle: Oracle) -> None:
    assert options.parse(line, known={"known"}).oracle == oracle


def test_settings_go_on_top_of_the_configuration() -> None:
    chosen = options.parse("--attempts 2 --budget 0.5 --healers rules,search --timeout 3 --offline --wait")
    config = chosen.apply_to(HealConfig(model="mine"))
    assert (config.attempts, config.budget_usd, config.healers) == (2, 0.5, ("rules", "search"))
    assert (config.timeout, config.offline, config.model, chosen.wait) == (3.0, True, "mine", 1)


def test_a_misspelt_command_is_told_with_the_one_that_is_near() -> None:
    assert options.suggest_command("statsu") == ": did you mean `%heal status`?"
    assert options.suggest_command("nonsense") == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--expct 6", "unknown option --expct"),
        ("--expect", "--expect needs a value"),
        ("--expect a b", "none"),
        ("--expect '1 +'", "'1 +' is none"),
        ('--expect "[1, 2"', "'[1, 2' is none"),
        ("--check 'assert ('", "'assert (' is none"),
        ("--attempts many", "a whole number"),
        ("--healers magic", "unknown healer"),
        ("--check 'x", "quote is left open"),
        ("6", "no option"),
        ("--wait 3", "takes no value"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(line: str, said: str) -> None:
    with pytest.raises((UsageError, ValueError, Exception)) as caught:
        options.parse(line)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_help_fits_a_terminal_of_80_columns() -> None:
    assert [line for line in options.HELP.splitlines() if len(line) > 79] == []
