"""What counts as a capability, what only looks like one, and that only additions wait for consent."""

from __future__ import annotations

import pytest

from jupyter_selfheal.loop.consent import find_added_capabilities, find_capabilities
from jupyter_selfheal.model import Case, Cell, Failure, Insert, Install, Move, Notebook, Patch, Replace, RunCells

HAS = {
    "deletion": [
        "import os\nos.remove('a')",
        "from os import unlink as gone\ngone('a')",
        "import shutil as s\ns.rmtree('data')",
        "from pathlib import Path\nPath('a').unlink(missing_ok=True)",
        "path.rmdir()",
        "!rm -rf data",
        "%%bash\nset -e\nrm data.csv",
        "%rm data.csv",
        "import os\ngetattr(os, 'remove')('a')",
        "connection.execute('DROP TABLE users')",
        "import os\nlist(map(os.remove, paths))",
        "import shutil\nclean = shutil.rmtree\nclean('data')",
        "from os import unlink\nwalk(visit=unlink)",
        "import os\ndo = {'drop': os.remove}",
        "import os\ndo = [os.rmdir]",
        "import os\nremove: object = os.remove",
        "import os\nprint(remove := os.remove)",
        "import os\ndef find():\n    return os.remove",
        "def tidy():\n    import os\n    os.rmdir('a')",
    ],
    "subprocess": [
        "!ls",
        "files = !ls *.csv",
        "a, b = !cat x",
        "%%bash\nls",
        "%%sh\nls",
        "%sx ls",
        "    !ls",
        "import os\nos.system('ls')",
        "import subprocess as sp\nsp.run(['ls'])",
        "from subprocess import check_output\ncheck_output(['ls'])",
        "subprocess.Popen('ls')",
        "import os\nos.execv('/bin/ls', ['ls'])",
    ],
    "network": [
        "import requests\nlist(map(requests.get, urls))",
        "import requests\nrequests.get('https://x')",
        "import requests\ns = requests.Session()",
        "from urllib.request import urlopen\nurlopen('https://x')",
        "import urllib2\nurllib2.urlopen('http://x')",
        "import socket\nsocket.socket()",
        "import pandas as pd\npd.read_csv('http://x/y.csv')",
        "import pandas as pd\npd.read_json(f'https://x/{name}')",
        "pd.read_parquet('s3://bucket/x')",
        "import seaborn as sns\nsns.load_dataset('iris')",
        "import nltk\nnltk.download('punkt')",
        "!curl -O https://x",
        "!git clone https://x",
    ],
    "installation": [
        "%pip install pandas",
        "!pip install pandas",
        "%conda install pandas",
        "!{sys.executable} -m pip install pandas",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])",
        "import os\nos.system('pip install x')",
        "import micropip\nawait micropip.install('x')",
    ],
    "dynamic evaluation": [
        "eval('1')",
        "exec(code)",
        "list(map(eval, texts))",
        "compile('1', 'f', 'eval')",
        "__import__('os')",
        "import importlib\nimportlib.import_module(name)",
        "import pickle\npickle.load(f)",
        "from pickle import loads\nloads(b)",
        "import joblib\njoblib.load('m')",
        "import pandas as pd\npd.read_pickle('x')",
        "import numpy as np\nnp.load('x.npy', allow_pickle=True)",
        "import torch\ntorch.load('m.pt')",
        "import yaml\nyaml.load(f)",
        "%run other.py",
    ],
    "credentials": [
        "import os\nos.environ['API_KEY']",
        "import os\nos.environ.get('TOKEN')",
        "from os import environ\nenviron['AWS_SECRET']",
        "import os\nos.getenv('KEY')",
        "from getpass import getpass\ngetpass()",
        "import keyring\nkeyring.get_password('a', 'b')",
        "open('/home/me/.ssh/id_rsa')",
        "from dotenv import load_dotenv\nload_dotenv()",
    ],
    "file writes": [
        "open('a', 'w')",
        "open('a', mode='ab')",
        "open('a', 'r+')",
        "import gzip\ngzip.open('a', 'wt')",
        "Path('a').open('w')",
        "Path('a').write_text('x')",
        "df.to_csv('a.csv')",
        "df.to_parquet('a')",
        "import numpy as np\nnp.save('a', x)",
        "fig.savefig('a.png')",
        "import os\nos.makedirs('a')",
        "import shutil\nshutil.move('a', 'b')",
        "%%writefile a.py\nx = 1",
    ],
    "native code": ["import ctypes\nctypes.CDLL('libc.so.6')"],
}


@pytest.mark.parametrize(("name", "source"), [(name, s) for name, sources in HAS.items() for s in sources])
def test_finds(name: str, source: str) -> None:
    assert name in find_capabilities(source)


