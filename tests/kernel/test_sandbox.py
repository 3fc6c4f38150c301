"""The sandbox in real processes: as root and as an ordinary user, with every layer that the system has."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.inside.fork import overlay, sandbox
from tests.kernel.enclosed import LOOK_AROUND, NOBODY, USERS, Place, available

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")]


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_writes_are_discarded_the_network_is_refused_and_reads_are_allowed(place: Place) -> None:
    available(sandbox.OVERLAY, sandbox.NETWORK)
    before = place.contents()
    saw = place.run(LOOK_AROUND)
    assert {"overlay", "read-only mounts", "network namespace", "limits"} <= set(saw["layers"])
    assert saw["read"] == saw["read elsewhere"] == "as it was"
    assert [saw[k] for k in ("write here", "overwrite here", "write at home", "write temporary")] == ["written"] * 4
    assert saw["list"] == ["data.txt", "new.txt"]
    for name in ("write elsewhere", "remove elsewhere"):
        assert saw[name][2].startswith("write: [Errno 30] Read-only file system")
    assert saw["connect"][2].startswith("network: ")
    if place.user is None:
        assert saw["namespace"] not in ("", os.readlink("/proc/self/ns/net"))
    assert saw["shared memory"] == saw["device"] == "written"
    assert place.contents() == before


def test_a_user_namespace_is_entered_only_by_those_who_need_it(place: Place) -> None:
    if os.geteuid() != 0:
        pytest.skip("compares root with another user")
    assert sandbox.USER not in place.run("enter()")["layers"]
    place.user = NOBODY
    assert place.run("enter()\nreport['ids'] = [os.getuid(), os.getgid()]")["layers"][0] == sandbox.USER


def test_the_open_plan_restricts_nothing(place: Place) -> None:
    saw = place.run("enter()\nattempt('write', lambda: write('data.txt'))", writes="allow", network=True)
    assert saw["layers"] == []
    assert place.contents()["project/data.txt"] == "changed"


def test_forbidden_writes_are_refused_everywhere(place: Place) -> None:
    available(sandbox.READ_ONLY)
    saw = place.run(LOOK_AROUND, writes="forbid")
    assert sandbox.OVERLAY not in saw["layers"]
    for name in ("write here", "write at home", "write temporary", "write elsewhere"):
        assert saw[name][2].startswith("write: ")


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_trials_of_trials_see_the_state_before_them_and_leave_it_alone(place: Place) -> None:
    available(sandbox.OVERLAY)
    saw = place.run(
        """
        def level(n):
            enter()
            assert sorted(os.listdir(".")) == ["data.txt", *(f"level{k}" for k in range(n))], os.listdir(".")
            assert open("data.txt").read() == ("as it was" if n == 0 else f"by {n - 1}")
            with open("data.txt", "w") as f: f.write(f"by {n}")
            write(f"level{n}")
            if n < 4:
                in_fork(lambda: level(n + 1))
                assert open("data.txt").read() == f"by {n}"
                assert f"level{n + 1}" not in os.listdir(".")
            if n == 0:
                os.remove("data.txt")
                in_fork(lambda: (enter(), attempt("gone", lambda: open("data.txt"))))
        level(0)
        report["depth"] = "reached"
        """
    )
    assert saw["depth"] == "reached"
    assert place.contents()["project/data.txt"] == "as it was"


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_a_kernel_started_inside_an_overlay_can_isolate_its_trials(place: Place) -> None:
    """``execve`` takes an ordinary user's capabilities, so the trial needs a user namespace within the first, in which all mounts are
    locked: also that of the kernel's own files below the home (or temporary) folder."""
    available(sandbox.OVERLAY, sandbox.USER)
    (place.home / "shared").mkdir()
    saw = place.run(
        """
        import ctypes, struct
        def as_after_execve():
            if os.geteuid():
                header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)
                assert ctypes.CDLL(None).capset(header, none) == 0
                sandbox._probed.clear()
        def trial():
            enter()
            assert open("data.txt").read() == "by the kernel"
            write("data.txt"); write("new.txt"); write(order["home"] + "/cache")
            attempt("elsewhere", lambda: write(order["home"] + "/../elsewhere/data.txt"))
            assert report["elsewhere"][2].startswith("write: "), report
        plan["network"] = True
        enter()
        with open("data.txt", "w") as f: f.write("by the kernel")
        as_after_execve()
        plan["network"] = False
        in_fork(trial)
        report["then"] = [open("data.txt").read(), sorted(os.listdir("."))]
        """,
        shared=[str(place.home / "shared")],
    )
    assert saw["then"] == ["by the kernel", ["data.txt"]]
    assert place.contents()["project/data.txt"] == "as it was"


def test_writes_to_shared_folders_go_through_and_sockets_there_are_reachable(place: Place, tmp_path: Path) -> None:
    available(sandbox.OVERLAY)
    shared = place.home / "shared"
    shared.mkdir()
    saw = place.run(
        f"""
        def deeper():
            enter()
            write({str(shared)!r} + "/deeper")
        server = socket.socket(socket.AF_UNIX)
        server.bind({str(shared)!r} + "/s")
        server.listen()
        enter()
        write({str(shared)!r} + "/through")
        write(order["home"] + "/discarded")
        in_fork(deeper)
        client = socket.socket(socket.AF_UNIX)
        client.connect({str(shared)!r} + "/s")
        server.accept()[0].send(b"hi")
        report["heard"] = client.recv(2).decode()
        """,
        shared=[str(shared)],
    )
    assert saw["heard"] == "hi"
    assert sorted(p.name for p in shared.iterdir()) == ["deeper", "s", "through"]
    assert not (place.home / "discarded").exists()


