"""Digests of texts and bytes, and signatures."""

from __future__ import annotations

import hashlib

from renderer.model.digest import hmac_sha256, is_same_digest, sha256


def test_any_text_is_hashed_as_utf_8() -> None:
    assert sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256("\u00e9\ud800") == hashlib.sha256(b"\xc3\xa9\xed\xa0\x80").hexdigest()


def test_signature_matches_rfc_4231() -> None:
    signature = hmac_sha256(b"Jefe", b"what do ya want for nothing?")

    assert signature.hex() == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"


def test_digests_are_compared() -> None:
    assert is_same_digest(b"ab", b"ab")
    assert not is_same_digest(b"ab", b"ac")
