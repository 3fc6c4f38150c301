"""Every setting everywhere, by one order."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.config import CHOICES, HealConfig, read_settings
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.setting_sources import OPTIONS, read_descriptions, resolve_settings
from jupyter_selfheal.surfaces.cli import main
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.cli.setting_options import resolve_options
from jupyter_selfheal.surfaces.mcp.command import build_settings as build_mcp_settings
from jupyter_selfheal.surfaces.notebook.api import _build_settings as _build_api_settings

OTHER: dict[str, Any] = {
    "bool": lambda name: not getattr(HealConfig(), name),
    "int": lambda name: getattr(HealConfig(), name) + 1,
    "float": lambda name: 1.0,
    "str": lambda name: CHOICES.get(name, ("", "other"))[1],
    "tuple[str, ...]": lambda name: ("rules",),
}
EVERY = {f.name: OTHER[str(f.type)](f.name) for f in fields(HealConfig)}
"""Each setting with a value that is not its default."""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def resolve(*words: str) -> Any:
    return resolve_options(build_parser().parse_args(["heal", "a.ipynb", *words]))


def to_words(name: str, value: Any) -> list[str]:
    option = OPTIONS.get(name, name.replace("_", "-"))
    if isinstance(value, bool):
        return [f"--{option}" if value else f"--no-{option}"]
    return [f"--{option}", ",".join(value) if isinstance(value, tuple) else str(value)]


def _list_options() -> set[str]:
    """Every option of ``heal``, as its help lists them."""
    commands = next(a for a in build_parser()._actions if a.choices and "heal" in a.choices)
    return set(re.findall(r"--[\w-]+", commands.choices["heal"].format_help()))


def test_every_setting_can_be_given_on_the_command_line_and_says_what_it_means() -> None:
    config = resolve(*(word for name, value in EVERY.items() for word in to_words(name, value))).config
    assert {name: getattr(config, name) for name in EVERY} == EVERY
    assert set(read_descriptions()) == set(EVERY)


def test_every_setting_can_be_given_in_the_environment_and_in_a_file(tmp_path: Path) -> None:
    texts = {f"SELFHEAL_{n.upper()}": ",".join(v) if isinstance(v, tuple) else str(v) for n, v in EVERY.items()}
    found = resolve_settings({}, environment=texts)
    assert {name: getattr(found.config, name) for name in EVERY} == EVERY
    assert found.sources["model"] == "SELFHEAL_MODEL"
    file = tmp_path / "selfheal.toml"
    file.write_text("\n".join(f"{n.replace('_', '-')} = {json.dumps(v)}" for n, v in EVERY.items()))
    found = resolve_settings({}, environment={}, file=file)
    assert {name: getattr(found.config, name) for name in EVERY} == EVERY
    assert set(found.sources.values()) == {str(file)}


def test_every_setting_can_be_given_in_a_session() -> None:
    """In IPython's configuration, and by ``%config SelfHeal.x = …``, as values and as text."""
    from jupyter_selfheal.surfaces.live.configurable import SelfHeal

    texts = {n: ",".join(v) if isinstance(v, tuple) else str(v) for n, v in EVERY.items()}
    for given in (EVERY, texts):
        config, problems = read_settings(given, HealConfig())
        assert problems == []
        assert {name: getattr(config, name) for name in EVERY} == EVERY
        traits = SelfHeal(SimpleNamespace(config=HealConfig()))
        for name, value in given.items():
            setattr(traits, name, value)
        assert {name: getattr(traits, name) for name in EVERY} == EVERY


def test_every_setting_can_be_given_to_papermill() -> None:
    pytest.importorskip("papermill")
    from jupyter_selfheal.surfaces.notebook.papermill import _build_settings

    config = _build_settings(EVERY, "safe", 9.0, "python3").config
    assert {name: getattr(config, name) for name in EVERY} == EVERY


def test_every_setting_can_be_given_in_python() -> None:
    config = HealConfig(**EVERY)
    assert {name: getattr(config, name) for name in EVERY} == EVERY
    settings = _build_api_settings(config, "all", "", 9.0)
    assert settings.config == config


