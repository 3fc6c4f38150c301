"""A service that is down: after two calls in vain nothing of a cell is sent before a probe is answered."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Choice, Cost, Decision, Oracle, Reason
from jupyter_selfheal.ports import ModelReply, ModelRequest, Provider
from jupyter_selfheal.providers.outages import NOT_SENT, REST, Outages, ProbingProvider, watch_service
from jupyter_selfheal.providers.pot import PayingProvider, Pot
from jupyter_selfheal.providers.prices import Prices
from jupyter_selfheal.providers.retry import Retry
from jupyter_selfheal.providers.scripted import ScriptedProvider
from jupyter_selfheal.testing.fake_model_server import Fails, FakeModelServer, Received, Says
from tests import model_stage as stage
from tests.providers import Make, both

CELL = "the text of the cell"
REQUEST = ModelRequest("heal", (("user", CELL),), "claude-sonnet-5-5", 1_000)
DOWN = Fails(529, "overloaded_error")


class Clock:
    """A time that only a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def watch(provider: Provider, outages: Outages | None = None) -> tuple[ProbingProvider, Clock]:
    clock = Clock()
    return ProbingProvider(provider, outages or Outages(), clock), clock


def scripted(*lines: Any) -> ScriptedProvider:
    return ScriptedProvider(lines, prices=Prices("anthropic"))


def down(kind: str = "overloaded", **more: Any) -> ProviderError:
    return ProviderError(f"it is down ({kind})", kind=kind, **more)


def ask_in_vain(provider: Provider, times: int = 1) -> ProviderError:
    for _ in range(times):
        with pytest.raises(ProviderError) as raised:
            provider.complete(REQUEST)
    return raised.value


def mentions_cell(received: Received) -> bool:
    return CELL in json.dumps(received.body)


@both
def test_after_two_outages_only_a_probe_is_sent_and_once(make: Make) -> None:
    naps: list[float] = []
    with FakeModelServer([DOWN] * 5) as server:
        provider, _ = watch(make(server.url, retry=Retry(tries=2, sleep=naps.append)))
        ask_in_vain(provider, 2)
        assert "no cell is sent before a probe is answered" in str(ask_in_vain(provider))
        assert [mentions_cell(r) for r in server.requests] == [True] * 4 + [False], "one try for the probe"


@both
def test_a_probe_that_is_answered_lets_all_go_on(make: Make) -> None:
    with FakeModelServer(
        [DOWN, DOWN, Says("ok", input_tokens=20, output_tokens=2), Says("healed"), Says("again")]
    ) as server:
        provider, _ = watch(make(server.url, retry=Retry(tries=1)))
        ask_in_vain(provider, 2)
        reply = provider.complete(REQUEST)
        assert reply.text == "healed"
        assert reply.cost.calls == 2, "the probe is paid"
        assert reply.cost.usd <= provider.worst_case(REQUEST).usd
        assert provider.complete(REQUEST).text == "again"
        assert [mentions_cell(r) for r in server.requests] == [True, True, False, True, True]


@pytest.mark.parametrize("kind", ["auth", "quota", "rate_limited", "overloaded", "server", "network", "timeout"])
def test_every_kind_of_outage_counts(kind: str) -> None:
    inner = scripted(*[down(kind)] * 3)
    ask_in_vain(watch(inner)[0], 3)
    assert [r.purpose for r in inner.requests] == ["fix", "fix", "probe"]


@pytest.mark.parametrize("error", [down("invalid", status=413), down("budget")])
def test_what_is_wrong_with_one_request_says_nothing_of_the_next(error: ProviderError) -> None:
    inner = scripted(*[error] * 3)
    ask_in_vain(watch(inner)[0], 3)
    assert [r.purpose for r in inner.requests] == ["fix"] * 3


def test_a_model_that_is_not_there_is_an_outage() -> None:
    inner = scripted(*[down("invalid", status=404)] * 3)
    ask_in_vain(watch(inner)[0], 3)
    assert inner.requests[-1].purpose == "probe"


