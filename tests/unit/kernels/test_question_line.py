"""A line of questions that two threads use at once."""

from __future__ import annotations

import json
import socket
import struct
import threading

from jupyter_selfheal.kernels.question_line import QuestionLine
from jupyter_selfheal.kernels.trial_channels import Channels
from jupyter_selfheal.kernels.trial_results import FrameReader
from jupyter_selfheal.model import Probe


def test_a_question_is_sent_whole_while_the_source_of_later_ones_is_handed_in() -> None:
    channels = Channels(keep=False)
    line, trial = QuestionLine(channels, lambda status: None), channels.theirs[0]
    answers: list[object] = []
    handing = threading.Thread(target=line.prepare, args=("#" * 4_000_000,))  # more than any buffer of the system holds
    asking = threading.Thread(target=lambda: answers.append(line.ask(Probe("probe", timeout=30.0))))
    handing.start()
    trial.recv(1, socket.MSG_PEEK)  # it is being sent
    asking.start()
    frames, heard = FrameReader(), []
    while len(heard) < 2:
        heard += frames.take_frames(trial.recv(1 << 16))
    answer = json.dumps(["answer", {"status": "ok", "value": 7}]).encode()
    trial.sendall(struct.pack(">I", len(answer)) + answer)
    handing.join()
    asking.join()
    line.close()
    assert [len(told["source"]) for told in heard] == [4_000_000, len("probe")]  # type: ignore[call-overload]
    assert answers == [7]
