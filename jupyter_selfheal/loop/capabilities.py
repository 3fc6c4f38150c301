"""The capabilities that a cell can have, and which calls give them. Data, and the calls whose arguments decide."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

DELETION = "deletion"
SUBPROCESS = "subprocess"
NETWORK = "network"
INSTALLATION = "installation"
EVALUATION = "dynamic evaluation"
CREDENTIALS = "credentials"
WRITES = "file writes"
NATIVE = "native code"


def _build_table(**names: str) -> dict[str, str]:
    kinds = {
        "deletion": DELETION,
        "subprocess": SUBPROCESS,
        "network": NETWORK,
        "installation": INSTALLATION,
        "evaluation": EVALUATION,
        "credentials": CREDENTIALS,
        "writes": WRITES,
        "native": NATIVE,
    }
    return {name: kinds[kind] for kind, text in names.items() for name in text.split()}


BY_NAME = _build_table(
    deletion="os.remove os.unlink os.rmdir os.removedirs shutil.rmtree send2trash.send2trash os.truncate",
    subprocess="os.system os.popen os.startfile os.fork os.forkpty os.kill os.killpg os.posix_spawn pty.spawn"
    " os.execl os.execle os.execlp os.execv os.execve os.execvp os.execvpe"
    " os.spawnl os.spawnle os.spawnlp os.spawnv os.spawnve os.spawnvp"
    " asyncio.create_subprocess_exec asyncio.create_subprocess_shell"
    " get_ipython.system get_ipython.getoutput",
    network="socket.socket socket.create_connection socket.getaddrinfo socket.gethostbyname urllib.urlopen"
    " urllib.urlretrieve urlopen urlretrieve nltk.download seaborn.load_dataset sns.load_dataset datasets.load_dataset"
    " sklearn.datasets.fetch_openml sklearn.datasets.fetch_california_housing sklearn.datasets.fetch_20newsgroups"
    " torch.hub.load torch.hub.download_url_to_file webbrowser.open yfinance.download yf.download"
    " huggingface_hub.hf_hub_download huggingface_hub.snapshot_download gdown.download",
    installation="pip.main pip._internal.main micropip.install ensurepip.bootstrap",
    evaluation="compile importlib.import_module importlib.reload runpy.run_path runpy.run_module pickle.load pickle.loads"
    " pickle.Unpickler cPickle.load cPickle.loads dill.load dill.loads cloudpickle.load cloudpickle.loads joblib.load"
    " marshal.load marshal.loads shelve.open pandas.read_pickle pd.read_pickle yaml.unsafe_load builtins.eval builtins.exec"
    " types.FunctionType code.interact jsonpickle.decode",
    credentials="getpass.getpass keyring.get_password keyring.get_credential netrc.netrc dotenv.load_dotenv"
    " dotenv.dotenv_values google.colab.userdata.get",
    writes="os.mkdir os.makedirs os.rename os.renames os.replace os.link os.symlink os.chmod os.chown os.mkfifo"
    " shutil.move shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.make_archive shutil.unpack_archive"
    " numpy.save numpy.savez numpy.savez_compressed numpy.savetxt np.save np.savez np.savez_compressed np.savetxt"
    " joblib.dump torch.save plt.savefig matplotlib.pyplot.savefig plt.imsave matplotlib.pyplot.imsave",
    native="ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.PyDLL ctypes.WinDLL",
)
"""Calls by their full name. A builtin has no module; usual aliases stand beside the module's own name."""

BY_MODULE = _build_table(
    subprocess="subprocess commands pexpect sh plumbum",
    network="requests requests.api httpx httpx2 urllib.request urllib2 urllib3 aiohttp ftplib smtplib imaplib poplib telnetlib"
    " http.client httplib paramiko websocket websockets boto3 wget xmlrpc.client openai anthropic",
)
"""Modules all of whose functions (lower-case names) give the capability."""
BY_NAME |= _build_table(
    subprocess="subprocess.Popen",
    network="requests.Session httpx.Client httpx.AsyncClient httpx2.Client urllib.request.Request urllib3.PoolManager"
    " aiohttp.ClientSession ftplib.FTP smtplib.SMTP smtplib.SMTP_SSL imaplib.IMAP4_SSL http.client.HTTPConnection"
    " http.client.HTTPSConnection paramiko.SSHClient openai.OpenAI anthropic.Anthropic",
)

