"""What a request to the model holds, and what it does not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.healers.model.context import (
    Labels,
    describe_case,
    find_looked_up_names,
    list_live_names,
    shorten_paths,
)
from jupyter_selfheal.healers.model.healer import LanguageModelHealer
from jupyter_selfheal.inside.probes.variables import summarise
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import (
    Attempt,
    Case,
    Cell,
    Failure,
    FailureKind,
    Frame,
    Oracle,
    Patch,
    Replace,
    Run,
    TrialRequest,
    Verdict,
)
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.prompts import read_prompt
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import FakeModelServer
from tests.model_answers import FIX, GOOD, SOURCES, ask, case_of, healer_of, hypothesis, reply


def sent(case: Case, history: Sequence[Attempt] = (), facts: Any = None, **config: Any) -> str:
    healer, provider = healer_of(GOOD, **config)
    ask(healer, case, history, facts)
    return "\n".join(text for _, text in provider.requests[0].messages)


def test_only_the_cells_that_matter_go_out() -> None:
    text = sent(case_of())
    assert "prices = {'apple'" in text
    assert "total = prices['aple']" in text
    assert "KeyError: 'aple'" in text
    assert "unrelated" not in text


def test_asserts_below_packages_oracle_and_hints_go_out() -> None:
    sources = ("import pandas as pd", "total = pd.Series([1]).aple", "assert total == 7")
    case = case_of(
        sources,
        1,
        packages={"pandas": "3.0.1", "boto3": "1"},
        oracle=Oracle(expect="7", checks=("assert total > 0",), spec="add up the prices"),
        hints=("look at the spelling",),
    )
    text = sent(case)
    for wanted in (
        "assert total == 7",
        "pandas 3.0.1",
        "`7`",
        "assert total > 0",
        "add up the prices",
        "look at the spelling",
    ):
        assert wanted in text
    assert "boto3" not in text


def test_the_text_above_goes_out_and_no_other() -> None:
    def above(*kinds: str) -> str:
        texts = ("# Far away", "`slug(t)` joins words by `-`; token=abc123def456", "values = 3", "slugs = slug(t)")
        case = case_of(texts, 3)
        cells = tuple(replace(cell, kind=kind) for cell, kind in zip(case.notebook.cells, kinds, strict=True))
        return sent(replace(case, notebook=replace(case.notebook, cells=cells)))

    text = above("markdown", "markdown", "code", "code")
    assert "Above cell-3:\n`slug(t)` joins words by `-`" in text
    assert "Far away" not in text
    assert "abc123def456" not in text
    assert "Text of the notebook" not in above("code", "code", "code", "code")


def test_secrets_leave_as_placeholders_and_come_back_before_the_trial() -> None:
    secret = "sk-abcdefghijklmnop1234"
    sources = (f"key = '{secret}'", f"x = connect('{secret}', key)")
    fixed = "x = connect(key=SECRET)"
    seen: list[str] = []

    def line(request: Any) -> str:
        text = request.messages[0][1]
        seen.append(text)
        placeholder = next(w.strip("'\",)") for w in text.split() if "SELFHEAL_SECRET_" in w)
        placeholder = placeholder[placeholder.index("SELFHEAL") :]
        return reply(hypothesis(fixed.replace("SECRET", f"'{placeholder}'"), cell="cell-2"), cell="cell-2")

    healer, _ = healer_of(line)
    answer = ask(healer, case_of(sources))
    assert secret not in seen[0]
    assert isinstance(answer.patches[0].edits[0], Replace)
    assert answer.patches[0].edits[0].source == f"x = connect(key='{secret}')"
    assert secret not in json.dumps(answer.record)


def test_the_record_is_what_was_sent() -> None:
    healer, provider = healer_of(GOOD)
    record = ask(healer, case_of()).record["calls"][0]
    request = provider.requests[0]
    assert [(m["role"], m["text"]) for m in record["messages"]] == list(request.messages)
    assert record["system"] == request.system
    assert record["prompt"] == read_prompt("fix")[0] == "fix-2"
    assert record["usd"] > 0


class Facts:
    """Asks a fake kernel in which the failing cell was run."""

    def __init__(self, *cells: str) -> None:
        self.kernel = FakeKernel(cells)

    def ask(self, source: str, argument: Any = None) -> Any:
        from jupyter_selfheal.model import Probe

        return self.kernel.run(TrialRequest((Probe(source, argument, name="q"),)))[0].probe("q")


def test_live_variables_go_out_as_types_and_as_values_only_where_allowed() -> None:
    facts = Facts("prices = {'apple': 3, 'pear': 4}", "df = __import__('pandas').DataFrame({'a': [98765]})")
    case = case_of(("prices = 1\ndf = 1", "prices['aple'] + df.total"))
    plain, full = sent(case, facts=facts), sent(case, facts=facts, send_values=True)
    assert "prices: dict of 2, keys ['apple', 'pear'], values: int" in plain, "it is looked up in: keys are structure"
    assert "pandas.DataFrame shape (1, 1), columns {'a': int64}" in plain
    assert "98765" not in plain
    assert "98765" in full


def test_the_local_variables_of_the_function_that_failed_go_out_too() -> None:
    facts = Facts("def mean(values):\n    n = len(values) - 2\n    return sum(values) / n", "mean([41, 42])")
    case = case_of(("def mean(values): ...", "mean([41, 42])"))
    frames = (Frame("<c>", 1, "<module>", "", "id1"), Frame("<c>", 3, "mean", "", "id0"))
    text = sent(replace(case, failure=replace(case.failure, frames=frames)), facts=facts)
    assert "mean: function mean(values)" in text
    assert "mean.values: list of 2: int" in text
    assert "mean.n: int" in text


def test_the_keys_of_a_dictionary_go_out_only_where_they_are_fields_that_the_failing_line_looks_up() -> None:
    setup = (
        "entry = {'cost': 1, 'unit price': 2}\nages = {'ann@example.org': 31}\nmany = {f'k{n}': n for n in range(31)}\n"
        "other = {'private': 1}\ndef total(row):\n    return row.get('cots') + many['x'] + ages['y'] + entry['cots']"
    )
    cell = "other\nother, total(entry)"
    frames = (Frame("<c>", 2, "<module>", "", "id1"), Frame("<c>", 6, "total", "", "id0"))
    case = case_of((setup, cell))
    case = replace(case, failure=replace(case.failure, line=2, frames=frames))
    text = sent(case, facts=Facts(setup, cell))
    assert "entry: dict of 2, keys ['cost', 'unit price'], values: int" in text
    assert "total.row: dict of 2, keys ['cost', 'unit price'], values: int" in text
    assert "other: dict of 1, keys: str" in text
    assert find_looked_up_names(case) == {"row", "many", "ages", "entry"}
    for value, why in (({"ann@example.org": 31}, "no field's name"), ({f"k{n}": n for n in range(31)}, "too many")):
        assert "keys: str" in summarise(value, values=False, keyed=True), why


def test_a_secret_among_the_keys_is_still_replaced() -> None:
    key = "ghp_" + "k" * 30
    facts = Facts(f"prices = {{{key!r}: 1}}", "prices['aple']")
    text = sent(case_of(("prices = 1", "prices['aple']")), facts=facts)
    assert key not in text
    assert "prices: dict of 1, keys ['SELFHEAL_SECRET_1_']" in text


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (json, "module json 2.0.9"),
        ([1, "a"], "list of 2: int, str"),
        ("abc", "str of length 3"),
        (5, "int"),
        (len, "function len(obj, /)"),
        (Cell, "class Cell"),
        (object(), "builtins.object"),
    ],
)
def test_summaries_tell_kinds_not_values(value: Any, line: str) -> None:
    assert summarise(value, values=False) == line


def test_paths_say_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    text = "/home/ann/shop/a.csv /home/ann/x.csv /opt/py/lib/python3.11/site-packages/pandas/io.py"
    assert shorten_paths("invalid syntax (3948120943.py, line 2)") == "invalid syntax (line 2)"
    assert shorten_paths("invalid syntax (<ipython-input-3-ab12>, line 2)") == "invalid syntax (line 2)"
    assert shorten_paths("invalid syntax (helper.py, line 2)") == "invalid syntax (helper.py, line 2)"
    assert shorten_paths(text, "/home/ann/shop") == "./a.csv ~/x.csv …/site-packages/pandas/io.py"


def test_the_second_call_is_told_every_attempt_and_asked_for_another_approach() -> None:
    case = case_of()
    tried = Patch((Replace("id2", SOURCES[2], FIX),), "Spell the key right", healer="language_model")
    ran = FakeKernel().run(TrialRequest((Run("1"),)))[0]
    history = [
        Attempt(
            tried, ran, Verdict(tried.id, 2.5, False, reasons=("expected 8, got 7",), feedback="expected 8, got 7")
        ),
        Attempt(tried, ran, None, rejection="that is not the key I meant"),
    ]
    text = sent(case, history)
    for wanted in (
        "+total = prices['apple']",
        "2.5 of 10",
        "expected 8, got 7",
        "not the key I meant",
        "different approach",
        "It was tried, and failed" if not ran.ran else "It ran, but missed",
    ):
        assert wanted in text


def test_labels_go_there_and_back() -> None:
    labels = Labels(case_of())
    assert labels.label_cell("id2") == "cell-3"
    assert {labels.find_cell_id(label) for label in ("cell-3", "cell 3", "id2")} == {"id2"}
    assert {labels.find_cell_id(label) for label in ("cell-0", "cell-4", "x")} == {None}
    assert Labels(Case(case_of().failure)).label_cell("id2") == "failing-cell"


def test_a_syntax_error_and_a_lonely_cell_can_be_told() -> None:
    failure = Failure("x", "for i in range(3)\n  print(i)", FailureKind.SYNTAX, "SyntaxError", "expected ':'", 1)
    text = describe_case(Case(failure), "")
    assert "SyntaxError: expected ':'" in text
    assert list_live_names(Case(failure)) == []


def test_the_worst_case_holds_whatever_the_state_says_and_fits_the_default_budget() -> None:
    facts = Facts("prices = {'k' * 50 + str(n): n for n in range(99)}")
    healer, provider = healer_of(GOOD, send_values=True)
    worst = healer.worst_case(case_of(), ())
    answer = ask(healer, case_of(), facts=facts)
    assert answer.cost.usd <= worst.usd
    assert provider.worst_case(provider.requests[0]).usd <= worst.usd
    with FakeModelServer([]) as server:
        real = LanguageModelHealer(
            AnthropicProvider(key="k", base_url=server.url), HealConfig(), Redactor(), read_prompt
        )
        assert real.worst_case(case_of(), ()).usd < HealConfig().budget_usd


def test_a_call_of_half_a_cent_sets_little_aside_and_a_second_round_less_for_its_words() -> None:
    """$0.058 were set aside once for a call of $0.006, so that a budget of $0.05 refused it."""
    provider = AnthropicProvider(key="k")
    healer = LanguageModelHealer(provider, HealConfig(), Redactor(), read_prompt)
    assert healer.worst_case(case_of(), ()).usd < 0.017
    patch = Patch((Replace("id1", "x", "y"),), "Spell it right", "a slip", healer="language_model", risk="none")
    tried = (Attempt(patch, None, Verdict(patch.id, 1.0, False, feedback="KeyError")),)
    three = healer.build_request(case_of(), tried, "").max_tokens
    wordy = replace(patch, cause="because " * 400)
    assert three == 1_000 < 3_000 < healer.build_request(case_of(), (replace(tried[0], patch=wordy),), "").max_tokens
    assert healer.worst_case(case_of(), tried).usd < 0.017, "three hypotheses, in the words of the first"


def test_of_many_long_cells_so_much_goes_out_as_one_call_may_cost_the_nearest_first() -> None:
    above = [f"frame{n} = {n}\n" + "# padding\n" * 250 for n in range(6)]
    sources = (*above, "\n".join(f"x{n} = frame{n % 6}.merge(y{n})" for n in range(40)))
    sent_by_budget = {budget: sent(case_of(sources), budget_usd=budget) for budget in (1.0, 0.05)}
    told = {budget: [n for n in range(6) if f"frame{n} = {n}" in text] for budget, text in sent_by_budget.items()}
    assert told[1.0] == list(range(6))
    assert 0 < len(told[0.05]) < 6
    assert told[0.05] == list(range(6))[-len(told[0.05]) :]
    healer, _ = healer_of()
    assert healer.worst_case(case_of(sources), ()).usd <= HealConfig().budget_usd
