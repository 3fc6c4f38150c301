"""The one reading of settings: from Python, from text, and closed when in doubt."""

from __future__ import annotations

import ast
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigList, DeferredConfigString, LazyConfigValue

from jupyter_selfheal import magic_options, registry
from jupyter_selfheal.config import CLOSED, HEALERS, LIVE_SWITCHES, RANGES, HealConfig, read_setting, read_settings
from jupyter_selfheal.errors import ConfigError, UsageError
from jupyter_selfheal.surfaces.cli.heal import build_settings
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.notebook.settings import Settings

DEFAULTS = HealConfig()
NAMES = [f.name for f in fields(HealConfig)]
SWITCHES = [f.name for f in fields(HealConfig) if f.type == "bool"]
NUMBERS = [f.name for f in fields(HealConfig) if f.type in ("int", "float")]
TRUE = {"true", "yes", "on", "1"}


@given(
    st.sampled_from([*SWITCHES, *LIVE_SWITCHES]),
    st.text() | st.sampled_from(["False", "0", "off", "None", "", "[True]", "not true", "truee", "on!", "1.0", "y"]),
)
def test_no_text_that_is_not_clearly_true_turns_a_switch_on(name: str, text: str) -> None:
    try:
        value = read_setting(name, text)
    except ConfigError:
        return
    assert value is (text.strip().lower() in TRUE)


@given(
    st.sampled_from(SWITCHES),
    st.none()
    | st.integers()
    | st.floats()
    | st.binary()
    | st.lists(st.booleans())
    | st.dictionaries(st.text(), st.booleans()),
)
def test_no_other_value_than_true_and_false_is_a_switch(name: str, value: Any) -> None:
    with pytest.raises(ConfigError):
        HealConfig(**{name: value})
    with pytest.raises(ConfigError):
        read_setting(name, value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("write", [lambda v: v, lambda v: ",".join(v) if isinstance(v, tuple) else str(v),
                                   lambda v: ast.literal_eval(repr(v)), lambda v: DeferredConfigString(",".join(v) if isinstance(v, tuple) else v)])  # fmt: skip
def test_every_setting_is_read_back_as_it_was_written(name: str, write: Any) -> None:
    value = getattr(DEFAULTS, name)
    read = read_setting(name, write(value))
    assert (read, type(read)) == (value, type(value))


@given(st.data())
def test_every_number_is_read_back_within_its_range_and_refused_outside(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NUMBERS))
    least, greatest = RANGES[name]
    whole = isinstance(getattr(DEFAULTS, name), int)
    inside = data.draw(st.integers(int(least), int(greatest)) if whole else st.floats(least, greatest))
    assert read_setting(name, str(inside)) == inside == getattr(HealConfig(**{name: inside}), name)
    outside = data.draw(st.floats(max_value=math.nextafter(least, -1e9)) | st.floats(min_value=greatest * 1.01 + 1))
    for value in (outside, math.nan, math.inf, -math.inf, "nan", "inf", str(outside), True, "much", "", None):
        with pytest.raises(ConfigError):
            read_setting(name, value)
    for value in (outside, math.nan, math.inf, True, "1", None):
        with pytest.raises(ConfigError):
            HealConfig(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["rules,search", "rules, search", "rules search", ["rules", "search"], ("rules", "search"),
                                   ["rules,search"], DeferredConfigList(["rules", "search"])])  # fmt: skip
def test_healers_are_names_however_they_are_given(given: Any) -> None:
    assert read_setting("healers", given) == ("rules", "search")


