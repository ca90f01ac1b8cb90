"""Answers kept on disk: by several processes, in damaged files, on full disks, under other people's locks."""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from support.faulty_server import FaultyServer, Say
from support.model_asks import answers, ask
from support.served_roles import AGREES, SCHEMA, agree, config

from pi_gym import ModelConfig
from pi_gym.models import cache as cache_module
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.cache import MISSING, AnswerCache
from pi_gym.models.request_body import request_body, request_key
from pi_gym.types import Answer

GOOD = Say(AGREES)


def test_what_was_answered_is_not_asked_again(tmp_path):
    with FaultyServer([GOOD]) as server:
        first, before = answers(server.url, [ask("a"), ask("b")], cache=tmp_path)
        again, after = answers(server.url, [ask("a"), ask("b")], cache=tmp_path)
    assert first == again
    assert (before.cache_hits, before.requests) == (0, 2)
    assert (after.cache_hits, after.requests, after.answers) == (2, 0, 2)
    assert len(server.requests) == 2


def test_only_answers_that_fit_are_kept(tmp_path):
    with FaultyServer([Say("no"), Say({"agree": 1}), Say("still no")]) as server:
        (failed,), _ = answers(server.url, [ask()], cache=tmp_path)
    assert failed.error
    with FaultyServer(lambda body: GOOD if body["seed"] else Say("no")) as server:
        (found,), _ = answers(server.url, [ask()], cache=tmp_path)
        assert found.value == AGREES
        # The second attempt has a key of its own: the first is asked anew, the second is known.
        (again,), usage = answers(server.url, [ask()], cache=tmp_path)
    assert again.value == AGREES
    assert (usage.requests, usage.cache_hits) == (1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"config": {"model": "other"}},
        {"config": {"temperature": 0.1}},
        {"config": {"max_tokens": 5}},
        {"config": {"extra_body": {"top_k": 1}}},
        {"request": {"text": "r"}},
        {"request": {"schema": {**SCHEMA, "title": "x"}}},
        {"request": {"schema": None}},
        {"request": {"top_p": 0.1}},
        {"attempt": 1},
    ],
)
def test_a_key_is_of_everything_that_decides_the_answer(change):
    def key(configured=None, asked=None, attempt=0):
        model = ModelConfig("http://a/v1", **{"model": "m", **(configured or {})})
        return request_key(request_body(model, ask(**(asked or {})).request, attempt))

    assert key() == key()
    assert key() != key(change.get("config"), change.get("request"), change.get("attempt", 0))


def test_a_key_is_not_of_how_the_server_is_reached():
    request = ask().request
    one = request_body(config("http://a/v1", timeout_s=1, api_key="k"), request, 0)
    assert request_key(one) == request_key(request_body(config("http://b/v1", retries=9), request, 0))


def test_answers_of_no_use_are_forgotten(tmp_path):
    with FaultyServer([GOOD]) as server:
        answerer = ModelAnswerer({"user": config(server.url, tmp_path)})
        answerer([ask("a"), ask("b")])
        answerer.forget([ask("a")])
        answerer([ask("a"), ask("b")])
        answerer.close()
    # The two of the first call go out together, in whichever order; the second call asks only for what was forgotten.
    sent = [body["messages"][0]["content"] for body in server.requests]
    assert (sorted(sent[:2]), sent[2:]) == (["a", "b"], ["a"])


def put(folder, number):
    cache = AnswerCache(folder)
    found = [cache.put(b"%d" % key, [number, key]) for key in range(200)]
    cache.close()
    return found


def test_of_several_processes_the_first_writer_wins_and_all_agree(tmp_path):
    with multiprocessing.get_context("fork").Pool(4) as pool:
        found = pool.starmap(put, [(tmp_path, number) for number in range(4)])
    assert found[0] == found[1] == found[2] == found[3]
    cache = AnswerCache(tmp_path)
    assert [cache.get(b"%d" % key) for key in range(200)] == found[0]
    cache.close()