def test_an_answer_in_between_begins_the_count_anew() -> None:
    inner = scripted(down(), "fine", down(), "fine")
    provider, _ = watch(inner)
    ask_in_vain(provider)
    provider.complete(REQUEST)
    ask_in_vain(provider)
    assert provider.complete(REQUEST).text == "fine"
    assert {r.purpose for r in inner.requests} == {"fix"}


def test_one_probe_stands_for_all_who_ask_at_once_and_a_later_one_asks_again() -> None:
    inner = scripted(*[down()] * 3, "ok", "healed")
    provider, clock = watch(inner)
    ask_in_vain(provider, 4)
    assert len(inner.requests) == 3
    clock.now += REST
    assert provider.complete(REQUEST).text == "healed"


def test_of_threads_that_ask_together_one_probes() -> None:
    inner = scripted(*[down()] * 9)
    provider, _ = watch(inner)
    ask_in_vain(provider, 2)
    together = threading.Barrier(4)

    def ask() -> None:
        together.wait(30)
        ask_in_vain(provider)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [r.purpose for r in inner.requests] == ["fix", "fix", "probe"]


def test_a_probe_and_what_follows_it_stay_within_what_was_set_aside() -> None:
    cost = Cost(usd=0.0002, input_tokens=20, output_tokens=16, calls=1)
    inner = scripted(down(), down(), ModelReply("ok", "end", cost), down("timeout"))
    provider, _ = watch(inner)
    ask_in_vain(provider, 2)
    failed = ask_in_vain(provider)
    assert inner.requests[-1].max_tokens == REQUEST.max_tokens - 36
    assert failed.cost is not None
    assert cost.usd < failed.cost.usd <= provider.worst_case(REQUEST).usd


def test_where_a_probe_left_too_little_the_request_waits_for_the_next_call() -> None:
    dear = Cost(usd=0.01, input_tokens=20, output_tokens=16, calls=1)
    inner = scripted(down(), down(), ModelReply("ok", "end", dear), "healed")
    provider, _ = watch(inner)
    ask_in_vain(provider, 2)
    assert ask_in_vain(provider).cost == dear
    assert provider.complete(REQUEST).text == "healed"


def test_a_refused_call_costs_what_its_probe_did() -> None:
    inner = scripted(down(), down(), down("timeout"), down())
    provider, clock = watch(inner)
    ask_in_vain(provider, 2)
    probe = ask_in_vain(provider).cost
    assert probe is not None
    assert 0 < probe.usd < 0.0015
    clock.now += REST
    assert ask_in_vain(provider).cost == Cost()


def test_the_processes_of_a_command_share_what_they_found(tmp_path: Path) -> None:
    pot = Pot(tmp_path / "run.pot", usd=1.0, tokens=0)
    first, second = scripted(down()), scripted(down(), down())
    for inner in (first, second, second):
        ask_in_vain(PayingProvider(watch_service(inner, pot), pot))
    assert [r.purpose for r in second.requests] == ["fix", "probe"]
    assert pot.read_balance().spent.usd == 0
    pot.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_service_that_answers_within_a_day_is_not_probed() -> None:
    inner = scripted()
    inner.answers_at_once = False  # type: ignore[attr-defined]
    assert watch_service(inner) is inner


def test_a_paused_heal_goes_on_once_a_probe_is_answered() -> None:
    """After two pauses only a probe goes out at *Continue*; when it is answered, the cell does."""
    refused = Fails(401, "authentication_error")
    seconds = itertools.count(0, 10)
    lines = [refused, refused, refused, Says("ok", input_tokens=20, output_tokens=2), Says(stage.GOOD)]
    outcome, approver, _, requests = stage.heal(
        stage.case_of(oracle=Oracle(expect="7")),
        lines,
        [Decision(Choice.CONTINUE)] * 3,
        make=lambda url, retry: ProbingProvider(stage.claude(url, retry), Outages(), lambda: next(seconds)),
    )
    assert outcome.reason is Reason.HEALED
    assert ["aple" in json.dumps(r.body) for r in requests] == [True, True, False, False, True]
    assert [NOT_SENT in why for why in approver.pauses] == [False, False, True]
