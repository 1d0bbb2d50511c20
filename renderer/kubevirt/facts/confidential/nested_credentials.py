"""The credentials in the YAML or JSON that a confidential text is, as a reader of the tree gets them.

``model.run.readings`` searches a text as it is written. A tree has no quotes, folds and escapes, and says by
a key, by the ``name`` beside a ``value``, or by an option before an argument which scalars are credentials.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.credential_text.commands import credential_arguments
from renderer.model.credential_text.names import KEYS_OF_NAMES
from renderer.model.diagnostic import DiagnosticError
from renderer.model.encoded_text import content_of_base64, text_in
from renderer.model.kube.json import Json, JsonObject, scalar_text, text_at
from renderer.model.pattern import pattern
from renderer.model.run.readings import credential_readings, readings
from renderer.model.run.readings import names_credential_in_secret as names_credential
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents

#: JSON in base64 in YAML in base64 is read, and nothing deeper.
_DEEPEST = 4
#: Characters that are read, and values that are judged, in one step (``model.run.work``).
_CHARACTERS_PER_STEP, _STEPS_PER_VALUE = 8, 2
_LOOKING = "looking for credentials"
#: The content of a file that cloud-init writes, and a word that may be all of it.
_CONTENT, _WORD = "content", pattern(r"[^\s=]+")


def nested_credential_readings(text: str, depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the readings of the credentials in the documents that a text is, also in base64.

    A text that is no mapping and no list, or cannot be parsed, has none. Raises ``WorkLimitError``.
    """
    for each in (text, text_in(content_of_base64(text))):
        if depth and (":" in each or each.lstrip().startswith(("[", "- "))):
            spend(len(each) // _CHARACTERS_PER_STEP, _LOOKING)
            try:
                documents = decode_documents(each.encode("utf-8", "surrogatepass"), "text")
            except (DiagnosticError, ValueError):
                continue
            for document in documents:
                if isinstance(document, dict | list):
                    yield from credential_readings_in_tree(document, depth)


def credential_readings_in_tree(value: Json, depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the readings of the credentials in a tree. Raises ``WorkLimitError``."""
    spend(_STEPS_PER_VALUE, _LOOKING)
    if isinstance(value, dict):
        for key, child in value.items():
            if _is_credential(value, key):
                yield from _in_credential(child, depth)
            else:
                yield from credential_readings_in_tree(child, depth)
    elif isinstance(value, list):
        confidential = credential_arguments(value)
        for index, child in enumerate(value):
            yield from (
                _in_credential(child, depth)
                if index in confidential
                else credential_readings_in_tree(child, depth)
            )
    elif isinstance(value, str):
        yield from credential_readings(value)
        yield from nested_credential_readings(value, depth - 1)


def _is_credential(mapping: JsonObject, key: str) -> bool:
    if key == "value":
        return any(names_credential(text_at(mapping, name)) for name in KEYS_OF_NAMES)
    if key == _CONTENT:
        return _WORD.fullmatch(text_at(mapping, key)) is not None
    return names_credential(key)


def _in_credential(value: Json, depth: int) -> Iterator[str]:
    """Yield the readings of a scalar or a list of scalars; a mapping says itself what it has."""
    for each in value if isinstance(value, list) else (value,):
        if isinstance(each, dict | list):
            yield from credential_readings_in_tree(each, depth)
        elif each is not None:
            yield from readings(scalar_text(each))
