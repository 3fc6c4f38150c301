"""Which folders get an overlay of their own."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.fork.overlay import _choose_targets


@pytest.mark.parametrize(
    ("unknown", "targets"),
    [
        ([], ["/tmp"]),
        (["/tmp/shared"], ["/tmp", "/tmp/shared/home/me"]),
        (["/tmp/shared/home"], ["/tmp", "/tmp/shared/home/me"]),
        (["/tmp"], ["/tmp"]),
        (["/tmp/shared/home/me/work"], ["/tmp", "/tmp/shared/home/me/work"]),
        (["/tmp/shared/home/me"], ["/tmp", "/tmp/shared/home/me"]),
        (["/tmp/shared/home/you"], ["/tmp"]),
    ],
)
def test_a_folder_below_one_that_cannot_be_copied_up_gets_an_overlay_of_its_own(
    unknown: list[str], targets: list[str]
) -> None:
    """A home in the temporary folder, say, in a folder that root made: nothing could be written there."""
    folders = ["/tmp/shared/home/me", "/tmp", "/tmp/shared/home/me/work"]
    assert _choose_targets(folders, [], lambda path: path in unknown) == targets


def test_a_mount_of_its_own_gets_one_in_any_case() -> None:
    assert _choose_targets(["/home/me", "/home/me/drive"], ["/", "/home/me/drive"], lambda path: False) == [
        "/home/me",
        "/home/me/drive",
    ]
