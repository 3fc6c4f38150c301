"""The pot that the processes of one command pay out of."""

from __future__ import annotations

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.loop import limits
from jupyter_selfheal.loop.states import Account
from jupyter_selfheal.model import Cost
from jupyter_selfheal.providers.pot import Pot, can_share


def open_pot(config: HealConfig, run: str, resuming: bool) -> Pot | None:
    """A pot that holds the whole budget of a command, less what a resumed run has spent; None where none can be shared."""
    if not can_share():
        return None
    from jupyter_selfheal.journal.jsonl import locate_runs_folder

    account = Account(config.budget_usd, config.session_budget_usd, tokens=config.token_ceiling)
    folder = locate_runs_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    pot = Pot(folder / f"{run}.pot", config.session_budget_usd, limits.count_session_tokens_left(account, config))
    pot.remove()
    if resuming:
        pot.spend(read_spent(run))
    return pot


def read_spent(run: str) -> Cost:
    """What the heals of a run have spent by their journals, calls that were under way at their worst."""
    from jupyter_selfheal.journal.jsonl import locate_runs_folder, read_journal
    from jupyter_selfheal.loop.spending import Spending

    spent = Cost()
    for path in sorted(locate_runs_folder().glob(f"{run}-*.jsonl")):
        heal = Spending()
        for event in read_journal(path).events():
            heal.add_event(event)
        spent = spent + heal.cost
    return spent
