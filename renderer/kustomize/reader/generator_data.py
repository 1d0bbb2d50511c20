"""The data of a generator, from its literals, files and env files (kustomize ``api/kv/kv.go``)."""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Callable, Iterator
from typing import TypeAlias

from renderer.kubevirt.facts.confidential.fields import ANSWER_FILES
from renderer.kubevirt.facts.confidential.meant_keys import meant_key
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Site
from renderer.model.kustomization import DataGenerator, GeneratorArgs, KeyValue
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.taint import taint
from renderer.model.run.work import spend
from renderer.model.source_tree import ListedFile

#: Returns a file that is listed at a site, and its content. Raises ``DiagnosticError``.
Load: TypeAlias = Callable[[str, Site], ListedFile]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: The characters that Go considers spaces.
_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
#: Steps to read a pair, and the bytes that are read in one step (``model.run.work``).
_STEPS_PER_PAIR, _BYTES_PER_STEP = 6, 64
#: The name of a variable of the environment, and the last line of base64, which is written in blocks.
_VARIABLE = pattern(rb"_*(?:[A-Z]+\d*(?:_[A-Z\d]*)*|[a-z]+\d*(?:_[a-z\d]*)*)")
_BASE64, _CHARACTERS_OF_BLOCK = pattern(rb"(?=.*\d)[A-Za-z0-9+/]{14,}={1,2}"), 4
_QUOTES = ("'", '"')


def read_data(args: GeneratorArgs, load: Load, *, is_secret: bool) -> DataGenerator:
    """Return the generator with its data: from the env files, then the literals, then the files.

    Raises: kustomization-field, build-limit, and the errors of ``load``. No diagnostic shows a value.
    """
    pairs = itertools.chain(
        _env_pairs(args, load, is_secret=is_secret), _literal_pairs(args), _file_pairs(args, load)
    )
    data = tuple(_limit_size(pairs))
    # No output may repeat confidential values, even if the files have other uses.
    hidden = (pair for pair in data if is_secret or meant_key(pair.key) in ANSWER_FILES)
    taint(pair.value.decode("utf-8", "replace") for pair in hidden)
    return DataGenerator(args, data)


def _limit_size(pairs: Iterator[KeyValue]) -> Iterator[KeyValue]:
    """Yield the pairs, with a limit on their size, as a file may be listed often. Raises: build-limit."""
    size, most = 0, limits().added_size
    for pair in pairs:
        size += len(pair.value)
        spend(_STEPS_PER_PAIR + len(pair.value) // _BYTES_PER_STEP, "reading data of generators")
        if size > most:
            raise over_limit("added_size", f"the generated data has more than {most} bytes", pair.site)
        yield pair


def _env_pairs(args: GeneratorArgs, load: Load, *, is_secret: bool) -> Iterator[KeyValue]:
    for index, path in enumerate(args.envs):
        site = args.site.below("envs", index)
        file = load(path, site)
        lines = file.content.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
        for number, line in enumerate(lines, start=1):
            pair = _env_pair(line.removesuffix(b"\r"), f"{path}:{number}", site)
            if pair.key:
                if is_secret and _is_rest_of_value(line.strip()):
                    taint([pair.key])
                yield pair._replace(file=file.path, line=number)


def _env_pair(line: bytes, place: str, site: Site) -> KeyValue:
    """Return the pair in a line; an empty key for a line without a pair. The value of a lone key is empty."""
    try:
        text = line.decode().lstrip(_SPACES)
    except UnicodeDecodeError:
        raise Diagnostic.at(
            site, Code.KUSTOMIZATION_FIELD, f"the line {place} is not UTF-8 text", "save the file as UTF-8"
        ).error() from None
    key, _, value = ("", "", "") if text.startswith("#") else text.partition("=")
    return KeyValue(key, value.encode(), site)


def _is_rest_of_value(line: bytes) -> bool:
    """Return True if a line of an env file is probably a further line of a value of several lines.

    A name alone is a variable of the environment. Base64 has signs at its end that separate a value.
    """
    if b"=" not in line:
        return _VARIABLE.fullmatch(line) is None
    return _BASE64.fullmatch(line) is not None and len(line) % _CHARACTERS_OF_BLOCK == 0


def _literal_pairs(args: GeneratorArgs) -> Iterator[KeyValue]:
    for index, literal in enumerate(args.literals):
        site = args.site.below("literals", index)
        key, equals, value = literal.partition("=")
        if not key or not equals:
            raise Diagnostic.at(
                site,
                Code.KUSTOMIZATION_FIELD,
                "a literal must be key=value",
                "write a key and an equals sign before the value",
            ).error()
        is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES
        yield KeyValue(key, (value[1:-1] if is_quoted else value).encode(), site)


def _file_pairs(args: GeneratorArgs, load: Load) -> Iterator[KeyValue]:
    for index, source in enumerate(args.files):
        site = args.site.below("files", index)
        key, path = _file_source(source, site)
        file = load(path, site)
        yield KeyValue(key, file.content, site, file.path)


def _file_source(source: str, site: Site) -> tuple[str, str]:
    """Return key and path of ``[key=]path``; the key defaults to the name of the file."""
    key, equals, path = source.partition("=")
    if not equals:
        return posixpath.basename(source.rstrip("/")) or "/", source
    if not key or not path or "=" in path:
        raise Diagnostic.at(
            site,
            Code.KUSTOMIZATION_FIELD,
            f"{source} is not [key=]path",
            "key and path must not be empty or contain =",
        ).error()
    return key, path
