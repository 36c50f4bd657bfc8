"""What cannot be installed or started is one sentence that says what to do."""

from pathlib import Path

import psutil
import pytest

from bench import redis, server
from bench.peers import environment
from bench.peers.environment import Peer
from bench.unavailable import Unavailable

CLOSED = "http://127.0.0.1:9"  # no way out: no server listens on the port of the discard service


@pytest.mark.slow
def test_a_peer_that_cannot_be_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"PIP_PROXY": CLOSED, "PIP_RETRIES": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(environment, "PLACE", tmp_path)
    with pytest.raises(Unavailable) as error:
        Peer("nowhere", ("nowhere-to-be-had==1",), "pass").system()
    said = str(error.value)
    assert said.startswith("cannot install nowhere (nowhere-to-be-had==1): ERROR: No matching distribution")
    assert said.endswith("; leave it out with --only and the names of the others")
    assert not (tmp_path / "nowhere" / "packages.stamp").exists()


def _program(place: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only program that is found."""
    (place / name).write_text(f"#!/bin/sh\n{text}\n")
    (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(place))


def test_a_redis_that_does_not_start_shows_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "redis-server", "echo one; echo 'Bad directive' >&2; exit 7", monkeypatch)
    with (
        pytest.raises(Unavailable, match=r"Redis ended with exit code 7; .*--redis.*\none\nBad directive$"),
        redis.redis_server(),
    ):
        pytest.fail("it does not run")


def test_a_redis_that_cannot_be_had_names_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis, "UNPACKED", tmp_path / "debian")
    _program(
        tmp_path, "apt-get", "echo 'E: Unable to locate package redis-server' >&2; exit 100", monkeypatch
    )
    with pytest.raises(Unavailable, match="cannot install Redis: apt-get: E: Unable to locate"):
        redis._find()


def test_packages_without_redis_in_them_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis, "UNPACKED", tmp_path / "debian")
    _program(tmp_path, "apt-get", "exit 0", monkeypatch)
    with pytest.raises(Unavailable, match="do not contain it; leave out"):
        redis._find()


def test_a_machine_without_apt_is_told_to_leave_redis_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "UNPACKED", tmp_path / "debian")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match=r"cannot install Redis: .*apt-get.*run without --redis"):
        redis._find()


def test_a_server_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [mount.fstype for mount in psutil.disk_partitions(all=True)]
    monkeypatch.setattr(server, "MEMORY", kinds)
    with pytest.raises(Unavailable, match=r"fsync means nothing; .*TMPDIR="), server.server():
        pytest.fail("it does not run")