@pytest.mark.parametrize("damage", [b"this is no database, whatever its name says " * 200, b"half"])
def test_a_damaged_file_is_set_aside(tmp_path, damage, caplog):
    (tmp_path / "answers.sqlite").write_bytes(damage)
    with FaultyServer([GOOD]) as server, caplog.at_level(logging.WARNING):
        (one,), _ = answers(server.url, [ask()], cache=tmp_path)
        _, usage = answers(server.url, [ask()], cache=tmp_path)
    assert one.value == AGREES
    assert usage.requests == 0  # the new file is used
    assert (tmp_path / "answers.sqlite.damaged-1").read_bytes() == damage
    assert [record.name for record in caplog.records].count("pi_gym.models") == 1
    assert "damaged" in caplog.text


def test_a_file_that_is_damaged_within_is_set_aside_when_that_shows(tmp_path, caplog):
    cache = AnswerCache(tmp_path)
    for number in range(3000):
        cache.put(b"%d" % number, "x" * 50)
    cache.close()
    path = tmp_path / "answers.sqlite"
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    cache = AnswerCache(tmp_path)
    assert cache.get(b"5") is MISSING
    assert cache.put(b"5", "new") == "new"
    assert cache.get(b"5") == "new"
    cache.close()
    assert "damaged" in caplog.text


def test_a_value_that_was_changed_by_hand_is_not_there(tmp_path):
    cache = AnswerCache(tmp_path)
    cache.put(b"k", "v")
    with sqlite3.connect(tmp_path / "answers.sqlite") as file:
        file.execute("UPDATE answers SET value = '{'")
    file.close()
    assert cache.get(b"k") is MISSING
    cache.close()


def test_a_folder_that_cannot_be_written_means_no_cache_and_one_warning(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with FaultyServer([GOOD]) as server, caplog.at_level(logging.WARNING):
        found, usage = answers(server.url, [ask("a"), ask("b"), ask("c")], cache=tmp_path / "file" / "cache")
        again, _ = answers(server.url, [ask("a")], cache=tmp_path / "file" / "cache")
    assert all(answer.value == AGREES for answer in [*found, *again])
    assert len(server.requests) == 4
    assert usage.requests == 3
    assert [record.name for record in caplog.records].count("pi_gym.models") == 1
    assert "are not kept" in caplog.text


def test_a_file_that_another_process_holds_is_left_alone_for_a_while(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(cache_module, "BUSY_S", 0.05)
    cache = AnswerCache(tmp_path)
    assert cache.put(b"a", 1) == 1
    with closing(sqlite3.connect(tmp_path / "answers.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert [cache.put(b"%d" % number, number) for number in range(100)] == list(range(100))
        assert cache.get(b"a") == 1
        other.execute("COMMIT")
    cache.close()
    # One of the hundred waited in vain, and the others did not.
    assert [record.getMessage() for record in caplog.records if "holds it" in record.getMessage()][1:] == []
    assert "is not written for 60 s: another process holds it" in caplog.text


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit of file sizes here")
def test_a_disk_without_room_means_no_cache_and_no_loss(tmp_path):
    code = (
        "import resource, signal, sys; from pathlib import Path; from pi_gym.models.cache import AnswerCache;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); cache = AnswerCache(Path(sys.argv[1]));"
        "print([cache.put(b'%d' % n, str(n) * 2000) == str(n) * 2000 for n in range(200)].count(True)); cache.close()"
    )
    found = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=100)
    assert (found.returncode, found.stdout) == (0, "200\n"), found.stderr
    assert found.stderr.count("are not kept") == 1
    cache = AnswerCache(tmp_path)  # and when there is room again, what was kept is whole
    assert all(cache.get(b"%d" % n) in (MISSING, str(n) * 2000) for n in range(200))
    assert cache.get(b"0") == "0" * 2000
    assert cache.put(b"x", 1) == 1
    cache.close()


def test_null_is_an_answer_like_others(tmp_path):
    cache = AnswerCache(tmp_path)
    assert cache.get(b"k") is MISSING
    cache.put(b"k", None)
    assert cache.get(b"k") is None
    cache.close()
    assert cache.get(b"k") is MISSING


def test_an_answerer_goes_through_a_pickle_without_its_connections(tmp_path):
    with FaultyServer(agree) as server:
        answerer = ModelAnswerer({"user": config(server.url, tmp_path)})
        answerer([ask()])
        copy = pickle.loads(pickle.dumps(answerer))
        assert copy([ask("other")]) == [Answer(AGREES)]
        assert copy.usage["user"].requests == 1
        answerer.close(), copy.close()
