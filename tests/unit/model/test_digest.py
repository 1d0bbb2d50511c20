"""SHA-256 and HMAC are those of Python's library, before and after OpenSSL is loaded."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import sys

import pytest

from renderer.model import digest
from renderer.model.digest import hmac_sha256, is_same_digest, sha256

LATE = """
import sys
from renderer.model.digest import sha256
loaded = lambda: "_hashlib" in sys.modules
print(sha256(b"") [:8], loaded())
print(sha256(bytes(1_000_000))[:8], loaded())
print(sha256(b"a")[:8], loaded())
"""


@pytest.fixture(params=["own", "OpenSSL"])
def made_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = digest.Sha256(few=1 << 30 if request.param == "own" else 0)
    monkeypatch.setattr(digest, "_hash", hashes)


@pytest.mark.usefixtures("made_by")
@pytest.mark.parametrize("content", [b"", b"abc", bytes(range(256)) * 100])
def test_a_digest_is_that_of_hashlib(content: bytes) -> None:
    assert sha256(content) == hashlib.sha256(content).hexdigest()


@pytest.mark.usefixtures("made_by")
@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 200])
def test_a_signature_is_that_of_hmac(length: int) -> None:
    key, content = bytes(range(length)), b"what is signed" * length

    assert hmac_sha256(key, content) == hmac.digest(key, content, "sha256")


def test_a_text_is_hashed_as_utf_8_whatever_is_in_it() -> None:
    assert sha256("\u00e9\ud800") == hashlib.sha256(b"\xc3\xa9\xed\xa0\x80").hexdigest()


def test_digests_are_compared() -> None:
    assert is_same_digest("ab", "ab")
    assert not is_same_digest(b"ab", b"ac")


def test_openssl_is_loaded_when_much_is_hashed() -> None:
    run = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True)

    assert run.stdout.splitlines() == ["e3b0c442 False", "d29751f2 False", "ca978112 True"]
