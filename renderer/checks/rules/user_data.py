"""Mistakes in user data, as cloud-init reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from renderer.checks.rules.guest_files import (
    GuestYaml,
    Problem,
    has_several_documents,
    nearest_key,
    once_for_equal_data,
)
from renderer.kubevirt.guest_data.cloud_config import COMMANDS, ELEMENTS, KEYS, NESTED_KEYS, OTHER_WORDS
from renderer.kubevirt.guest_data.user_data import (
    CLOUD_CONFIG_HEADER,
    CLOUD_INIT_HEADERS,
    Format,
    Part,
    decode_cloud_config,
    parts,
)
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.placeholders import (
    PLACEHOLDER_WORD,
    has_placeholder,
    has_placeholder_word,
    without_placeholders,
)
from renderer.model.suggest import suggest

_JINJA = "{%"
_BYTE_ORDER_MARK = "\ufeff"
_LONGEST_HEADER = 40
_NAMES = tuple(KEYS)
_TOP_LEVEL_KEY = pattern(rf"^(?:{'|'.join(_NAMES)}):", re.MULTILINE)
_INTERPRETER = pattern(r"#![ \t]*([^\s/]\S*)")
_PROGRAM = pattern(r"((?:usr/(?:local/)?)?bin/)?(bash|dash|env|ksh|perl|pwsh|python3?|ruby|sh|zsh)")
#: The beginnings of lines that may be keys of the outermost mapping.
_WRITTEN_KEY = pattern(r"^[\w\"'-]+(?=[ \t]*:)", re.MULTILINE)


@once_for_equal_data
def user_data_problems(content: bytes, name: str) -> Iterator[Problem]:
    """Yield the mistakes in user data that ``name`` contains."""
    for part in parts(content):
        yield from _problems(part, name)


def _problems(part: Part, name: str) -> Iterator[Problem]:
    if part.format is Format.CLOUD_CONFIG:
        if _JINJA not in part.text:
            yield from _cloud_config_problems(part, name)
    elif part.format is Format.UNKNOWN and part.text.strip():
        yield from _header_problems(part, name)
    elif part.format is Format.SCRIPT:
        interpreter = _INTERPRETER.match(part.text.lstrip())
        if interpreter and not has_placeholder(interpreter[0]):
            message = f"the script in {name} names its interpreter without a slash at the beginning"
            program = _PROGRAM.fullmatch(interpreter[1])  # another word may be anything, a password as well
            shown = f"{program[1] or 'bin/'}{program[2]}" if program else "bin/bash"
            yield Problem(message, f"write the path from the root, such as #!/{shown}", part.line)


def _header_problems(part: Part, name: str) -> Iterator[Problem]:
    """Yield the problem of a text without a header that cloud-init knows."""
    text = part.text.lstrip()
    first = text.partition("\n")[0].strip()
    if has_placeholder(first):
        return
    if text.startswith(_BYTE_ORDER_MARK):
        message = f"{name} begins with a byte order mark, so cloud-init ignores the data"
        yield Problem(message, "save it as UTF-8 without a byte order mark", part.line)
        return
    looks_like_cloud_config = _TOP_LEVEL_KEY.search(text) is not None
    hint = f"write {CLOUD_CONFIG_HEADER} as the first line"
    if not looks_like_cloud_config:
        hint += ", or #! and the program of a script"
    if first.startswith("#"):
        near = suggest(first.lower()[:_LONGEST_HEADER], CLOUD_INIT_HEADERS, most=1, cutoff=0.75)
        if near:
            hint = f"write {near[0]} as the first line"
    message = f"{name} does not begin with a line that cloud-init knows, so it ignores the data"
    yield Problem(message, hint, part.line)
    if looks_like_cloud_config:
        yield from _cloud_config_problems(part, name)


def _cloud_config_problems(part: Part, name: str) -> Iterator[Problem]:
    if _is_folded(part.text.lstrip().partition("\n")[0]):
        message = (
            f"{name} has a key on the line of {CLOUD_CONFIG_HEADER}, which cloud-init reads as a comment"
        )
        hint = "begin each key on a line of its own; if the text begins with >, which joins lines, write |"
        yield Problem(message, hint, part.line)
        return
    try:
        content = decode_cloud_config(part.text)
    except DiagnosticError as error:
        if not has_placeholder(part.text):  # which may stand for several lines
            yield _not_yaml(part, name, error)
        return
    if content is None or content == PLACEHOLDER_WORD:
        return
    if has_several_documents(part.text):
        message = f"{name} has several YAML documents, so cloud-init ignores it"
        yield Problem(message, "write one document, without --- between the keys", part.line)
        return
    if not isinstance(content, dict):
        message = f"{name} is not a mapping, so cloud-init ignores it"
        yield Problem(message, f"write the keys of cloud-config below {CLOUD_CONFIG_HEADER}", part.line)
        return
    text = GuestYaml(part.text, part.line)
    yield from _repeated_key_problems(part, name)
    for key, value in content.items():
        meant = None if key in KEYS else OTHER_WORDS.get(key) or nearest_key(key, _NAMES)
        if meant:
            message = f"{name} has a key {key}, which cloud-init does not know"
            yield text.problem((key,), message, f"did you mean {meant}?")
        elif key in KEYS:
            yield from _value_problems(text, name, key, value)


def _is_folded(first: str) -> bool:
    """Return True if the first line has the header and a key, as a folded text (``>``) makes of two lines."""
    key, colon, rest = first.removeprefix(CLOUD_CONFIG_HEADER).partition(":")
    return bool(colon) and key[:1].isspace() and key.strip() in KEYS and not rest[:1].strip()


def _repeated_key_problems(part: Part, name: str) -> Iterator[Problem]:
    """Yield the problems of keys of the outermost mapping that are written twice."""
    keys = _WRITTEN_KEY.findall(part.text)
    if len(set(keys)) == len(keys):
        return
    from renderer.yamlio.problems import repeated_keys  # noqa: PLC0415 - few keys are written twice

    for place in repeated_keys(without_placeholders(part.text).encode("utf-8", "replace"), ""):
        where = place.location
        written = part.text.splitlines()[where.line - 1].partition(":")[0].strip(" \t\"'") if where else ""
        # Any other line with a colon may have a credential.
        key, below = (f"the key {written}", f"{written}:") if written in KEYS else ("a key", "key")
        message = f"{name} has {key} twice, and cloud-init uses only the last one"
        line = part.line + where.line - 1 if where and part.line else part.line
        yield Problem(message, f"write all of it below one {below}", line, where.column if where else 1)


def _not_yaml(part: Part, name: str, error: DiagnosticError) -> Problem:
    cause = error.diagnostics[0]
    line = cause.location.line if cause.location else 0
    column = cause.location.column if cause.location else 0
    return Problem(
        f"{name} is not YAML, so cloud-init ignores it: {cause.message}",
        cause.hint or f"correct the YAML below {CLOUD_CONFIG_HEADER}",
        part.line + line - 1 if part.line and line else 0,
        column or 1,
    )


def _value_problems(text: GuestYaml, name: str, key: str, value: Json) -> Iterator[Problem]:
    """Yield the problems of the value of a key that cloud-init knows."""
    if has_placeholder_word(value):
        return
    form = KEYS[key]
    if not form.accepts(value):
        yield text.problem(
            (key,), f"{key} in {name} must be {form.name}, so cloud-init fails on it", f"write {form.name}"
        )
        return
    elements = value if isinstance(value, list) else ()
    for index, element in enumerate(elements):
        if has_placeholder_word(element):
            continue
        if key in COMMANDS:
            yield from _command_problems(text, name, (key, index), element)
        wanted = ELEMENTS.get(key)
        if wanted and not wanted.accepts(element):
            message = f"an element of {key} in {name} must be {wanted.name}, so cloud-init does not use it"
            yield text.problem((key, index), message, f"write {wanted.name}")
        elif key == "write_files" and isinstance(element, dict) and not element.get("path"):
            message = f"a file of write_files in {name} has no path, so cloud-init does not write it"
            yield text.problem((key, index), message, "write path: and the path of the file in the guest")
    yield from _nested_key_problems(text, name, key, value)


def _command_problems(
    text: GuestYaml, name: str, path: tuple[Segment, ...], element: Json
) -> Iterator[Problem]:
    if element is None or isinstance(element, str | list):
        return
    kind = "a mapping, as it has a colon and a space" if isinstance(element, dict) else "not a text"
    message = f"a command of {path[0]} in {name} is {kind}, so cloud-init runs none of the commands"
    yield text.problem(path, message, "put the whole command in quotes")


def _nested_key_problems(text: GuestYaml, name: str, key: str, value: Json) -> Iterator[Problem]:
    known = NESTED_KEYS.get(key)
    if known is None:
        return
    mappings: list[tuple[tuple[Segment, ...], Mapping[str, Json]]] = []
    if isinstance(value, list):
        mappings = [((key, index), each) for index, each in enumerate(value) if isinstance(each, dict)]
    elif isinstance(value, dict) and key != "users":
        mappings = [((key,), value)]
    for path, mapping in mappings:
        for written in mapping:
            meant = nearest_key(written, known)
            if meant:
                message = f"{key} in {name} has a key {written}, which cloud-init does not know"
                yield text.problem((*path, written), message, f"did you mean {meant}?")
