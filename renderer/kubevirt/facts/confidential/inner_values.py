"""The values in a text of a Secret: the entries of a file, and the constants of a template.

A Secret may have all values of a program in one text, which is JSON, YAML or properties. Whatever the file is
called, each of its values is one of the Secret, unless any file may have it: a word, a number, a version, an
address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from renderer.kubevirt.facts.confidential.fields import is_identity
from renderer.model.credential_text.form import is_credential_value
from renderer.model.credential_text.names import assignments_in, names_credential
from renderer.model.diagnostic import DiagnosticError
from renderer.model.encoded_text import content_of_base64, text_in
from renderer.model.escaped_text import unescaped
from renderer.model.kube.encryption import SOPS, is_ciphertext
from renderer.model.kube.json import Json, scalar_text, without
from renderer.model.pattern import pattern
from renderer.model.placeholders import without_placeholders
from renderer.model.run.readings import SHORTEST
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents

#: A file in a file in a file is read, and nothing deeper.
_DEEPEST = 3
#: Characters that are read in one step (``model.run.work``), and the longest value that is not a file.
_CHARACTERS_PER_STEP, _LONGEST_VALUE = 8, 1024
_LOOKING = "looking for confidential values"
#: What any file may have: words, numbers, quantities, versions, dates, names of hosts, addresses and paths.
#: Words in small letters may have a number at their end.
_WORD = r"(?:[A-Za-z]+|[a-z]+\d{1,3}|\d+(?:T\d+)?[A-Za-z]{0,2}|(?<=sha256:)[0-9a-f]++)(?![A-Za-z\d])"
_ORDINARY = pattern(
    rf"[-._/:*~$]*+{_WORD}(?:[-._/:@+,=?&]++{_WORD})*+[-._/:,*=]*+|v?\d+(?:\.\d+)+[-+][\w.+-]{{1,60}}"
    r"|[A-Z]+\d{0,3}(?:_[A-Z\d]+)*+"
)
#: What stands for a value: the path of a file, a word for it, and a reference to another store.
_REFERENCE = pattern(
    r"(?:/[a-z][a-z0-9._-]*){2,}|<[A-Za-z _-]+>|<(?:avp|path|vault):[^<>]*>"
    r"|(?:avp|op|ref\+[a-z]+)://\S*|vault:[\w.-]+/\S*"
)
_NAME_OF_VARIABLE = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
#: A value that a reader of the file gets, such as a key or a password: it has no blanks.
_VALUE = pattern(r"[^\s#<\[]\S*[^\s:]")
#: ``clusterID`` says what ``cluster`` says.
_ID = pattern(r"[-_.]?I[Dd]$|[-_.]id$")
_ACTION = pattern(r"\{\{([^{}]{1,1000}+)\}\}")
_TEXT = r"(?:\"[^\"\n]*\"|`[^`\n]*`)"
#: Functions that look up what has the name, compare with it, or say it; and the key of an entry.
_LOOKED_UP = pattern(
    r"\b(?:contains|copyConfigMapData|copySecretData|dig|eq|fail|fromConfigMap|fromSecret|get|Get|has|hasKey"
    r"|hasPrefix|hasSuffix|include|index|lookup|ne|pluck|required|template|BasePath)"
    rf"(?:\s+(?:[.$\w]+|{_TEXT}))+|\b(?:dict|set\s+[.$\w]+)\s+{_TEXT}"
)
_CONSTANT = pattern(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`")
#: What ``printf`` puts into its format.
_DIRECTIVE = pattern(r"%[-+# 0-9.]*[A-Za-z]")


def says_who(key: str) -> bool:
    """Return True for the key of a value that says who or where, such as ``host`` or ``clusterID``."""
    return is_identity(_ID.sub("", key))


def stands_for_value(text: str) -> bool:
    """Return True for ciphertext, a reference to a value, and the name of a variable with a credential."""
    if is_ciphertext(text) or _REFERENCE.fullmatch(text):
        return True
    return _NAME_OF_VARIABLE.fullmatch(text) is not None and names_credential(text)


def is_file(text: str) -> bool:
    """Return True for a text that may have several values: of several lines, or in brackets."""
    stripped = text.strip()
    return "\n" in stripped or stripped.startswith(("{", "[", "<"))


@lru_cache(maxsize=1024)  # the versions of a Secret, and the sides of a comparison, have most texts in common
def values_of_file(text: str, depth: int = _DEEPEST) -> Sequence[tuple[str, str]]:
    """Return the values in a text that is a file, each after the name that it has there.

    They are the scalars of YAML and JSON, or what assignments in another syntax have: ``name = value``,
    ``<name>value</name>``. The text may be in base64, and have files in it. Raises ``WorkLimitError``.
    """
    found: dict[tuple[str, str], None] = {}
    is_inner = depth < _DEEPEST
    for each in ("" if is_inner and not is_file(text) else text, text_in(content_of_base64(text))):
        spend(1 + len(each) // _CHARACTERS_PER_STEP, _LOOKING)
        written = "" if stands_for_value(each.strip()) else without_placeholders(each)
        scalars = [scalar for tree in _trees_in(written) for scalar in _scalars(tree, "")]
        assigned = () if any(name for name, _ in scalars) else assignments_in(written)
        for each_name, each_value in chain(scalars, assigned):
            name, value = each_name, each_value
            if says_who(name):  # perhaps with a password: user = "app:x"
                is_address = "://" in value or stands_for_value(value)
                name, value = "", "" if is_address else value.partition(":")[2]
            if _is_telling(value):
                found[name, value] = None
        if depth:
            files = (value for _, value in scalars if len(value) >= SHORTEST)
            found |= dict.fromkeys(entry for file in files for entry in values_of_file(file, depth - 1))
    return tuple(found)


def constants_of_template(text: str) -> Iterator[str]:
    """Yield the texts that the actions of a template may put in: ``{{ .Values.password | default "x" }}``.

    Names that functions look up are not among them.
    """
    for action in _ACTION.findall(text):
        for constants in _CONSTANT.findall(_LOOKED_UP.sub("", action)):
            yield from (each for each in _DIRECTIVE.split("".join(constants)) if len(each) >= SHORTEST)


def _trees_in(text: str) -> Sequence[Json]:
    """Return the mappings and lists that a text is; what SOPS says of its encryption is public."""
    if ":" not in text and not text.lstrip().startswith(("[", "- ")):
        return ()
    try:
        documents = decode_documents(text.encode("utf-8", "surrogatepass"), "text")
    except (DiagnosticError, ValueError):
        return ()
    trees = (each for each in documents if isinstance(each, dict | list))
    return [without(each, SOPS) if isinstance(each, dict) else each for each in trees]


def _scalars(tree: Json, name: str) -> Iterator[tuple[str, str]]:
    """Yield the scalars of a tree, each after the nearest key."""
    if isinstance(tree, dict):
        for key, child in tree.items():
            yield from _scalars(child, key)
    elif isinstance(tree, list):
        for child in tree:
            yield from _scalars(child, name)
    elif tree is not None:
        yield name, scalar_text(tree)


def _is_telling(value: str) -> bool:
    return (
        SHORTEST <= len(value) <= _LONGEST_VALUE
        and _VALUE.fullmatch(value) is not None
        and not _is_ordinary(value)
        and is_credential_value(value)
        and not stands_for_value(value)
    )


def _is_ordinary(value: str) -> bool:
    """Return True if any file may have the value, or what its escapes mean: a word and a line break."""
    texts = (value, *(each.text.strip() for each in unescaped(value)))
    return any(_ORDINARY.fullmatch(each) for each in texts)