@pytest.mark.parametrize(
    "source",
    [
        "items.remove(3)",
        "names.discard('x')",
        "d.pop('k')",
        "del x, y['k']",
        "df = df.drop(columns=['a'])",
        "import os\nos.path.join('a', 'b'); os.listdir('.'); os.getcwd()",
        "'a'.replace('b', 'c')",
        "df.rename(columns={'a': 'b'})",
        "import re\nre.compile('x')",
        "from re import compile\ncompile('x')",
        "model.compile(optimizer='adam')",
        "model.eval()",
        "df.eval('a + b')",
        "import pandas as pd\npd.eval('1 + 1')",
        "df.query('a > 1')",
        "import ast\nast.literal_eval('1')",
        "evaluate(x); executor.submit(f)",
        "import numpy as np\nnp.load('x.npy')",
        "import torch\ntorch.load('m', weights_only=True)",
        "import yaml\nyaml.load(f, Loader=yaml.SafeLoader); yaml.safe_load(f)",
        "import json\njson.load(f); json.loads(s)",
        "open('a')",
        "open('a', 'rb')",
        "open('a', encoding='utf-8')",
        "Path('a').open()",
        "text = df.to_csv()",
        "df.to_json(); df.to_numpy(); df.to_dict(); df.to_string()",
        "import pandas as pd\npd.read_csv('data.csv')",
        "import urllib.parse\nurllib.parse.quote('a b')",
        "try:\n    f()\nexcept requests.exceptions.HTTPError:\n    pass",
        "import requests, subprocess, socket, pickle, os",
        "my_requests.get('k')",
        "d.get('http://x')",
        "print('rm -rf /', 'import os; os.system')",
        "# !rm -rf data",
        "x != y",
        "ok = a != b",
        "assert x == 1, 'eval failed!'",
        "%matplotlib inline",
        "%timeit f(x)",
        "%%time\nf(x)",
        "import os\nos.environ['OMP_NUM_THREADS'] = '1'",
        "import os\nos.environ.get('HOME')",
        "from getpass import getuser\ngetuser()",
        "system = 3\nsystem + 1",
        "game.kill(); run(x); call(y)",
        "cursor.execute('SELECT * FROM deleted')",
        "for n in range(3):\n    print(n)",
        "connection.delete_column",
        "torch.save",
        "import subprocess\nisinstance(x, subprocess.Popen)",
        "remove = 3\nprint(remove)",
        "%%html\n<script>eval('x')</script>",
        "",
    ],
)
def test_stays_silent_on(source: str) -> None:
    assert find_capabilities(source) == frozenset()


def case(source: str, *others: str) -> Case:
    cells = [Cell(f"o{n}", other) for n, other in enumerate(others)]
    return Case(Failure("c", source), Notebook((*cells, Cell("c", source))))


def replaced(old: str, new: str) -> Patch:
    return Patch((Replace("c", old, new),), "a fix")


@pytest.mark.parametrize(
    ("old", "new", "added"),
    [
        ("x = read()", "import os\nos.remove('lock')\nx = read()", ("deletion",)),
        ("x = y", "import subprocess\nsubprocess.run(['ls'])\neval('x')", ("dynamic evaluation", "subprocess")),
        ("import os\nos.remove(a)", "import os\nos.remove(b)", ()),
        ("requests.get(url)", "import requests\nrequests.get(url)", ()),
        ("requests.get(url).jsn()", "requests.get(url, timeout=5).json()", ()),
        ("df.to_csv('a', sepp=';')", "df.to_csv('a', sep=';')", ()),
        ("import os\nos.rm('a')", "import os\nos.remove('a')", ("deletion",)),
        ("pd.read_csv('data.csv')", "pd.read_csv('https://x/data.csv')", ("network",)),
        ("!ls", "!ls -a", ()),
        ("!ls", "!rm a", ("deletion",)),
        ("eval(text", "eval(text)", ()),
        ("for f in files\n    os.remove(f)", "for f in files:\n    os.remove(f)", ()),
        ("print open('a', 'w')", "print(open('a', 'w'))", ()),
        ("print requests.get(url).text", "print(requests.get(url).text)", ()),
        ("exec 'x = 1'", "exec('x = 1')", ()),
        ("import urllib2\nurllib2.urlopen(u)", "import urllib.request\nurllib.request.urlopen(u)", ()),
    ],
)
def test_only_what_is_added_is_named(old: str, new: str, added: tuple[str, ...]) -> None:
    assert find_added_capabilities(case(old), replaced(old, new)) == added


def test_an_alias_imported_in_another_cell_is_resolved() -> None:
    old = "x = 1"
    assert find_added_capabilities(case(old, "import subprocess as helper"), replaced(old, "helper.run('x')")) == (
        "subprocess",
    )


def test_another_cell_having_a_capability_does_not_clear_this_one() -> None:
    assert find_added_capabilities(case("x = 1", "import os\nos.remove('a')"), replaced("x = 1", "os.remove('b')")) == (
        "deletion",
    )


def test_a_definition_replaced_elsewhere_is_compared_with_itself() -> None:
    old = "def fetch(u):\n    return requests.get(u).jsn()"
    patch = Patch((Replace("o0", old, old.replace("jsn", "json")),), "a fix")
    assert find_added_capabilities(case("fetch('x')", old), patch) == ()


def test_inserted_cells_count_and_moved_or_run_cells_add_nothing() -> None:
    plain = case("x", "import os\nos.remove('a')")
    assert find_added_capabilities(plain, Patch((Insert("n", "eval('1')", "c"),), "t")) == ("dynamic evaluation",)
    assert find_added_capabilities(plain, Patch((Move("o0", "c"), RunCells(("o0",))), "t")) == ()


def test_an_installation_is_named() -> None:
    assert find_added_capabilities(case("import yaml"), Patch((Install("pyyaml", "yaml"),), "t")) == ("installation",)
