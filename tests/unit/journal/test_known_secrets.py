"""Secrets that are replaced by their value, wherever they stand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.journal.known_secrets import list_environment_secrets
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import Attempt, Case, Cell, Failure, Notebook, Output, Patch, Replace, Verdict
from jupyter_selfheal.ports import Starts
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.testing.scripted import NoFacts


def case_with(secret: str, assigned: str) -> Case:
    """A notebook that names a secret once, and a failure, an output and a cell that hold its value without the name."""
    failing = f"login('ann', {secret!r})"
    cells = (Cell("a", assigned), Cell("b", failing, outputs=(Output("stream", text=f"as {secret}\n"),)))
    failure = Failure("b", failing, ename="ValueError", evalue=f"bad login {secret} for ann", line=1)
    return Case(failure, Notebook(cells), hints=(f"is it {secret}?",))


def send_all(case: Case) -> tuple[str, Any]:
    """Every byte that goes out in two calls, and what the journal keeps of them."""
    provider = ScriptedProvider(["no JSON"] * 4, prices=Prices("anthropic"))
    redactor = engine.build_redactor(case)
    healer = LanguageModelHealer(provider, HealConfig(send_values=True), redactor, read_prompt)
    value = case.failure.source.partition(", ")[2]
    patch = Patch((Replace("b", case.failure.source, f"login({value}"),), "Log in", healer="language_model")
    verdict = Verdict(patch.id, 1.0, False, reasons=(case.failure.evalue,), feedback=case.failure.evalue)
    first = healer.propose(case, Starts(), NoFacts(), ())
    second = healer.propose(case, Starts(), NoFacts(), (Attempt(patch, None, verdict, rejection=value),))
    sent = "\n".join(said for r in provider.requests for _, said in r.messages)
    return sent, [first.record, second.record]


@settings(max_examples=40, deadline=None)
@given(
    secret=st.text("abcdefghijkXYZ0123456789_-!#%+", min_size=8, max_size=24).filter(lambda s: s.strip("-_!#%+") == s),
    form=st.sampled_from(
        ["password = {!r}", "API_KEY = {!r}", "db = dict(token={!r})", "url = 'postgres://ann:{}@db/x'"]
    ),
)
def test_no_secret_of_a_notebook_is_in_any_byte_that_is_sent(secret: str, form: str) -> None:
    sent, records = send_all(case_with(secret, form.format(secret)))
    assert secret not in sent
    assert json.dumps(secret)[1:-1] not in json.dumps(records)
    assert "SELFHEAL_SECRET_" in sent


def test_the_value_of_an_environment_variable_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DB_PASSWORD", "hunter2secret")
    monkeypatch.setenv("PWD", "/home/ann/shop")
    assert "hunter2secret" in list_environment_secrets()
    assert "/home/ann/shop" not in list_environment_secrets()
    sent, _ = send_all(case_with("hunter2secret", "import os\npw = os.environ['SHOP_DB_PASSWORD']"))
    assert "hunter2secret" not in sent


@pytest.mark.parametrize(
    "source", ["password = 'password'", "token = 'string'", "secret = 'x1'", "tokens = ['a', 'b']"]
)
def test_everyday_words_stay_where_they_stand_without_the_name(source: str) -> None:
    redactor = Redactor(learns=True)
    redactor.learn(source)
    text = "x1 = string.Template('a password')  # a, b"
    assert redactor.redact(text) == text


def test_a_short_word_is_not_looked_for_inside_of_others() -> None:
    redactor = Redactor(learns=True)
    redactor.learn("password = 'apple'")
    assert redactor.redact("pineapples = 1; eat('apple')") == "pineapples = 1; eat('SELFHEAL_SECRET_1_')"
    assert redactor.restore(redactor.redact("eat('apple')")) == "eat('apple')"