BY_METHOD = _build_table(
    deletion="unlink rmdir rmtree",
    writes="write_text write_bytes touch mkdir to_parquet to_feather to_pickle to_hdf to_stata to_excel to_sql to_gbq"
    " savefig tofile write_csv write_parquet write_image write_html save_pretrained",
    network="urlopen urlretrieve load_from_url",
)
"""Methods by their name alone, whatever they are called on: names that hardly anything else has."""

HARMLESS_VARIABLES = frozenset(
    {"HOME", "USER", "USERNAME", "PATH", "PWD", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TERM"}
)
SECRET_FILES = re.compile(r"\.(aws/credentials|ssh/|netrc\b|pgpass\b|kube/config|docker/config\.json|pypirc\b)")

_OPENERS = frozenset(
    {"open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "zipfile.ZipFile", "tarfile.open"}
)
_URL = re.compile(r"(https?|s3|gs|ftp|ftps|sftp|hf|abfs|az)://", re.IGNORECASE)
_READER = re.compile(r"(^|\.)(read_\w+|open_dataset|imread|load_dataset|scan_\w+|open_url|from_url)$")
_PATH_WRITERS = frozenset(
    {"to_csv", "to_json", "to_html", "to_latex", "to_markdown", "to_string", "to_xml", "to_netcdf"}
)
_SAFE_LOADERS = ("SafeLoader", "CSafeLoader", "BaseLoader", "FullLoader")
_DESTRUCTIVE_SQL = re.compile(r"\s*(drop|delete|truncate)\s", re.IGNORECASE)


def list_argument_capabilities(node: ast.Call, name: str) -> Iterator[str]:
    """The capabilities that a call has because of what it is given."""
    last = name.rpartition(".")[2] or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
    text = _read_literal(node.args[0]) if node.args else ""
    words = " ".join(_read_literal(part) for arg in node.args[:1] for part in ast.walk(arg))
    if (name in _OPENERS or (last == "open" and isinstance(node.func, ast.Attribute))) and _is_write_mode(node, name):
        yield WRITES
    if _READER.search(name or last) and _URL.match(text):
        yield NETWORK
    if last in _PATH_WRITERS and (node.args or _find_keyword(node, "path_or_buf", "buf", "path") is not None):
        yield WRITES
    if last == "execute" and _DESTRUCTIVE_SQL.match(text):
        yield DELETION
    if name.startswith(("subprocess.", "os.system")) and re.search(
        r"\bpip3?\b.*\binstall\b|\bconda\b.*\binstall\b", words
    ):
        yield INSTALLATION
    yield from _list_loader_capabilities(node, name)


def _list_loader_capabilities(node: ast.Call, name: str) -> Iterator[str]:
    if name in ("np.load", "numpy.load") and _is_true(_find_keyword(node, "allow_pickle")):
        yield EVALUATION
    if name == "torch.load" and not _is_true(_find_keyword(node, "weights_only")):
        yield EVALUATION
    if name in ("yaml.load", "yaml.load_all"):
        loader = _find_keyword(node, "Loader") or (node.args[1] if len(node.args) > 1 else None)
        if loader is None or not ast.unparse(loader).endswith(_SAFE_LOADERS):
            yield EVALUATION


def _is_write_mode(node: ast.Call, name: str) -> bool:
    """True where a file is opened for writing. A method called ``open`` has its mode first (``Path.open``)."""
    at = 1 if name in _OPENERS else 0
    mode = _find_keyword(node, "mode") or (node.args[at] if len(node.args) > at else None)
    return (
        re.fullmatch(r"[rbtU|:*gzx2]*[wax+][\w+|:*]*", _read_literal(mode)) is not None if mode is not None else False
    )


def _find_keyword(node: ast.Call, *names: str) -> ast.expr | None:
    return next((k.value for k in node.keywords if k.arg in names), None)


def _read_literal(node: ast.AST | None) -> str:
    if isinstance(node, ast.JoinedStr) and node.values:
        return _read_literal(node.values[0])
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
