"""What Secrets of a folder that cannot be built have, and which variables: judged by the files in it.

What is wrong with one file must not reveal what the others put into a Secret.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from renderer.files.file_system import FileSystem, folder_of, join_path
from renderer.gitops.substitution.exposed_variables import ConfidentialTexts, exposed_variables
from renderer.gitops.substitution.post_build import Variables
from renderer.golang.envsubst import SubstitutionError, evaluate, parse
from renderer.kubevirt.facts.confidential.fields import is_identity
from renderer.kubevirt.facts.confidential.manifest_text import seems_confidential
from renderer.kubevirt.facts.confidential.secret_values import (
    WORD,
    confidential_texts,
    may_hold_objects_as_text,
    readings_of_texts,
    secret_values,
)
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.model.credential_text.names import names_credential
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import MANIFESTS
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend
from renderer.model.vmrender_api import TEMPLATE, VMRENDER_API_VERSION
from renderer.yamlio.decode import decode_documents

_VARIABLE = b"${"
#: A variable in a text that cannot be parsed, or whose name is invalid.
_EXPANSION = pattern(r"\$\{[^{}]{1,80}\}")
#: The name in an expansion, and what may be meant as one.
_NAMES_IN_EXPANSION = pattern(r"\$\{((?=(\w{1,80}))[\w.-]{1,80})")
#: A key before a value, which is looked for in so many characters before a variable.
_KEY = pattern(r"""([\w./-]{1,80})["']?\s{0,9}[:=](?=[\s"'$])""")
_BEFORE = 100
_SEPARATOR = pattern(r"(?m)^---")
#: The fields of a Template of ours with values, and the expressions and statements in its text.
_VALUES = ("values", "matrix")
_TAG, _NAME_IN_TAG = pattern(r"\{[{%]([^{}]{1,500})[%}]\}"), pattern(r"[^\W\d]\w*")
_WORK = "looking for variables in Secrets"
#: Steps to evaluate a text, and the characters of it that cost another one (``model.run.work``).
_STEPS_PER_TEXT, _CHARACTERS_PER_STEP = 10, 6


class WrittenTexts(NamedTuple):
    """The confidential texts of files, with their keys, and the names of objects, before substitution."""

    confidential: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()


class UnbuiltFolders:
    """Reads the files of folders that cannot be built, each file once."""

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs
        self._graph = KustomizationGraph(fs)
        self._below: dict[str, frozenset[str]] = {}
        self._known: dict[str, WrittenTexts] = {}
        self._secrets: dict[str, frozenset[str]] = {}

    def secret_values(self, folders: Iterable[str]) -> frozenset[str]:
        """Return the values of the Secrets in the folders, or in their bases."""
        return frozenset[str]().union(*map(self._secrets_in, self._files(folders)))

    def _secrets_in(self, file: str) -> frozenset[str]:
        if file not in self._secrets:
            content = self._read(file)
            self._secrets[file] = _secrets_of(content, file) | self._values_of_templates(content, file)
        return self._secrets[file]

    def _values_of_templates(self, content: bytes, file: str) -> frozenset[str]:
        """Return the values of Templates of ours in a file that their texts put near those of a Secret.

        A word in small letters is not among them.
        """
        documents: Sequence[Json] = ()
        if TEMPLATE.encode() in content:
            with suppress(DiagnosticError):  # the build reports it
                documents = decode_documents(content, file)
        found: set[str] = set()
        for each in documents:
            path = text_at(each, "spec", "template")
            if text_at(each, "apiVersion") == VMRENDER_API_VERSION and path:
                text = self._read(join_path(folder_of(file), path)).decode("utf-8", "replace")
                spend(1 + len(text) // _CHARACTERS_PER_STEP, _WORK)
                secrets = filter(may_hold_objects_as_text, _SEPARATOR.split(text))
                used = {
                    name
                    for part in secrets
                    for tag in _TAG.findall(part)
                    for name in _NAME_IN_TAG.findall(tag)
                }
                values = (_values_under(object_at(each, "spec").get(key), used) for key in _VALUES)
                found.update(text for text in chain.from_iterable(values) if not WORD.fullmatch(text))
        return readings_of_texts(found)

    def exposed(self, folders: Iterable[str], variables: Variables) -> frozenset[str]:
        """Return the values of variables that Secrets in the folders, or in their bases, would have.

        A misplaced one counts if a Secret has a variable with its name, or if it is named after a credential.
        The places of the ones without a value are noted.
        """
        if not variables.values and not variables.misplaced and not variables.config_maps:
            return frozenset()
        found = [self._texts(file) for file in self._files(folders)]
        texts = [text for each in found for text in each.confidential]
        names = [name for each in found for name in each.names]
        made = ConfidentialTexts(
            ((key, _evaluated(text, variables)) for key, text in texts),
            (_evaluated(name, variables) for name in names),
        )
        exposed = exposed_variables(ConfidentialTexts(texts, names), made, variables)
        used_names = {
            name
            for key, text in (texts if variables.misplaced else ())
            if not is_identity(key)
            for expansion in _NAMES_IN_EXPANSION.finditer(text)
            for name in expansion.groups()
        }
        misplaced = (
            each.text
            for each in variables.misplaced
            if not used_names.isdisjoint(each.names) or any(map(names_credential, each.names))
        )
        return exposed.values | readings_of_texts(misplaced)

    def _files(self, folders: Iterable[str]) -> list[str]:
        """Return the files that the folders and their bases list, and the manifests in them."""
        roots = frozenset(folders)
        used = roots.union(*map(self._graph.folders, roots))
        files = self._graph.files_in(used).union(*map(self._manifests_in, used))
        spend(len(files), _WORK)
        return sorted(files)

    def _manifests_in(self, folder: str) -> frozenset[str]:
        if folder not in self._below:
            self._below[folder] = frozenset(self._manifests_below(folder))
        return self._below[folder]

    def _manifests_below(self, folder: str) -> Iterator[str]:
        names: Sequence[str] = ()
        with suppress(DiagnosticError):  # a submodule whose files are not here; the build reports it
            names = self._fs.list(folder) if confined(self._fs.is_folder, folder) else ()
        for name in names:
            path = posixpath.normpath(posixpath.join(folder, name))
            if confined(self._fs.is_folder, path):
                if not name.startswith(".") and self._fs.resolve(path) == path:
                    yield from self._manifests_in(path)
            elif name.endswith(MANIFESTS):
                yield path

    def _texts(self, file: str) -> WrittenTexts:
        if file not in self._known:
            content = self._read(file)
            self._known[file] = _texts_of(content, file) if _VARIABLE in content else WrittenTexts()
        return self._known[file]

    def _read(self, file: str) -> bytes:
        try:
            return self._fs.read(file)
        except DiagnosticError:  # the build reports it
            return b""


def _values_under(value: Json, names: AbstractSet[str]) -> Iterator[str]:
    """Yield the scalars below keys with one of the names, at any depth."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from texts_of(child) if key in names else _values_under(child, names)
    elif isinstance(value, list):
        yield from (text for each in value for text in _values_under(each, names))


def _secrets_of(content: bytes, file: str) -> frozenset[str]:
    """Return the values of the Secrets in a file, or in those of its documents that can be parsed."""
    text = content.decode("utf-8", "replace")
    spend(1 + len(text) // _CHARACTERS_PER_STEP, _WORK)
    if not may_hold_objects_as_text(text):
        return frozenset()
    try:
        documents = decode_documents(content, file)
        return secret_values(documents)
    except DiagnosticError:
        written = _SEPARATOR.split(text)
        if len(written) == 1:
            return frozenset()
        return frozenset().union(*(_secrets_of(each.encode("utf-8", "replace"), file) for each in written))


def _texts_of(content: bytes, file: str) -> WrittenTexts:
    try:
        documents = decode_documents(content, file)
    except DiagnosticError:
        written = _SEPARATOR.split(content.decode("utf-8", "replace"))
        if len(written) == 1:
            return WrittenTexts(tuple(_texts_in_lines(written[0])))
        parts = [_texts_of(each.encode("utf-8", "replace"), file) for each in written]
        return WrittenTexts(*(tuple(chain.from_iterable(each)) for each in zip(*parts, strict=True)))
    texts = (found for each in documents for found in confidential_texts(each))
    names = (name for each in documents for name in _names_of(each))
    return WrittenTexts(
        tuple(found for found in texts if "${" in found[1]), tuple(name for name in names if "${" in name)
    )


def _names_of(document: Json) -> Iterator[str]:
    return (text_at(document, "metadata", key) for key in ("name", "namespace"))


def _texts_in_lines(document: str) -> Iterator[tuple[str, str]]:
    """Yield the lines with variables, and the variables, of a document that cannot be parsed.

    It has to seem confidential, or the key has to name a credential. What says who or where something is may
    be a part of another object.
    """
    is_confidential = seems_confidential(document)
    for line in document.splitlines():
        if "${" in line:
            first, _, value = line.partition(":")
            name = first.strip(" \t-\"'")
            single = ((_key_before(line, found.start()), found[0]) for found in _EXPANSION.finditer(line))
            pairs = ((name, value), (name, line), *single)
            for key, text in pairs:
                if names_credential(key) or (is_confidential and not is_identity(key)):
                    yield key, text


def _key_before(line: str, place: int) -> str:
    keys = _KEY.findall(line[max(0, place - _BEFORE) : place + 1])
    return keys[-1] if keys else ""


def _evaluated(text: str, variables: Variables) -> str:
    spend(_STEPS_PER_TEXT + len(text) // _CHARACTERS_PER_STEP, _WORK)
    try:
        return evaluate(parse(text), variables.values, keeps_unknown=True).text
    except SubstitutionError:  # Flux would refuse it
        return text
