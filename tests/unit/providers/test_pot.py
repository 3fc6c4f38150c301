"""One pot for several processes: never over the limit in any order, and nothing is held back that was not spent."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import pytest

from jupyter_selfheal.errors import ProviderError
from jupyter_selfheal.model import Cost
from jupyter_selfheal.ports import ModelRequest
from jupyter_selfheal.providers import pot as pots
from jupyter_selfheal.providers.pot import PayingProvider, Pot
from jupyter_selfheal.providers.provider_errors import build_error
from jupyter_selfheal.providers.scripted import ScriptedProvider

REQUEST = ModelRequest("", (("user", "heal it"),), "claude-sonnet-5-5", 1_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.pot"


@pytest.fixture(autouse=True)
def never_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pots, "PATIENCE", 0.0)


def test_no_random_schedule_goes_over_the_limit(tmp_path: Path) -> None:
    chance = random.Random(14)
    for number in range(1_000):
        pot = Pot(tmp_path / f"{number}.pot", usd=chance.uniform(0.0, 0.3), tokens=1)
        under_way: dict[str, float] = {}
        spent = 0.0
        for _ in range(8):
            if under_way and chance.random() < 0.5:
                call = chance.choice(sorted(under_way))
                cost = chance.uniform(0.0, under_way.pop(call))
                pot.settle(call, Cost(usd=cost))
                spent += cost
            else:
                worst = chance.uniform(0.0, 0.15)
                if spent + sum(under_way.values()) + worst <= pot.usd:
                    under_way[pot.draw(Cost(usd=worst))] = worst
                else:
                    with pytest.raises(ProviderError):
                        pot.draw(Cost(usd=worst))
            assert spent + sum(under_way.values()) <= pot.usd + 1e-9
        assert pot.read_balance().worst_case.usd == pytest.approx(spent + sum(under_way.values()))


def test_threads_that_draw_at_once_share_it(path: Path) -> None:
    pot = Pot(path, usd=0.10, tokens=0)
    drawn: list[str] = []
    begin = threading.Barrier(8)

    def draw() -> None:
        begin.wait()
        for _ in range(4):
            try:
                drawn.append(pot.draw(Cost(usd=0.01)))
            except ProviderError:
                return

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 10
    assert pot.read_balance().worst_case.usd == pytest.approx(0.10)


def test_who_cannot_be_paid_yet_waits_for_what_comes_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pots, "PATIENCE", 3_600.0)
    pot = Pot(path, usd=0.10, tokens=0)
    first = pot.draw(Cost(usd=0.08))
    looked: list[float] = []

    def come_back(seconds: float) -> None:
        looked.append(seconds)
        pot.settle(first, Cost(usd=0.01))

    monkeypatch.setattr(time, "sleep", come_back)
    pot.draw(Cost(usd=0.08))
    assert len(looked) == 1


def test_what_a_dead_process_drew_counts_as_spent_and_nobody_waits_for_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pots, "PATIENCE", 3_600.0)
    pot = Pot(path, usd=0.10, tokens=0)
    pot.draw(Cost(usd=0.08))
    monkeypatch.setattr(pots, "_is_alive", lambda pid: False)
    with pytest.raises(ProviderError, match=r"may cost \$0.0500; .* used \$0.0800 of \$0.10 together"):
        pot.draw(Cost(usd=0.05))


def test_a_line_that_was_cut_off_takes_nothing_with_it(path: Path) -> None:
    pot = Pot(path, usd=0.10, tokens=0)
    pot.settle(pot.draw(Cost(usd=0.08)), Cost(usd=0.02))
    with path.open("ab") as ledger:
        ledger.write(b'{"draw": "x", "pi')
    pot.settle(pot.draw(Cost(usd=0.08)), Cost(usd=0.03))
    assert pot.read_balance().worst_case.usd == pytest.approx(0.05)


def test_where_no_price_is_known_tokens_take_the_place_of_dollars(path: Path) -> None:
    pot = Pot(path, usd=0.10, tokens=100)
    pot.draw(Cost(input_tokens=60, output_tokens=20, unknown=True))
    with pytest.raises(ProviderError, match="80 of 100 tokens"):
        pot.draw(Cost(input_tokens=30, unknown=True))
    with pytest.raises(ProviderError):
        Pot(path.with_suffix(".none"), usd=0.0, tokens=100).draw(Cost(input_tokens=1, unknown=True))


def test_a_call_is_paid_at_what_it_cost(path: Path) -> None:
    pot = Pot(path, usd=1.0, tokens=0)
    inner = ScriptedProvider(["a reply", build_error("scripted", "server", "it is down")])
    provider = PayingProvider(inner, pot)
    reply = provider.complete(REQUEST)
    assert 0 < reply.cost.usd < provider.worst_case(REQUEST).usd
    assert pot.read_balance().worst_case.usd == pytest.approx(reply.cost.usd)
    with pytest.raises(ProviderError, match="it is down"):
        provider.complete(REQUEST)
    assert pot.read_balance().worst_case.usd == pytest.approx(reply.cost.usd), (
        "what failed before a reply costs nothing"
    )


def test_where_the_pot_cannot_pay_nothing_is_sent(path: Path) -> None:
    inner = ScriptedProvider(["a reply"])
    with pytest.raises(ProviderError) as refused:
        PayingProvider(inner, Pot(path, usd=0.0001, tokens=0)).complete(REQUEST)
    assert (refused.value.kind, inner.requests) == ("budget", [])
