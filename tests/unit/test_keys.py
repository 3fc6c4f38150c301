"""Where a provider's key is looked for, and where not."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal import engine, keys, registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.setting_sources import resolve_settings
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.scripted import ListJournal, ScriptedApprover
from tests.model_stage import GOOD, case_of

NAME = "ANTHROPIC_API_KEY"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(NAME, raising=False)
    monkeypatch.setattr(keys, "_FOUND", set())
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", ["{}=sk-1", "export {}='sk-1'  # mine", ' {} = "sk-1"', "{}=old\n{}=sk-1"])
def test_a_file_that_is_named_is_read_as_shells_do(line: str, tmp_path: Path) -> None:
    (tmp_path / "my.env").write_text("OTHER=x\n" + line.replace("{}", NAME) + "\n")
    config = HealConfig(key_file=str(tmp_path / "my.env"), consent=True)
    assert keys.find_key(NAME, config) == "sk-1"
    assert engine.why_no_model(config) is None


def test_a_file_that_lies_around_is_never_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"{NAME}=sk-1\n")
    assert keys.find_key(NAME, HealConfig(consent=True)) == ""
    assert f"set {NAME}" in str(engine.why_no_model(HealConfig(consent=True)))


def test_a_folders_own_file_names_no_place_for_keys(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.jupyter-selfheal]\nkey_file = '.env'\nkeyring = true\n")
    found = resolve_settings({}, folder=tmp_path, environment={})
    assert (found.config.key_file, found.config.keyring) == ("", False)
    assert len(found.notes) == 2


def test_the_environment_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my.env").write_text(f"{NAME}=file\n")
    monkeypatch.setenv(NAME, "environment")
    assert keys.find_key(NAME, HealConfig(key_file="my.env")) == "environment"


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), (f"{NAME}='cut\n".encode(), "quote"), (b"\xff\xfe", "no text")]
)
def test_a_file_that_cannot_be_read_is_one_line_before_anything_is_asked(
    content: bytes | None, why: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "my.env").write_bytes(content)
    said = str(engine.why_no_model(HealConfig(key_file="my.env", consent=True)))
    assert why in said
    assert "\n" not in said


def put_keyring(monkeypatch: pytest.MonkeyPatch, get_password: Callable[[str, str], str]) -> None:
    """A keyring for this test alone, whether the package is installed or not."""
    keyring: Any = types.ModuleType("keyring")
    keyring.get_password = get_password
    monkeypatch.setitem(sys.modules, "keyring", keyring)


def test_the_keyring_is_asked_only_where_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    put_keyring(monkeypatch, lambda service, name: f"{service} {name}")
    assert keys.find_key(NAME, HealConfig()) == ""
    assert keys.find_key(NAME, HealConfig(keyring=True)) == f"jupyter-selfheal {NAME}"


def test_a_keyring_that_cannot_be_read_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(service: str, name: str) -> str:
        raise RuntimeError("locked")

    put_keyring(monkeypatch, fail)
    with pytest.raises(ConfigError, match=f"locked.*set {NAME}"):
        keys.find_key(NAME, HealConfig(keyring=True))


def test_a_key_of_a_file_is_sent_to_the_provider_and_shown_to_nobody(tmp_path: Path) -> None:
    (tmp_path / "my.env").write_text(f"{NAME}=key-of-a-file-17\n")
    with FakeModelServer([Says(GOOD)]) as server:
        config = HealConfig(key_file="my.env", base_url=server.url)
        provider = engine.build_provider(config)
        from jupyter_selfheal.ports import ModelRequest

        provider.complete(ModelRequest(system="s", messages=(("user", "u"),), model="claude-haiku-5-5", max_tokens=9))
        assert "key-of-a-file-17" in str(server.requests[0].headers)
    assert engine.build_redactor().redact("the key key-of-a-file-17!") == "the key SELFHEAL_SECRET_1_!"


def test_a_key_of_a_file_that_a_cell_holds_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "my.env").write_text(f"{NAME}=key-of-a-file-17\n")
    config = HealConfig(key_file="my.env", consent=True, healers=("language_model",))
    case = case_of()
    case = replace(case, failure=replace(case.failure, source=f"{case.failure.source}  # key-of-a-file-17"))
    approver, journal = ScriptedApprover(()), ListJournal()
    with engine.open_dependencies(case, Starts(), config=config, approver=approver, journal=journal) as parts:
        (healer,) = (h for h in parts.healers if isinstance(h, LanguageModelHealer))
        shown = str(healer.preview(case, parts.facts, ()))
    assert "aple" in shown
    assert "key-of-a-file-17" not in shown


class WithoutKey:
    """A provider as `docs/extending.md` shows it, which reads the environment itself."""

    def __init__(self, name: str, key_variable: str, base_url: str, prices: object) -> None: ...


def test_a_provider_that_takes_no_key_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my.env").write_text("OWN_KEY=sk-1\n")
    own = replace(
        registry.SHIPPED_PROVIDERS["anthropic"], name="own", key_variable="OWN_KEY", where=f"{__name__}:WithoutKey"
    )
    monkeypatch.setitem(registry.SHIPPED_PROVIDERS, "own", own)
    with pytest.raises(ConfigError, match="own takes its key from the environment only: set OWN_KEY"):
        engine.build_provider(HealConfig(provider="own", key_file="my.env", consent=True))