@pytest.mark.parametrize("name", ["healers", "provider"])
def test_healers_are_not_read_letter_by_letter(name: str) -> None:
    with pytest.raises(ConfigError, match=f"^{name} cannot be"):
        HealConfig(**{name: "rules" if name == "healers" else ("anthropic",)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("consent", "maybe\nnot"),
        ("consent", "x" * 9_999),
        ("budget_usd", "much"),
        ("healers", "rules,magic"),
        ("nonsense", 1),
        ("outputs", "both"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line_that_names_it(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read_setting(name, value)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 250
    assert name in line
    assert name == "nonsense" or "it takes" in line


def test_what_is_unreadable_and_permits_something_is_closed() -> None:
    open_ = HealConfig(consent=True, send_values=True, network=True, install=True)
    config, problems = read_settings(dict.fromkeys(CLOSED, "who knows?"), open_)
    assert len(problems) == len(CLOSED)
    assert {name: getattr(config, name) for name in CLOSED} == CLOSED
    assert set(SWITCHES) <= set(CLOSED)
    assert "language_model" not in config.healers


def test_the_configuration_of_ipython_is_read() -> None:
    c = Config()
    c.SelfHeal.budget_usd = DeferredConfigString("0.5")
    c.SelfHeal.send_values = DeferredConfigString("False")
    c.SelfHeal.offline = DeferredConfigString("on")
    c.SelfHeal.attempts = DeferredConfigList(["3"])
    c.SelfHeal.model = DeferredConfigString("mine")
    if c.SelfHeal.consent:  # looked at, never set: traitlets leaves a LazyConfigValue behind, which is true
        assert isinstance(c.SelfHeal.consent, LazyConfigValue)
    config, problems = read_settings(dict(c.SelfHeal), DEFAULTS)
    assert problems == []
    assert config == HealConfig(budget_usd=0.5, offline=True, attempts=3, model="mine")


def test_a_list_that_a_configuration_adds_to_is_added_to() -> None:
    c = Config()
    c.SelfHeal.healers.append("rules")
    assert read_settings(dict(c.SelfHeal), DEFAULTS)[0].healers == HEALERS
    c.SelfHeal.consent.append(True)
    config, problems = read_settings(dict(c.SelfHeal), DEFAULTS)
    assert not config.consent
    assert "consent cannot be" in problems[0]


@pytest.mark.parametrize("words", [["--budget", "nan"], ["--budget", "-1"], ["--budget", "inf"], ["--attempts", "0"],
                                   ["--healers", ""], ["--healers", "rules,magic"], ["--timeout", "nan"], ["--jobs", "inf"]])  # fmt: skip
def test_the_command_line_refuses_what_makes_no_sense(words: list[str]) -> None:
    with pytest.raises(UsageError):
        build_parser().parse_args(["heal", "a.ipynb", *words])


def test_a_project_without_a_notebook_is_checked_as_it_is_healed_and_nothing_is_written() -> None:
    options = build_parser().parse_args(["check", "--project", "work", "--test", "pytest -q"])
    assert (options.notebooks, build_settings(options).approve) == ([], "none")
    assert build_settings(options).project == Path("work")


def test_the_command_line_reads_settings_as_everybody_does() -> None:
    config = build_settings(
        build_parser().parse_args(["heal", "a.ipynb", "--healers", "rules search", "--budget", "1e-1"])
    ).config
    assert (config.healers, config.budget_usd) == (("rules", "search"), 0.1)


@pytest.mark.parametrize(
    "line", ["--budget nan", "--budget -1", "--attempts 0", "--timeout inf", "--healers ''", "--healers x"]
)
def test_the_line_of_a_cell_refuses_what_makes_no_sense(line: str) -> None:
    with pytest.raises(UsageError, match=r"^--\w+: \w+ cannot be"):
        magic_options.parse(line)


@pytest.mark.parametrize("changes", [{"approve": "everything"}, {"approve": True}, {"writes": "yes"}])
def test_a_batch_refuses_an_approval_that_does_not_exist(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="cannot be"):
        Settings(**changes)


@pytest.mark.parametrize(("given", "config"), [
    ({"consent": "False", "healers": "rules,search", "budget_usd": "0.5"}, {"healers": ("rules", "search"), "budget_usd": 0.5}),
    ({"offline": "no", "input_path": "x", "output_path": None}, {"offline": False}),
])  # fmt: skip
def test_papermills_arguments_are_read(given: dict[str, Any], config: dict[str, Any]) -> None:
    pytest.importorskip("papermill")
    from jupyter_selfheal.surfaces.notebook.papermill import _build_settings

    assert _build_settings(given, "safe", 9.0, "python3").config == HealConfig(**{"offline": True, **config})


@pytest.mark.parametrize("given", [{"consent": "perhaps"}, {"ofline": True}, {"budget_usd": "nan"}])
def test_papermills_arguments_are_refused_where_they_cannot_be_read(given: dict[str, Any]) -> None:
    pytest.importorskip("papermill")
    from jupyter_selfheal.surfaces.notebook.papermill import _build_settings

    with pytest.raises(ConfigError, match=next(iter(given))):
        _build_settings(given, "safe", 9.0, "python3")


def test_the_names_of_the_healers_are_those_that_have_a_class() -> None:
    assert tuple(registry.SHIPPED_HEALERS) == HEALERS
