from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="write what the golden cases in tests/cases give now as what they should give",
    )


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """vmrender needs no network, and its tests must not come to need one."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the tests may not use the network")

    with pytest.MonkeyPatch.context() as patched:
        for name in ("connect", "connect_ex", "bind", "sendto"):
            patched.setattr(socket.socket, name, refuse)
        patched.setattr(socket, "getaddrinfo", refuse)
        yield
