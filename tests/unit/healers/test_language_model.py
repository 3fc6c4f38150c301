"""The model's healer: over a socket with the real SDK, and in the product's own loop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.healers.language_model import LanguageModelHealer
from jupyter_selfheal.healers.live_summary import summary
from jupyter_selfheal.healers.model_context import Labels, described, live_names, looked_up, shortened
from jupyter_selfheal.journal.redact import Redactor
from jupyter_selfheal.model import (
    Applicability,
    Attempt,
    Case,
    Cell,
    Failure,
    FailureKind,
    Frame,
    Insert,
    Locus,
    Notebook,
    Oracle,
    Patch,
    Reason,
    Replace,
    Run,
    TrialRequest,
    Verdict,
)
from jupyter_selfheal.ports import Answer, Starts
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.prompts import read
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.scripted import NoFacts

SOURCES = ("prices = {'apple': 3, 'pear': 4}", "unrelated = 1", "total = prices['aple'] + prices['pear']\ntotal")


def case_of(sources: Sequence[str] = SOURCES, failing: int = -1, **more: Any) -> Case:
    cells = tuple(Cell(f"id{n}", s) for n, s in enumerate(sources))
    cell = cells[failing]
    failure = Failure(
        cell.id,
        cell.source,
        ename="KeyError",
        evalue="'aple'",
        line=1,
        statement=0,
        frames=(Frame("<cell>", 1, "<module>", "total = prices['aple'] + prices['pear']", cell.id),),
    )
    return Case(failure, Notebook(cells, folder="/home/ann/shop"), **more)


def hypothesis(source: str, title: str = "Fix it", cell: str = "cell-3", action: str = "replace") -> dict[str, Any]:
    return {
        "title": title,
        "cause": "the key is misspelt",
        "risk": "another key was meant",
        "edits": [{"cell": cell, "action": action, "source": source}],
    }


def reply(*hypotheses: dict[str, Any], confidence: Any = 95, kind: str = "code", cell: str = "cell-3") -> str:
    diagnosis = {"cause": "a misspelt key", "cell": cell, "class": kind, "confidence": confidence}
    return json.dumps({"diagnosis": diagnosis, "hypotheses": list(hypotheses)})


FIX = "total = prices['apple'] + prices['pear']\ntotal"
GOOD = reply(
    hypothesis(FIX, "Spell the key right"),
    hypothesis("total = sum(prices.values())\ntotal", "Sum all prices"),
    hypothesis("total = prices.get('aple', 0) + prices['pear']\ntotal", "Take 0 where it is missing"),
)


def healer_of(*lines: Any, **config: Any) -> tuple[LanguageModelHealer, ScriptedProvider]:
    provider = ScriptedProvider(lines, prices=Prices("anthropic"))
    return LanguageModelHealer(provider, HealConfig(**config), Redactor(), read), provider


def ask(healer: LanguageModelHealer, case: Case, history: Sequence[Attempt] = (), facts: Any = None) -> Answer:
    return healer.propose(case, Starts(), facts or NoFacts(), history)


# --- what comes back --------------------------------------------------------------------------------------------------


def test_three_hypotheses_become_three_unsafe_patches_best_first() -> None:
    healer, provider = healer_of(GOOD)
    answer = ask(healer, case_of())
    assert [p.title for p in answer.patches] == ["Spell the key right", "Sum all prices", "Take 0 where it is missing"]
    assert answer.patches[0].edits == (Replace("id2", SOURCES[2], FIX),)
    assert {p.applicability for p in answer.patches} == {Applicability.UNSAFE}
    assert answer.patches[0].risk == "another key was meant"
    assert [p.prior for p in answer.patches] == sorted((p.prior for p in answer.patches), reverse=True)
    assert answer.diagnosis[0].confidence == 95
    assert not answer.exhausted
    assert answer.cost.calls == 1
    assert "Give 3 distinct hypotheses" in provider.requests[0].messages[1][1]


def test_edits_of_other_cells_and_new_cells_are_understood() -> None:
    other = hypothesis("prices = {'aple': 3, 'pear': 4}", cell="cell-1")
    new = hypothesis("prices['aple'] = prices['apple']\n", action="insert_before")
    answer = ask(healer_of(reply(other, new, kind="elsewhere", cell="cell-1"))[0], case_of())
    assert answer.patches[0].edits == (Replace("id0", SOURCES[0], "prices = {'aple': 3, 'pear': 4}"),)
    made = answer.patches[1].edits[0]
    assert isinstance(made, Insert)
    assert (made.before, made.source) == ("id2", "prices['aple'] = prices['apple']")
    assert (answer.diagnosis[0].locus, answer.diagnosis[0].cell_id) == (Locus.ELSEWHERE, "id0")


def test_the_same_idea_twice_unknown_cells_and_empty_changes_are_dropped_and_said() -> None:
    text = reply(
        hypothesis(FIX),
        hypothesis(FIX.replace("'apple'", '"apple"') + "  # the same"),
        hypothesis(FIX, cell="cell-9"),
        hypothesis(SOURCES[2]),
    )
    answer = ask(healer_of(text)[0], case_of())
    assert len(answer.patches) == 1
    assert "the same as an earlier one" in answer.note
    assert "no cell 'cell-9'" in answer.note
    assert "changes nothing" in answer.note


ONE = reply(hypothesis(FIX, "Spell the key right"), hypothesis(FIX + "  # the same", "The same again"))


def test_too_few_distinct_hypotheses_are_asked_for_once_more() -> None:
    more = reply(
        hypothesis(FIX), hypothesis("total = sum(prices.values())\ntotal", "Sum all"), hypothesis("total = 7\ntotal")
    )
    with FakeModelServer([Says(ONE), Says(more)]) as server:
        healer = LanguageModelHealer(AnthropicProvider(key="k", base_url=server.url), HealConfig(), Redactor(), read)
        worst, answer = healer.worst_case(case_of(), ()), ask(healer, case_of())
        first, second = (r.body for r in server.requests)
    assert [p.title for p in answer.patches] == ["Spell the key right", "Sum all", "Fix it"]
    assert [p.prior for p in answer.patches] == sorted((p.prior for p in answer.patches), reverse=True)
    assert answer.cost.calls == 2
    assert answer.cost.usd <= worst.usd
    assert second["messages"][:2] == first["messages"], "the cached prefix is the same"
    assert second["system"] == first["system"]
    assert second["messages"][2]["content"][0]["text"] == ONE
    asked = second["messages"][3]["content"][0]["text"]
    assert "Only 1 of these can be used" in asked
    assert "the same as an earlier one" in asked
    assert "give 2 more" in asked
    assert len(answer.record["calls"]) == 2


@pytest.mark.parametrize("second", [ONE, "no JSON", ProviderError("it is overloaded", kind="overloaded")])
def test_what_there_is_is_accepted_then_and_said(second: Any) -> None:
    healer, provider = healer_of(ONE, second)
    answer = ask(healer, case_of())
    assert len(provider.requests) == 2
    assert [p.title for p in answer.patches] == ["Spell the key right"]
    assert "the model gave 1 of 3 distinct hypotheses" in answer.note
    assert answer.stop == ""


def test_more_hypotheses_are_asked_for_in_the_first_call_only_and_only_within_what_was_set_aside() -> None:
    tried = Attempt(Patch((Replace("id2", SOURCES[2], "1"),), "One", healer="language_model"))
    healer, provider = healer_of(ONE, GOOD)
    assert len(ask(healer, case_of(), [tried]).patches) == 1
    assert len(provider.requests) == 1
    with FakeModelServer([Says(ONE, input_tokens=9_000, output_tokens=4_000), Says(GOOD)]) as server:
        dear = LanguageModelHealer(AnthropicProvider(key="k", base_url=server.url), HealConfig(), Redactor(), read)
        assert "1 of 3" in ask(dear, case_of()).note
        assert len(server.requests) == 1


@pytest.mark.parametrize("around", ["Here it is:\n```json\n{}\n```\nGood luck!", "{{not json}} {}", "{} and {{}}"])
def test_the_first_json_object_is_taken_whatever_stands_around_it(around: str) -> None:
    healer, provider = healer_of(around.replace("{{", "{").replace("}}", "}").replace("{}", GOOD, 1))
    assert len(ask(healer, case_of()).patches) == 3
    assert len(provider.requests) == 1


def test_confidence_below_80_rewrites_nothing() -> None:
    for confidence, kind in ((79, "code"), (99, "environment"), (0.5, "code"), (100, "self")):
        answer = ask(healer_of(reply(hypothesis(FIX), confidence=confidence, kind=kind))[0], case_of())
        assert answer.patches == ()
        assert answer.diagnosis[0].confidence < 80
        assert answer.diagnosis[0].locus is Locus.ENVIRONMENT
        assert "nothing is rewritten" in answer.note


MALFORMED = [
    "I cannot do that.",
    "",
    "[1, 2]",
    '{"diagnosis": {}, "hypotheses": []}',
    reply(hypothesis(FIX), confidence="high"),
    reply(hypothesis(FIX), kind="weather"),
    reply({"title": "x", "edits": "none"}),
    reply({"title": "x", "edits": [{"cell": "cell-3", "source": 5}]}),
    GOOD[:-40],
    '{"diagnosis": 1, "hypotheses": 2}',
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_reply_is_put_right_by_one_request(text: str) -> None:
    healer, provider = healer_of(text, GOOD)
    answer = ask(healer, case_of())
    assert len(answer.patches) == 3
    assert answer.cost.calls == 2
    assert [r.purpose for r in provider.requests] == ["fix", "repair"]
    assert [c["purpose"] for c in answer.record["calls"]] == ["fix", "repair"]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_twice_is_told_and_paid_never_a_crash(text: str) -> None:
    healer, provider = healer_of(text, text)
    answer = ask(healer, case_of())
    assert answer.patches == ()
    assert "malformed" in answer.note
    assert answer.cost.calls == len(provider.requests) == 2
    assert answer.stop == ""


def test_a_repair_is_made_only_within_what_was_set_aside() -> None:
    with FakeModelServer([Says("no json", input_tokens=10_000, output_tokens=4_000), Says(GOOD)]) as server:
        provider = AnthropicProvider(key="k", base_url=server.url)
        answer = ask(LanguageModelHealer(provider, HealConfig(), Redactor(), read), case_of())
        assert len(server.requests) == 1
    assert "malformed" in answer.note
    assert answer.cost.output_tokens == 4_000


def test_a_repair_that_fails_keeps_the_cost_of_the_first_call() -> None:
    healer, _ = healer_of("no json", ProviderError("it is overloaded", kind="overloaded"))
    answer = ask(healer, case_of())
    assert answer.stop == Reason.INFRASTRUCTURE
    assert answer.cost.calls == 1


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("max_tokens", Reason.TRUNCATED),
        ("model_context_window_exceeded", Reason.TRUNCATED),
        ("refusal", Reason.REFUSED),
    ],
)
def test_truncation_and_refusal_have_their_own_reasons_and_are_paid(stop: str, reason: Reason) -> None:
    with FakeModelServer([Says(GOOD[:100], stop=stop)]) as server:
        provider = AnthropicProvider(key="k", base_url=server.url)
        answer = ask(LanguageModelHealer(provider, HealConfig(), Redactor(), read), case_of())
    assert answer.stop == reason
    assert answer.cost.usd > 0
    assert answer.note


def test_offline_nothing_is_sent() -> None:
    healer, provider = healer_of(GOOD, offline=True)
    assert ask(healer, case_of()).patches == ()
    assert healer.worst_case(case_of(), ()).usd == 0
    assert provider.requests == []


# --- what is sent -----------------------------------------------------------------------------------------------------


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
    assert record["prompt"] == read("fix")[0] == "fix-1"
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
    text = sent(case_of(("def mean(values): ...", "mean([41, 42])")), facts=facts)
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
    assert looked_up(case) == {"row", "many", "ages", "entry"}
    for value, why in (({"ann@example.org": 31}, "no field's name"), ({f"k{n}": n for n in range(31)}, "too many")):
        assert "keys: str" in summary(value, values=False, keyed=True), why


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
    assert summary(value, values=False) == line


def test_paths_say_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    text = "/home/ann/shop/a.csv /home/ann/x.csv /opt/py/lib/python3.11/site-packages/pandas/io.py"
    assert shortened(text, "/home/ann/shop") == "./a.csv ~/x.csv …/site-packages/pandas/io.py"


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
    ):
        assert wanted in text


def test_labels_go_there_and_back() -> None:
    labels = Labels(case_of())
    assert labels.of("id2") == "cell-3"
    assert [labels.cell_id(x) for x in ("cell-3", "cell 3", "id2", "cell-0", "cell-4", "x")] == ["id2"] * 3 + [""] * 3
    assert Labels(Case(case_of().failure)).of("id2") == "failing-cell"


def test_a_syntax_error_and_a_lonely_cell_can_be_told() -> None:
    failure = Failure("x", "for i in range(3)\n  print(i)", FailureKind.SYNTAX, "SyntaxError", "expected ':'", 1)
    text = described(Case(failure), "")
    assert "SyntaxError: expected ':'" in text
    assert live_names(Case(failure)) == []


def test_the_worst_case_holds_whatever_the_state_says_and_fits_the_default_budget() -> None:
    facts = Facts("prices = {'k' * 50 + str(n): n for n in range(99)}")
    healer, provider = healer_of(GOOD, send_values=True)
    worst = healer.worst_case(case_of(), ())
    answer = ask(healer, case_of(), facts=facts)
    assert answer.cost.usd <= worst.usd
    assert provider.worst_case(provider.requests[0]).usd <= worst.usd
    with FakeModelServer([]) as server:
        real = LanguageModelHealer(AnthropicProvider(key="k", base_url=server.url), HealConfig(), Redactor(), read)
        assert real.worst_case(case_of(), ()).usd < HealConfig().budget_usd


def test_of_many_long_cells_so_much_goes_out_as_one_call_may_cost_the_nearest_first() -> None:
    above = [f"frame{n} = {n}\n" + "# padding\n" * 250 for n in range(6)]
    sources = (*above, "\n".join(f"x{n} = frame{n % 6}.merge(y{n})" for n in range(40)))
    sent_by_budget = {budget: sent(case_of(sources), budget_usd=budget) for budget in (1.0, 0.06)}
    told = {budget: [n for n in range(6) if f"frame{n} = {n}" in text] for budget, text in sent_by_budget.items()}
    assert told[1.0] == list(range(6))
    assert 0 < len(told[0.06]) < 6
    assert told[0.06] == list(range(6))[-len(told[0.06]) :]
    healer, _ = healer_of()
    assert healer.worst_case(case_of(sources), ()).usd <= HealConfig().budget_usd
