"""Settings as a user of IPython gives them: on its command line, in its configuration, by ``%config``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def printed(tmp_path: Path, arguments: list[str], *lines: str) -> tuple[dict[str, str], str]:
    """What ``%heal config`` says in an IPython of its own, and what went to its standard error."""
    code = "\n".join(["%load_ext jupyter_selfheal", *lines, "%heal config", "%unload_ext jupyter_selfheal"])
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--colors=NoColor", *arguments, "-c", code],
        capture_output=True, text=True, env=env, cwd=tmp_path, check=True,
    )  # fmt: skip
    pairs = (line.removeprefix("c.SelfHeal.").partition(" = ") for line in done.stdout.splitlines() if " = " in line)
    return {name: value for name, _, value in pairs}, done.stderr


def test_a_permission_refused_on_the_command_line_stays_refused(tmp_path: Path) -> None:
    names = ("consent", "send_values", "network", "install")
    got, said = printed(tmp_path, [f"--SelfHeal.{name}=False" for name in names] + ["--SelfHeal.offline=True",
                        "--SelfHeal.budget_usd=0.5", "--SelfHeal.healers=rules,search"])  # fmt: skip
    assert "Self-heal" not in said
    assert {name: got[name] for name in names} == dict.fromkeys(names, "False")
    assert (got["offline"], got["budget_usd"], got["healers"]) == ("True", "0.5", "('rules', 'search')")


def test_what_cannot_be_read_is_said_and_closed(tmp_path: Path) -> None:
    got, said = printed(tmp_path, ["--SelfHeal.consent=ja", "--SelfHeal.offline=nein", "--SelfHeal.budget_usd=nan"])
    told = [line for line in said.splitlines() if "Self-heal" in line]
    assert [line.split("c.SelfHeal: ")[1].split()[0] for line in told] == ["consent", "offline", "budget_usd"]
    assert (got["consent"], got["offline"], got["budget_usd"]) == ("False", "True", "0.0")


@pytest.mark.parametrize(("line", "name", "value"), [
    ("%config SelfHeal.budget_usd = 0.25", "budget_usd", "0.25"),
    ("%config SelfHeal.consent = 'False'", "consent", "False"),
    ("%config SelfHeal.consent = 'perhaps'", "consent", "False"),
    ("%config SelfHeal.healers = 'rules,search'", "healers", "('rules', 'search')"),
])  # fmt: skip
def test_a_setting_is_changed_by_ipythons_own_magic(tmp_path: Path, line: str, name: str, value: str) -> None:
    got, said = printed(tmp_path, [], line)
    assert got[name] == value
    assert ("cannot be" in said) == ("perhaps" in line)
