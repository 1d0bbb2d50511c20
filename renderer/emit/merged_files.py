"""Manifests that Git has merged from what vmrender wrote on two branches, with a conflict or without one."""

from __future__ import annotations

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.encryption import SOPS
from renderer.model.kube.json import object_at, text_at
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode, encode_in_order


def may_be_merge(content: bytes) -> bool:
    """Return True for manifests as vmrender writes them, and for a conflict between such manifests.

    Git merges lines, so what it makes of two such files is nearly always one. A file of somebody else seldom
    is: its keys are sorted, and nothing is quoted or folded in another way.
    """
    return all(map(_is_as_written, _sides(content.replace(b"\r\n", b"\n"))))


def _sides(content: bytes) -> tuple[bytes, bytes]:
    """Return the content of both sides of a conflict; twice the same without one."""
    sides: tuple[list[bytes], list[bytes]] = [], []
    is_in = [True, True]
    for line in content.splitlines(keepends=True):
        if line.startswith(b"<<<<<<< "):
            is_in = [True, False]
        elif line.startswith(b"||||||| "):  # the version before both
            is_in = [False, False]
        elif line.rstrip() == b"=======":
            is_in = [False, True]
        elif line.startswith(b">>>>>>> "):
            is_in = [True, True]
        else:
            for side, is_part in zip(sides, is_in, strict=True):
                side.extend([line] if is_part else [])
    return b"".join(sides[0]), b"".join(sides[1])


def _is_as_written(content: bytes) -> bool:
    try:
        documents = decode_documents(content, "")
        texts = [encode_in_order(each) if SOPS in object_at(each) else encode([each]) for each in documents]
    except DiagnosticError:
        return False
    written = "---\n".join(texts)
    return content.decode(errors="replace") == written and all(text_at(each, "kind") for each in documents)