def test_mounts_inside_the_project_stay_visible_and_become_read_only(place: Place) -> None:
    available(sandbox.OVERLAY)
    if os.geteuid() != 0:
        pytest.skip("mounts something")
    (place.project / "disk").mkdir()
    saw = place.run(
        """
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount("", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
        syscalls.mount("disk", "disk", "tmpfs")
        write("disk/file")
        enter()
        attempt("read", lambda: open("disk/file").read())
        attempt("write", lambda: write("disk/file"))
        """
    )
    assert saw["read"] == "changed"
    assert saw["write"][2].startswith("write: ")


def test_what_can_be_written_is_bounded(place: Place) -> None:
    available(sandbox.OVERLAY)
    saw = place.run(
        """
        if os.geteuid(): sandbox._enter_user_namespace()
        syscalls.unshare(syscalls.CLONE_NEWNS)
        here = order["folder"]
        overlay.mount_overlays([here], needed=[here], shared=[], megabytes=1, options=sandbox._choose_overlay_options())
        def fill():
            with open("big", "wb") as f: f.write(bytes(4 << 20))
        attempt("fill", fill)
        """
    )
    assert saw["fill"][2].startswith("write: [Errno 28] No space left on device")


def test_memory_is_limited_beyond_what_the_state_has(place: Place) -> None:
    saw = place.run(
        """
        state = bytearray(200 << 20)
        enter()
        small = bytearray(20 << 20)
        attempt("big", lambda: len(bytearray(400 << 20)))
        """,
        memory_mb=100,
    )
    assert saw["big"][0] == "MemoryError"


@pytest.mark.parametrize("place", [NOBODY], indirect=True)
def test_a_fork_bomb_of_an_ordinary_user_is_bounded(place: Place) -> None:
    available(sandbox.USER)
    saw = place.run(
        """
        sandbox._PROCESSES = 20
        enter()
        def bomb():
            children = []
            try:
                for _ in range(200):
                    child = os.fork()
                    if child == 0:
                        time.sleep(60); os._exit(0)
                    children.append(child)
            finally:
                for child in children:
                    os.kill(child, 9); os.waitpid(child, 0)
        attempt("bomb", bomb)
        """
    )
    assert saw["bomb"][0] == "BlockingIOError"
    assert saw["bomb"][2].startswith("processes: ")


def test_entering_leaks_no_descriptor_and_keeps_the_working_directory(place: Place) -> None:
    saw = place.run(
        """
        before = sorted(os.listdir("/proc/self/fd"))
        enter()
        report["same"] = sorted(os.listdir("/proc/self/fd")) == before and os.getcwd() == order["folder"]
        """
    )
    assert saw["same"] is True


def test_a_mount_that_somebody_removed_meanwhile_keeps_no_trial_out(tmp_path: Path) -> None:
    """A drive is unmounted between a look at the mounts and the overlay over their folder: nothing of it is left to be shown."""
    drive = tmp_path / "drive"
    drive.mkdir()
    number = os.open(drive, os.O_PATH)
    drive.rmdir()
    try:
        overlay.put_back_mounts({str(drive): number})
    finally:
        os.close(number)
    assert not drive.exists()


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_overlays_upon_each_other_add_no_mounts_but_for_what_was_written(place: Place) -> None:
    available(sandbox.OVERLAY)
    saw = place.run(
        """
        def level(n):
            sandbox.stack_overlays()
            assert sorted(os.listdir(".")) == ["data.txt", *(f"level{k:02}" for k in range(n))], os.listdir(".")
            if n == 40:
                sandbox.stack_overlays()
                sandbox.stack_overlays()
                layers, mounts = overlay.measure_layers()[0], len(overlay.list_sources())
                assert layers == 41 and mounts <= order["mounts"] + 41, (layers, mounts, order["mounts"])
                return
            write(f"level{n:02}")
            in_fork(lambda: level(n + 1))
            assert f"level{n + 1:02}" not in os.listdir(".")
        enter()
        order["mounts"] = len(overlay.list_sources())
        report["beneath"] = overlay.measure_layers()[0]
        level(0)
        """
    )
    assert saw["beneath"] == 1
    assert place.contents()["project/data.txt"] == "as it was"


@pytest.mark.parametrize("place", [12345], indirect=True)
def test_a_folder_of_another_of_the_users_groups_can_be_written_to(place: Place) -> None:
    """A project's folder below the home: its group has no number in the user namespace, and overlayfs copies up no such folder."""
    available(sandbox.OVERLAY, sandbox.USER)
    shared = place.home / "shared"
    shared.mkdir()
    os.chown(shared, 12345, 777)
    before = place.contents()
    saw = place.run(
        "enter()\nattempt('write', lambda: write(order['home'] + '/shared/new.txt'))", folders=[str(shared)]
    )
    assert saw["write"] == "written"
    assert place.contents() == before