def test_every_setting_of_a_server_for_agents_comes_from_a_file_or_the_environment_but_for_who_may_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which healers there are, and with them the consent, is said on its command line alone."""
    others = {n: v for n, v in EVERY.items() if n not in ("healers", "consent")}
    file = tmp_path / "selfheal.toml"
    file.write_text("\n".join(f"{n} = {json.dumps(v)}" for n, v in others.items()))
    monkeypatch.setenv("SELFHEAL_CONSENT", "on")
    monkeypatch.setenv("SELFHEAL_HEALERS", "language_model")
    config = build_mcp_settings(build_parser().parse_args(["mcp", "--config", str(file)])).config
    assert {name: getattr(config, name) for name in others} == others
    assert not config.consent
    assert "language_model" not in config.healers
    monkeypatch.setenv("SELFHEAL_MODEL", "mine")
    assert build_mcp_settings(build_parser().parse_args(["mcp"])).config.model == "mine"


def test_one_order_of_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.jupyter-selfheal]\nattempts = 2\naccept = 8\nparallel = 3\nhypotheses = 2\n"
    )
    (tmp_path / "mine.toml").write_text("accept = 8.5\nparallel = 5\nhypotheses = 5\n")
    monkeypatch.setenv("SELFHEAL_PARALLEL", "6")
    monkeypatch.setenv("SELFHEAL_HYPOTHESES", "6")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    found = resolve("--config", "../mine.toml", "--hypotheses", "7")
    config = found.config
    assert (config.attempts, config.accept, config.parallel, config.hypotheses) == (2, 8.5, 6, 7)
    names = ("attempts", "accept", "parallel", "hypotheses", "timeout")
    said = [Path(found.sources[name]).name for name in names]
    assert said == ["pyproject.toml", "mine.toml", "SELFHEAL_PARALLEL", "option", "default"]


def test_every_setting_of_a_folders_own_file_is_taken_or_named_with_an_option_that_there_is(tmp_path: Path) -> None:
    """One setting after the other, in the table ``[tool.jupyter-selfheal]``: what permits, names a place or raises a limit is not taken."""
    known = _list_options()
    taken = {}
    for name, value in EVERY.items():
        (tmp_path / "pyproject.toml").write_text(f"[tool.jupyter-selfheal]\n{name} = {json.dumps(value)}\n")
        found = resolve()
        taken[name] = getattr(found.config, name) == value
        assert taken[name] is not bool(found.notes), name
        for note in found.notes:
            option = note.partition("give ")[2].partition(",")[0]
            assert option in known, note
            assert resolve(*to_words(name, value)).config != HealConfig()
    left_out = {name for name, is_taken in taken.items() if not is_taken}
    assert left_out >= {
        "consent",
        "send_values",
        "install",
        "provider",
        "base_url",
        "budget_usd",
        "key_file",
        "keyring",
        "record",
        "accept",
    }, "a lower score that is enough would permit what is refused"
    assert not left_out & {"offline", "hypotheses", "near_same", "effort", "attempts"}


OPENS = """
[tool.jupyter-selfheal]
healers = ["rules", "language_model"]
consent = true
send_values = true
base_url = "https://evil.example"
budget_usd = 50
install = true
"""


def test_a_folders_own_file_opens_nothing_and_closes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(OPENS)
    found = resolve()
    assert (found.config.consent, found.config.send_values, found.config.install) == (False, False, False)
    assert (found.config.base_url, found.config.budget_usd) == ("", 0.10)
    assert "language_model" not in found.config.healers
    assert len(found.notes) == 6
    assert main(["config"]) == 0
    assert "base_url is not taken from a folder's own file" in capsys.readouterr().out
    (tmp_path / "pyproject.toml").write_text("[tool.jupyter-selfheal]\noffline = true\nbudget-usd = 0.01\n")
    closed = resolve()
    assert (closed.config.offline, closed.config.budget_usd, closed.notes) == (True, 0.01, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("attempts = 'many'", "attempts cannot be 'many'"),
        ("atempts = 3", "unknown setting 'atempts'"),
        ("attempts = ", "is no TOML"),
    ],
)
def test_what_a_file_says_wrongly_is_one_line_that_names_it(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text(text)
    assert main(["config", "--config", "mine.toml"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line
    assert "mine.toml" in line


def test_a_variable_that_cannot_be_read_stops_the_command() -> None:
    with pytest.raises(ConfigError, match="SELFHEAL_CONSENT: consent cannot be 'maybe'"):
        resolve_settings({}, environment={"SELFHEAL_CONSENT": "maybe"})


def test_a_budget_is_that_of_the_command_unless_that_is_given_too() -> None:
    assert resolve("--budget", "0.3").config.session_budget_usd == 0.3
    assert resolve("--budget", "0.3", "--session-budget", "2").config.session_budget_usd == 2.0


def test_config_shows_each_value_and_where_it_came_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SELFHEAL_JUDGE_MODEL", "other")
    assert main(["config", "--json", "--model", "mine"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == set(EVERY)
    assert shown["judge_model"] == {"value": "other", "from": "SELFHEAL_JUDGE_MODEL"}
    assert shown["model"] == {"value": "mine", "from": "option"}


def test_config_says_where_the_key_is_and_shows_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def last_line(*words: str) -> list[str]:
        assert main(["config", *words]) == 0
        text = capsys.readouterr().out
        assert "sk-ant-of" not in text
        return next(line for line in text.splitlines() if line.startswith("ANTHROPIC_API_KEY")).split()

    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (keys := tmp_path / "my.env").write_text("ANTHROPIC_API_KEY=sk-ant-of-the-file\n")
    assert last_line() == ["ANTHROPIC_API_KEY", "-", "not", "found"]
    assert last_line("--key-file", str(keys)) == ["ANTHROPIC_API_KEY", "set", str(keys)]
    assert last_line("--key-file", str(tmp_path / "none"))[1] == "-"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-the-environment")
    assert last_line("--key-file", str(keys)) == ["ANTHROPIC_API_KEY", "set", "environment"]
