"""The sandbox where a layer is missing: the next one stands in, or the trial must not run; what is missing is probed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.inside.fork import sandbox
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.model import Keep, Launch, Run, TrialRequest
from tests.kernel.enclosed import LOOK_AROUND, USERS, Place, available

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")]


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_without_an_overlay_all_is_read_only(place: Place) -> None:
    available(sandbox.READ_ONLY)
    saw = place.run(LOOK_AROUND, probed={sandbox.OVERLAY: "not permitted"})
    assert sandbox.READ_ONLY in saw["layers"]
    assert sandbox.OVERLAY not in saw["layers"]
    assert saw["read"] == "as it was"
    for name in ("write here", "overwrite here", "write at home", "write elsewhere"):
        assert saw[name][2].startswith("write: "), saw[name]


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_without_mounts_landlock_makes_all_read_only(place: Place) -> None:
    available(sandbox.LANDLOCK)
    saw = place.run(LOOK_AROUND, probed={sandbox.OVERLAY: "no", sandbox.READ_ONLY: "no"})
    assert sandbox.LANDLOCK in saw["layers"]
    assert saw["read"] == "as it was"
    assert saw["device"] == saw["shared memory"] == "written"
    for name in ("write here", "overwrite here", "write at home", "write elsewhere", "remove elsewhere"):
        assert saw[name][0] == "PermissionError"
        assert saw[name][2].startswith("write: "), saw[name]


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_without_a_network_namespace_landlock_refuses_connections(place: Place) -> None:
    available(sandbox.LANDLOCK_TCP)
    saw = place.run(LOOK_AROUND, probed={sandbox.NETWORK: "no"})
    assert sandbox.LANDLOCK_TCP in saw["layers"]
    assert saw["connect"][0] == "PermissionError"
    assert saw["connect"][2].startswith("network: ")


def test_without_anything_against_writes_a_trial_must_not_run(place: Place) -> None:
    nothing = dict.fromkeys(sandbox.LAYERS, "no")
    saw = place.run("attempt('enter', enter)", probed=nothing)
    assert saw["enter"][0] == "LayerFailed"
    assert "keep a trial from writing" in saw["enter"][1]
    allowed = place.run("enter()\nattempt('write', lambda: write('data.txt'))", probed=nothing, writes="allow")
    assert allowed["layers"] == [sandbox.LIMITS]
    assert place.contents()["project/data.txt"] == "changed"


@pytest.mark.parametrize("place", USERS, indirect=True)
def test_probing_changes_nothing(place: Place) -> None:
    saw = place.run(
        """
        def everything():
            spaces = {n: os.readlink(f"/proc/self/ns/{n}") for n in os.listdir("/proc/self/ns")}
            return spaces, os.listdir("/proc/self/fd"), os.getcwd(), open("/proc/self/mountinfo").read()
        before = everything()
        probed = sandbox.probe()
        assert everything() == before
        assert sandbox.probe() == probed
        report["layers"] = sorted(probed)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            report["children"] = "none"
        """
    )
    assert saw["layers"] == sorted(sandbox.LAYERS)
    assert saw["children"] == "none"


REALLY_AWAY = """
if os.geteuid() == 0:
    user = os.geteuid()
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", "0 0 1"), ("gid_map", "0 0 1")):
        with open(f"/proc/self/{name}", "w") as f: f.write(text)
for kind in KINDS:
    with open(f"/proc/sys/user/max_{kind}_namespaces", "w") as f: f.write("0")
"""


def test_a_layer_that_the_system_refuses_is_probed_as_missing_with_the_reason(place: Place) -> None:
    if os.geteuid() != 0:
        pytest.skip("limits namespaces in a namespace of its own")
    code = REALLY_AWAY + "report.update(sandbox.probe())"
    no_network = place.run(code.replace("KINDS", "['net']"))
    assert no_network[sandbox.NETWORK] != ""
    assert no_network[sandbox.OVERLAY] is None
    no_mounts = place.run(code.replace("KINDS", "['mnt']"))
    assert no_mounts[sandbox.OVERLAY] != ""
    assert no_mounts[sandbox.READ_ONLY] != ""
    assert no_mounts[sandbox.NETWORK] is no_mounts[sandbox.LANDLOCK] is None


def test_a_layer_that_fails_after_its_probe_aborts_the_trial(place: Place) -> None:
    available(sandbox.NETWORK)
    if os.geteuid() != 0:
        pytest.skip("limits namespaces in a namespace of its own")
    code = "sandbox.probe()" + REALLY_AWAY.replace("KINDS", "['net']") + "attempt('enter', enter)"
    saw = place.run(code, probed=dict.fromkeys(sandbox.LAYERS, ""))
    assert saw["enter"][0] == "LayerFailed"
    assert "could not be entered" in saw["enter"][1]


FULL = dict.fromkeys(sandbox.LAYERS)
ENTERED = [sandbox.NETWORK, sandbox.SOCKETS, sandbox.OVERLAY, sandbox.READ_ONLY, sandbox.LIMITS]


@pytest.mark.parametrize(
    ("probed", "layers", "holds"),
    [
        (FULL, ENTERED, True),
        (FULL, [sandbox.NETWORK, sandbox.SOCKETS], True),
        (FULL, [*ENTERED, sandbox.LANDLOCK_TCP], False),
        (FULL, [sandbox.LANDLOCK], False),
        ({**FULL, sandbox.OVERLAY: "no room"}, ENTERED, False),
        ({**FULL, sandbox.NETWORK: "not permitted"}, ENTERED, False),
        ({}, ENTERED, False),
    ],
    ids=["all", "writes stay", "no further mounts", "Landlock alone", "no overlay", "no network namespace", "nothing known"],
)  # fmt: skip
def test_what_was_found_inside_holds_further_in_where_all_namespaces_are_to_be_had(
    probed: dict[str, str | None], layers: list[str], *, holds: bool
) -> None:
    assert sandbox.holds_further_in(probed, layers) == holds


def test_states_that_are_kept_from_one_another_are_all_shut_in_alike(tmp_path: Path) -> None:
    """The layers are looked for outside and once inside; each state behind that has what the one before it had."""
    available(sandbox.OVERLAY)
    writes = "import socket\nopen('mine.txt', 'a').write('x')\nprint(open('mine.txt').read(), [n for _, n in socket.if_nameindex()])"
    tells = "try:\n    open('/etc/selfheal-test', 'w')\nexcept OSError as error:\n    print(type(error).__name__)"
    request = TrialRequest((Run(writes), Run(tells)), timeout=60.0, keep=Keep.ALWAYS)
    first = open_state(Launch("python3", str(tmp_path), writes="allow"))
    states, seen = [first], []
    try:
        for _ in range(4):
            trial, kept = states[-1].run(request)
            assert kept is not None
            states.append(kept)
            seen.append((trial.isolation.layers, [o.text for step in trial.steps for o in step.outputs]))
    finally:
        for state in states:
            state.close()
    layers = {layers for layers, _ in seen}
    assert len(layers) == 1
    assert {sandbox.NETWORK, sandbox.OVERLAY, sandbox.READ_ONLY} <= set(*layers)
    assert [said[0].split(" ", 1)[0] for _, said in seen] == ["x", "xx", "xxx", "xxxx"]
    assert {(said[0].split(" ", 1)[1], said[1]) for _, said in seen} == {("['lo']\n", "OSError\n")}
    assert not (tmp_path / "mine.txt").exists()
