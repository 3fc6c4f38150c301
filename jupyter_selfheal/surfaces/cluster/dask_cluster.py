"""A cluster that exists, or one of processes on this machine: Dask distributed (extra ``[dask]``), imported nowhere else."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.interrupts import delay_interrupts
from jupyter_selfheal.surfaces.cli.jobs import trust_own_folder

SECONDS = 15.0
"""How long a scheduler and its first worker are waited for."""

RETRIES = 3
"""How often a notebook is sent again whose worker was lost."""

_LOCAL, _REMOTE = re.compile(r"local:([1-9]\d*)"), re.compile(r"dask://([^/\s]+:\d+)")
FORMS = "local:N (N processes of this machine) or dask://HOST:PORT (a scheduler)"


def check_address(address: str) -> str:
    """The address of a cluster. Raises :class:`ValueError` for what is none."""
    if not (_LOCAL.fullmatch(address) or _REMOTE.fullmatch(address)):
        raise ValueError(f"{address!r} is no cluster: it takes {FORMS}")
    return address


@contextlib.contextmanager
def open_cluster(address: str, files: Sequence[Path] = ()) -> Iterator[Executor]:
    """An executor on the cluster. Raises :class:`UsageError` where it cannot be used, or a worker does not see one of the files as it is here."""
    try:
        import distributed
    except ImportError:
        raise UsageError("--cluster needs Dask: pip install 'jupyter-selfheal[dask]'") from None
    with contextlib.ExitStack() as stack:
        _silence_logs()
        scheduler = (
            _start_local(distributed, address, stack) if _LOCAL.fullmatch(address) else address[len("dask://") :]
        )
        client = _connect_scheduler(distributed, scheduler, address)
        stack.callback(client.close)
        _check_workers(client, address)
        check_files(client, address, files)
        yield client.get_executor(pure=False, retries=RETRIES)


def _silence_logs() -> None:
    """What matters of Dask's logs is a line of a report. Its own settings give some of its loggers a level of their own."""
    for name in ("distributed", "tornado", *logging.Logger.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _start_local(distributed: Any, address: str, stack: contextlib.ExitStack) -> Any:
    import dask

    trust_own_folder(False)  # workers, also those that are started later, import nothing that lies beside the notebooks
    stack.callback(trust_own_folder, True)
    # else Dask makes one in the temporary folder, and leaves it there
    scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="selfheal-dask-", ignore_cleanup_errors=True))
    resource_tracker.ensure_running()  # multiprocessing's, which lets interrupts in again where it has to be started
    # a terminal's Ctrl-C is for the command: its workers, and the thread that starts them again, hear none
    delay_interrupts(True)
    try:
        with dask.config.set({"temporary-directory": scratch}):
            cluster = _start_workers(distributed, int(address.removeprefix("local:")))
    finally:
        delay_interrupts(False)
    stack.callback(cluster.close)
    return cluster


def _start_workers(distributed: Any, count: int) -> Any:
    return distributed.LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",  # any free port, for this machine alone
        memory_limit=0,  # the notebooks' kernels have limits of their own
        silence_logs=logging.CRITICAL,
    )


def _connect_scheduler(distributed: Any, scheduler: Any, address: str) -> Any:
    try:
        if isinstance(scheduler, str):  # Dask itself would go on trying for the whole time
            host, _, port = scheduler.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS).close()
        return distributed.Client(scheduler, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError, OverflowError) as error:
        raise UsageError(f"--cluster {address}: no scheduler answers there ({type(error).__name__})") from None


def _check_workers(client: Any, address: str) -> None:
    """Raise where no worker comes, or where one has another version of this package, or none."""
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError:
        raise UsageError(f"--cluster {address}: the scheduler has no workers") from None
    try:
        versions = set(client.run(read_version).values())
    except Exception as error:
        raise UsageError(
            f"--cluster {address}: its workers cannot import jupyter_selfheal ({type(error).__name__}): install it there"
        ) from None
    if versions != {__version__}:
        raise UsageError(
            f"--cluster {address}: its workers have version {', '.join(sorted(versions))}, this is {__version__}: "
            "install the same"
        )


def check_files(client: Any, address: str, files: Sequence[Path]) -> None:
    """Raise :class:`UsageError` where a worker does not see these files: nothing is shipped. One file of each folder is looked at."""
    sizes = {
        str(path): path.stat().st_size for path in {path.parent: path for path in files if path.is_file()}.values()
    }
    unseen = {worker: paths[0] for worker, paths in client.run(list_unseen, sizes).items() if paths} if sizes else {}
    if unseen:
        worker, path = min(unseen.items())
        raise UsageError(
            f"--cluster {address}: its worker {worker} does not see {path} as it is here: "
            "put the notebooks where all workers have them under the same path"
        )


def list_unseen(sizes: Mapping[str, int]) -> list[str]:
    """Which of these files are not there, or have another size, where this runs."""
    return [path for path, size in sizes.items() if not os.path.isfile(path) or os.path.getsize(path) != size]


def read_version() -> str:
    """The version of this package on a worker."""
    return __version__
