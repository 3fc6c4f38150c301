"""docs/extending.md: the package that its examples are is cut out of the page, installed by pip, and used by the real command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.command import write
from tests.model_answers import hypothesis, reply

pytestmark = pytest.mark.kernel

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
KEYS = ("ANTHROPIC_API_KEY", "GATEWAY_KEY", "OPENAI_API_KEY")
BROKEN = """[jupyter_selfheal.rules]
BRO101 = broken_garden:Rule
[jupyter_selfheal.healers]
broken = broken_garden:Healer
[jupyter_selfheal.providers]
broken_model = broken_garden:MODEL
"""


def examples() -> dict[str, str]:
    """File name → text of every example on the page that has one."""
    blocks = re.findall(r"(?ms)^```\w+ file=(\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"))
    return dict(blocks)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page, and with one that cannot be imported."""
    project, site = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("site")
    for name, text in examples().items():
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    words = ["--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--target", str(site)]
    command = [sys.executable, "-m", "pip", "install", *words, str(project)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    broken = site / "broken_garden-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-garden\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text(BROKEN)
    (site / "broken_garden.py").write_text("import a_module_that_is_not_there\n")
    for name in ("STX101.txt", "test_average.py", "surface.py"):
        (site / name).write_text(examples()[name], encoding="utf-8")
    return site


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for a notebook, with journals in another one."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


def run(installed: Path, cwd: Path, *words: str, key: str = "") -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    environment |= {"PYTHONPATH": str(installed)} | ({"GATEWAY_KEY": key} if key else {})
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=240, check=False)


def heal(installed: Path, cwd: Path, *words: str, key: str = "") -> tuple[str, list[str], int]:
    """Heal nb.ipynb: the sources of the healed notebook, what was said on standard error, the exit code."""
    done = run(installed, cwd, "-m", "jupyter_selfheal", "heal", "nb.ipynb", "-o", "out.ipynb", *words, key=key)
    out = cwd / "out.ipynb"
    cells = json.loads(out.read_text())["cells"] if out.exists() else []
    return "\n".join("".join(c["source"]) for c in cells), done.stderr.splitlines(), done.returncode


@contextmanager
def gateway(said: str) -> Iterator[tuple[str, list[str]]]:
    """A server of the page's gateway: its address, and the keys that it was asked with."""
    keys: list[str] = []

    class Ask(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            keys.append(self.headers["X-Key"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"text": said}).encode())

        def log_message(self, format: str, *args: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ask)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/ask", keys
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_doctor_lists_what_other_packages_add_and_what_of_it_cannot_be_loaded(installed: Path, shop: Path) -> None:
    said = json.loads(run(installed, shop, "-m", "jupyter_selfheal", "doctor", "--json").stdout)
    plugins = {(p["kind"], p["name"]): p for p in said["plugins"]}
    for good in (("rule", "STX101"), ("healer", "replacements"), ("provider", "gateway")):
        assert plugins[good]["package"] == "selfheal-garden"
        assert plugins[good]["problem"] is None
    for bad in (("rule", "BRO101"), ("healer", "broken"), ("provider", "broken_model")):
        assert "a_module_that_is_not_there" in plugins[bad]["problem"]
        assert "\n" not in plugins[bad]["problem"]
    assert said["keys"].keys() == set(KEYS)
    assert "plugin: rule STX101 of selfheal-garden" in run(installed, shop, "-m", "jupyter_selfheal", "doctor").stdout


@pytest.mark.slow
def test_a_rule_of_another_package_heals_and_a_broken_one_is_one_line(installed: Path, shop: Path) -> None:
    write(shop / "nb.ipynb", "import statistics", "mean = statistics.average([1, 3])", "assert mean == 2")
    healed, said, code = heal(installed, shop, "--offline")
    assert "statistics.mean([1, 3])" in healed
    assert code == 0
    assert len([line for line in said if "BRO101" in line]) == 1, said
    assert "Write `statistics.mean`" in run(installed, shop, "-m", "jupyter_selfheal", "rules", "STX101").stdout


@pytest.mark.slow
def test_a_healer_of_another_package_proposes_where_it_is_named(installed: Path, shop: Path) -> None:
    write(shop / "nb.ipynb", "rates = {'rate_2024': 3}", "rate = rates['quota']", "assert rate == 3")
    (shop / "replacements.json").write_text('{"quota": "rate_2024"}')
    healed, said, code = heal(installed, shop, "--offline", "--healers", "broken,replacements,rules")
    assert "rates['rate_2024']" in healed
    assert code == 0
    assert len([line for line in said if "the healer broken of the package broken-garden" in line]) == 1, said
    assert "unknown healer 'nobody'" in heal(installed, shop, "--healers", "nobody")[1][-1]


@pytest.mark.slow
def test_a_provider_of_another_package_answers(installed: Path, shop: Path) -> None:
    write(shop / "nb.ipynb", "rates = {'rate_2024': 3}", "rate = rates['quota']", "assert rate == 3")
    answer = reply(hypothesis("rate = rates['rate_2024']", "Use the key that is there", cell="cell-2"))
    with gateway(answer) as (url, keys):
        words = ("--healers", "language_model", "--provider", "gateway", "--base-url", url)
        without, _, code = heal(installed, shop, *words)
        assert (without.count("quota"), code, keys) == (1, 2, []), "nothing is sent without the key, which is an outage"
        healed, _, code = heal(installed, shop, *words, key="sesame")
    assert "rates['rate_2024']" in healed
    assert code == 0
    assert set(keys) == {"sesame"}


@pytest.mark.slow
def test_a_provider_that_cannot_be_loaded_stops_nothing(installed: Path, shop: Path) -> None:
    write(shop / "nb.ipynb", "import statistics", "mean = statistics.average([1, 3])", "assert mean == 2")
    healed, _, code = heal(installed, shop, "--healers", "rules,language_model", "--provider", "broken_model")
    assert "statistics.mean([1, 3])" in healed
    assert code == 0


@pytest.mark.slow
def test_the_pages_test_of_its_rule_passes_and_its_surface_decides(installed: Path) -> None:
    tested = run(installed, installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_average.py")
    assert tested.returncode == 0, tested.stdout
    code = """
import surface
from jupyter_selfheal.testing.rule_conformance import find_first_failure, build_notebook
broken = find_first_failure(build_notebook(["import statistics", "statistics.average([1, 3])"]))
print(surface.heal(broken.case, broken.starts).reason.value)
"""
    done = run(installed, installed, "-c", code)
    assert done.stdout.splitlines()[-1] == "healed", done.stdout + done.stderr
    assert "Use `statistics.mean([1, 3])`" in done.stdout


def test_the_snippet_for_a_compatible_server_makes_a_provider(installed: Path) -> None:
    code = """
from selfheal_garden import COMPATIBLE
from jupyter_selfheal import keys, registry
from jupyter_selfheal.config import HealConfig
made = registry.load_by_name(COMPATIBLE.where)(name=COMPATIBLE.name, key_variable=COMPATIBLE.key_variable)
print(made.name, keys.find_missing_key(COMPATIBLE, "", HealConfig()))
"""
    assert run(installed, installed, "-c", code).stdout.split() == ["deepseek", "DEEPSEEK_API_KEY"]
