"""Secrets that are replaced by their value, wherever they stand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_selfheal import engine
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.facts import KernelFacts
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.journal.inspect import format_timeline
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.journal.known_secrets import list_environment_secrets
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.journal.written_secrets import list_written_secrets
from jupyter_selfheal.loop.events import Started
from jupyter_selfheal.model import Attempt, Case, Cell, Failure, Notebook, Output, Patch, Replace, Verdict
from jupyter_selfheal.ports import Facts, Starts
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.surfaces.notebook.approve import PolicyApprover
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import NoFacts


def case_with(secret: str, assigned: str) -> Case:
    """A notebook that names a secret once, and a failure, an output and a cell that hold its value without the name."""
    failing = f"login('ann', {secret!r})"
    cells = (Cell("a", assigned), Cell("b", failing, outputs=(Output("stream", text=f"as {secret}\n"),)))
    failure = Failure("b", failing, ename="ValueError", evalue=f"bad login {secret} for ann", line=1)
    return Case(failure, Notebook(cells), hints=(f"is it {secret}?",))


def send_all(case: Case, facts: Facts | None = None) -> tuple[str, Any]:
    """Every byte that goes out in two calls, and what the journal keeps of them."""
    provider = ScriptedProvider(["no JSON"] * 4, prices=Prices("anthropic"))
    facts = facts or NoFacts()
    redactor = engine.build_redactor(case, facts)
    healer = LanguageModelHealer(provider, HealConfig(send_values=True), redactor, read_prompt)
    value = case.failure.source.partition(", ")[2]
    patch = Patch((Replace("b", case.failure.source, f"login({value}"),), "Log in", healer="language_model")
    verdict = Verdict(patch.id, 1.0, False, reasons=(case.failure.evalue,), feedback=case.failure.evalue)
    first = healer.propose(case, Starts(), facts, ())
    second = healer.propose(case, Starts(), facts, (Attempt(patch, None, verdict, rejection=value),))
    sent = "\n".join(said for r in provider.requests for _, said in r.messages)
    return sent, [first.record, second.record]


FORMS = (
    "password = {!r}", "API_KEY = {!r}", "db = dict(token={!r})", "url = 'postgres://ann:{}@db/x'", "dbPassword: str = {!r}",
    "user, pw = 'ann', {!r}", "login(auth=('ann', {!r}))", "import os\nos.environ.setdefault('DB_PASSWORD', {!r})",
    "def connect(host, passphrase={!r}):\n    pass", "cfg = {{'secret': {{'inner': {!r}}}}}", "if password == {!r}:\n    pass",
    "passwords = [\n    'x',\n    {!r},\n]", "client.secret_key = {!r}.encode()", "%env DB_PASSWORD={}", "!tool --password {} --now",
    "requests.get('https://db.example/x?api_key={}&n=1')", "credentials = \"\"\"{}\"\"\"",
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    secret=st.text("abcdefghijkXYZ0123456789_-!#%+", min_size=8, max_size=24).filter(lambda s: s.strip("-_!#%+") == s),
    form=st.sampled_from(FORMS),
)
def test_no_secret_of_a_notebook_is_in_any_byte_that_is_sent(secret: str, form: str) -> None:
    sent, records = send_all(case_with(secret, form.format(secret)))
    assert secret not in sent
    assert json.dumps(secret)[1:-1] not in json.dumps(records)
    assert "SELFHEAL_SECRET_" in sent


LIVE = (
    "password = raw", "class Account:\n    pass\naccount = Account()\naccount.api_key = raw",
    "cfg = {'db': {'user': 'ann', 'password': raw}}", "import os\nos.environ['SHOP_API_KEY'] = raw",
    "def sign_in(passphrase):\n    raise ValueError(passphrase)\nn = 1", "credentials = ['ann', raw.encode()]",
)  # fmt: skip


@pytest.mark.parametrize("made", LIVE)
def test_what_stands_under_a_telling_name_in_the_live_state_alone_is_not_sent(
    made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    read = "raw = ''.join(map(chr, [109, 48, 107, 33, 80, 113, 57, 122]))"
    failing = "sign_in(raw)" if "sign_in" in made else "total = nope"
    cells = (Cell("a", read), Cell("b", made), Cell("c", failing, outputs=(Output("stream", text="as m0k!Pq9z\n"),)))
    failure = Failure("c", failing, ename="ValueError", evalue="bad login m0k!Pq9z for ann", line=1)
    kernel = FakeKernel([read, made])
    sent, records = send_all(Case(failure, Notebook(cells)), KernelFacts(kernel, failure))
    assert "m0k!Pq9z" not in sent
    assert "m0k!Pq9z" not in json.dumps(records)


def test_a_live_state_is_asked_once_and_only_when_something_is_sent() -> None:
    asked = []

    class Counting(NoFacts):
        def ask(self, source: str, argument: Any = None) -> Any:
            asked.append(source)
            return ["m0k!Pq9z"]

    redactor = engine.build_redactor(None, Counting())
    assert asked == []
    assert [redactor.redact("x m0k!Pq9z") for _ in range(3)] == ["x SELFHEAL_SECRET_1_"] * 3
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["password", "parcel"])
def test_a_journal_that_is_shown_later_knows_what_the_live_state_knew(name: str, tmp_path: Path) -> None:
    read, made = (
        "raw = ''.join(map(chr, [109, 48, 107, 33, 80, 113, 57, 122]))",
        f"{name} = raw\nsecond_token = raw[::-1]",
    )
    failure = Failure("c", "total = nope", ename="ValueError", evalue="bad login m0k!Pq9z for ann", line=1)
    cells = (Cell("a", read), Cell("b", made if name == "password" else f"{name} = raw"), Cell("c", failure.source))
    case = Case(failure, Notebook(cells))
    journal = JsonlJournal.create("run-1", folder=tmp_path)
    starts = Starts(after=(FakeKernel([cell.source for cell in cells[:2]]),))
    with engine.open_dependencies(
        case, starts, config=HealConfig(healers=("rules",)), approver=PolicyApprover("none", 7.0), journal=journal
    ):
        journal.append(Started("run-1", case, HealConfig()))
    journal.close()
    shown = "\n".join(format_timeline("run-1", folder=tmp_path, json=True))
    kept = tmp_path / "run-1.secrets"
    if name == "parcel":  # no name tells of a secret: nobody asks
        assert "m0k!Pq9z" in shown
        assert not kept.exists()
        return
    assert "m0k!Pq9z" not in shown
    assert "bad login SELFHEAL_SECRET_" in shown
    assert json.loads(kept.read_text()) == ["m0k!Pq9z"], "a value that the journal does not hold is not written"
    assert kept.stat().st_mode & 0o077 == 0


def test_the_value_of_an_environment_variable_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DB_PASSWORD", "hunter2secret")
    monkeypatch.setenv("PWD", "/home/ann/shop")
    assert "hunter2secret" in list_environment_secrets()
    assert "/home/ann/shop" not in list_environment_secrets()
    sent, _ = send_all(case_with("hunter2secret", "import os\npw = os.environ['SHOP_DB_PASSWORD']"))
    assert "hunter2secret" not in sent


@pytest.mark.parametrize(
    "source",
    [
        "password = 'password'",
        "token = 'string'",
        "secret = 'x1'",
        "tokens = ['a', 'b']",
        "for token in ['string', 'words']:\n    pass",
        "auth = 'basic'",
    ],
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


def test_a_secret_in_a_sum_as_deep_as_its_many_texts_is_known() -> None:
    """One cell with so long a sum ended the healing of its notebook: ``maximum recursion depth exceeded``."""
    total = " + ".join(["'a'"] * 990)  # of many more Python itself, deep in other calls, makes no tree
    secrets = list(list_written_secrets(f"text = {total}\ndb_password = {total} + 'Xk9vQ2mL7pRt4w'"))
    assert "Xk9vQ2mL7pRt4w" in secrets
