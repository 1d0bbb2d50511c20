"""The tests have no network, nor have the programs that they start."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

CONNECT = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"


@pytest.fixture(autouse=True)
def _skip_with_network(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--with-network"):
        pytest.skip("the network was asked for")


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_sockets_cannot_be_created(family: int) -> None:
    with pytest.raises(PermissionError):
        socket.socket(family)


def test_host_names_are_not_resolved() -> None:
    # Without a socket, the C library asks no server.
    with pytest.raises(OSError, match=r"(?i)network|resolution"):
        socket.getaddrinfo("example.com", 443)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses sockets to programs that are started")
def test_child_programs_have_no_network() -> None:
    clean: dict[str, str] = {}
    run = subprocess.run(
        [sys.executable, "-I", "-c", CONNECT], env=clean, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "PermissionError" in run.stderr


def test_local_processes_may_communicate() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"a")
        assert other.recv(1) == b"a"
