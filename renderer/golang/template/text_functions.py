"""sprig's functions for text (``strings.go``, ``regex.go``, ``url.go``), and Argo CD's ``normalize``.

``snakecase``, ``kebabcase`` and ``camelcase`` follow huandu/xstrings ``convert.go``: a number belongs to the
word before it, unless lower case letters follow it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from renderer.golang.regexp import INSTRUCTIONS_PER_STEP, RegexpError, compile_regexp
from renderer.golang.template.cost import charge, charge_text
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.strconv import quote, well_formed
from renderer.golang.template.values import format_value, is_nil

_MAX_NAME_LENGTH = 253
_GO_SPACES = " \t\n\v\f\r\x85\xa0"

_WORD = re.compile(
    r"(?P<connector>[-_\s]+)"
    r"|(?P<upper>[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z][a-z]+)"
    r"|(?P<lower>[a-z]+)"
    r"|(?P<number>[0-9]+)"
    r"|(?P<punctuation>[!\"#%&'()*,./:;?@\[\\\]{}]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_CONNECTORS = "-_ \t\n\v\f\r"
_STEPS_PER_WORD = 2
_END = ("", "")
_NO_CONNECTOR_BEFORE = ("connector", "punctuation", "")


def sanitized_name(name: str) -> str:
    """Return ``name`` as a DNS name (argo-cd ``applicationset/utils/template_functions.go`` SanitizeName)."""
    return re.sub(r"[^-a-z0-9.]", "-", name.lower())[:_MAX_NAME_LENGTH].strip("-.")


def joined_lower(text: str, connector: str) -> str:
    """Return the words of ``text`` in lower case, with ``connector`` between them."""
    charge(_STEPS_PER_WORD * len(text))
    return "".join(_word_parts(_words(text), connector))


def pascal_case(text: str) -> str:
    """Return the words between connectors, each capitalized; connectors at the beginning are kept."""
    bare = text.lstrip(_CONNECTORS)
    lead = text[: len(text) - len(bare)]
    words = re.split(r"[-_\s]", bare)
    result, connectors = lead, 0
    for word in words:
        if word:
            result += "_" * max(connectors - 1, 0) + word[0].upper() + word[1:]
            connectors = 0
        connectors += 1
    return result + "_" * max(connectors - 1, 0)


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield each word with its kind, then ``_END`` twice."""
    for match in _WORD.finditer(text):
        yield match.lastgroup or "", match[0]
    yield _END
    yield _END


def _word_parts(words: Iterator[tuple[str, str]], connector: str) -> Iterator[str]:
    word = next(words)
    while word != _END:
        kind, text = word
        yield _lower(kind, text, connector)
        word = next(words)
        if kind in ("connector", "punctuation"):
            continue
        if kind == "number":
            word = yield from _words_of_number(word, words, connector)
        elif word[0] == "number":
            number, word = word, next(words)
            if word[0] == "lower":
                yield connector
                yield number[1]
                word = yield from _words_of_number(word, words, connector)
            else:
                yield number[1]
        if word[0] not in _NO_CONNECTOR_BEFORE:
            yield connector


def _words_of_number(
    word: tuple[str, str], words: Iterator[tuple[str, str]], connector: str
) -> Generator[str, None, tuple[str, str]]:
    """Yield the lower case words and numbers that belong to a number; return the word after them."""
    while word[0] in ("lower", "number"):
        yield _lower(*word, connector)
        word = next(words)
    return word


def _lower(kind: str, text: str, connector: str) -> str:
    if kind == "connector":
        return connector * len(text)
    return text.lower() if kind == "upper" else text


def text_of(value: object) -> str:
    """Return the value as text, as sprig's ``strval`` does."""
    return value if isinstance(value, str) else format_value(value, nested=True)


def texts_of(value: object) -> list[str]:
    """Return the elements that are not nil as texts, as sprig's ``strslice`` does."""
    if isinstance(value, list | range):
        charge(len(value))
        return [text_of(each) for each in value if not is_nil(each)]
    return [] if is_nil(value) else [text_of(value)]


def sorted_texts(value: object) -> list[str]:
    """Return the elements as texts, sorted."""
    texts = texts_of(value)
    comparisons = len(texts).bit_length()
    for text in texts:
        charge_text(comparisons * len(text))
    return sorted(texts)


def _join(separator: str, value: object) -> str:
    return _joined(separator, texts_of(value))


def _joined(separator: str, texts: list[str]) -> str:
    charge_text(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")


def _trunc(length: int, text: str) -> str:
    content = _encoded(text)
    if length < 0 and len(content) + length <= 0:
        return text
    return (content[length:] if length < 0 else content[:length]).decode(errors="replace")


def _substring(start: int, end: int, text: str) -> str:
    content = _encoded(text)
    first = max(start, 0)
    last = len(content) if start >= 0 and (end < 0 or end > len(content)) else end
    if not first <= last <= len(content):
        raise GoTemplateError(f"slice bounds out of range [{first}:{last}]")
    return content[first:last].decode(errors="replace")


def _repeat(count: int, text: str) -> str:
    if count < 0:
        raise GoTemplateError("strings: negative Repeat count")
    charge_text(count * len(text))
    return text * count


def _indent(spaces: int, text: str) -> str:
    lines = text.count("\n") + 1
    if spaces < 0:
        raise GoTemplateError("strings: negative Repeat count")
    charge_text(spaces * lines + len(text))
    pad = " " * spaces
    return pad + text.replace("\n", f"\n{pad}")


def _replace(old: str, new: str, text: str) -> str:
    charge_text(text.count(old) * len(new) + len(text))
    return text.replace(old, new)


def _trim(characters: str, text: str) -> str:
    """Return the text without these characters at its ends (``strip`` would search all of them each time)."""
    trimmed = frozenset(characters)
    start, end = 0, len(text)
    while start < end and text[start] in trimmed:
        start += 1
    while end > start and text[end - 1] in trimmed:
        end -= 1
    charge(len(characters) + start + len(text) - end)
    return text[start:end]


def _title(text: str) -> str:
    """Capitalize the first letter of each word; all others stay unchanged (``strings.Title``)."""
    charge(len(text))
    return re.sub(r"(?<!\w)\w", lambda match: match[0].upper(), text)


def _untitle(text: str) -> str:
    charge(len(text))
    return re.sub(r"(?<!\S)\S", lambda match: match[0].lower(), text)


def _split(separator: str, text: str, most: int = -1) -> dict[str, object]:
    return {f"_{index}": part for index, part in enumerate(_parts(separator, text, most))}


def _parts(separator: str, text: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    if not separator:
        charge(len(text))
        return list(text) if most < 0 else [*text[: most - 1], *filter(None, [text[most - 1 :]])]
    charge(text.count(separator))
    return text.split(separator, most - 1) if most > 0 else text.split(separator)


def _abbreviate(width: int, text: str) -> str:
    return text if width < 4 or len(text) <= width else text[: width - 3] + "..."  # noqa: PLR2004 - as sprig


def _each_joined(write: Callable[[object], str]) -> Callable[..., str]:
    return lambda *values: _joined(" ", [write(value) for value in values if not is_nil(value)])


def _quoted(value: object) -> str:
    text = text_of(value)
    charge(len(text))
    return quote(text)


def _matches(pattern: str, text: str, *, captures: bool = False) -> Iterator[re.Match[str]]:
    """Yield the matches, with groups if ``captures``. Each search in the remaining text is charged."""
    text = well_formed(text)
    try:
        expression = compile_regexp(pattern, captures=captures)
        matches = expression.finditer(text)
        end = 0
        while True:
            charge(1 + (len(text) - end + 1) * expression.instructions // INSTRUCTIONS_PER_STEP)
            match = next(matches, None)
            if match is None:
                return
            yield match
            end = match.end()
    except RegexpError as error:
        raise GoTemplateError(f"error parsing regexp: {error}") from None


def _expand_groups(match: re.Match[str], replacement: str) -> str:
    """Expand ``$1``, ``${1}``, ``$name`` and ``${name}``; ``$$`` is ``$`` (``regexp.Expand``)."""
    charge(len(match.groups()) + len(replacement))
    groups = {str(index): value or "" for index, value in enumerate((match[0], *match.groups()))}
    groups |= {name: value or "" for name, value in match.groupdict().items()}

    def group(reference: re.Match[str]) -> str:
        text = "$" if reference[0] == "$$" else groups.get(reference[1] or reference[2], "")
        charge_text(len(text))
        return text

    return re.sub(r"\$\$|\$(?:\{(\w+)\}|(\w+))", group, replacement)


def _replace_matches(
    matches: Iterable[re.Match[str]], text: str, change: Callable[[re.Match[str]], str]
) -> str:
    parts, end = list[str](), 0
    for match in matches:
        parts += [text[end : match.start()], change(match)]
        charge_text(len(parts[-1]))
        end = match.end()
    return _joined("", [*parts, text[end:]])


def _regex_replace(pattern: str, text: str, replacement: str) -> str:
    matches = _matches(pattern, text, captures="$" in replacement)
    return _replace_matches(matches, text, lambda match: _expand_groups(match, replacement))


def _regex_replace_literal(pattern: str, text: str, replacement: str) -> str:
    return _replace_matches(_matches(pattern, text), text, lambda _match: replacement)


def _regex_find(pattern: str, text: str) -> str:
    return next((match[0] for match in _matches(pattern, text)), "")


def _regex_find_all(pattern: str, text: str, most: int) -> list[str]:
    matches = [match[0] for match in _matches(pattern, text)]
    return matches if most < 0 else matches[:most]


def _regex_split(pattern: str, text: str, most: int) -> list[str]:
    if most == 0:
        return []
    parts, end = list[str](), 0
    for match in _matches(pattern, text):
        if most > 0 and len(parts) == most - 1:
            break
        if match.end() == 0:
            continue
        parts.append(text[end : match.start()])
        end = match.end()
    return [*parts, text[end:]]


def _url_parts(text: str) -> dict[str, object]:
    try:
        parts = urlsplit(text)
        hostname = parts.hostname or ""
    except ValueError as error:
        raise GoTemplateError(f"unable to parse url: {error}") from None
    user, _, host = parts.netloc.rpartition("@")
    return {
        "scheme": parts.scheme,
        "host": host,
        "hostname": hostname,
        "path": parts.path,
        "query": parts.query,
        "opaque": "",
        "fragment": parts.fragment,
        "userinfo": user,
    }


def _clean(path: str) -> str:
    cleaned = posixpath.normpath(path)
    return cleaned[1:] if cleaned.startswith("//") else cleaned


def _base(path: str) -> str:
    return (posixpath.basename(path.rstrip("/")) or "/") if path else "."


def _dir(path: str) -> str:
    return _clean(path[: path.rfind("/") + 1] or ".")


def _ext(path: str) -> str:
    name = path[path.rfind("/") + 1 :]
    return name[name.rfind(".") :] if "." in name else ""


TEXT_FUNCTIONS: Mapping[str, GoFunction] = {
    "hello": GoFunction(lambda: "Hello!"),
    "abbrev": GoFunction(_abbreviate, "is"),
    "trunc": GoFunction(_trunc, "is"),
    "trim": GoFunction(lambda text: text.strip(_GO_SPACES), "s"),
    "upper": GoFunction(str.upper, "s"),
    "lower": GoFunction(str.lower, "s"),
    "title": GoFunction(_title, "s"),
    "untitle": GoFunction(_untitle, "s"),
    "swapcase": GoFunction(str.swapcase, "s"),
    "substr": GoFunction(_substring, "iis"),
    "repeat": GoFunction(_repeat, "is"),
    "trimall": GoFunction(_trim, "ss"),
    "trimAll": GoFunction(_trim, "ss"),
    "trimSuffix": GoFunction(lambda suffix, text: text.removesuffix(suffix), "ss"),
    "trimPrefix": GoFunction(lambda prefix, text: text.removeprefix(prefix), "ss"),
    "nospace": GoFunction(lambda text: "".join(text.split()), "s"),
    "initials": GoFunction(lambda text: "".join(word[0] for word in text.split()), "s"),
    "snakecase": GoFunction(lambda text: joined_lower(text, "_"), "s"),
    "kebabcase": GoFunction(lambda text: joined_lower(text, "-"), "s"),
    "camelcase": GoFunction(pascal_case, "s"),
    "contains": GoFunction(lambda part, text: part in text, "ss"),
    "hasPrefix": GoFunction(lambda prefix, text: text.startswith(prefix), "ss"),
    "hasSuffix": GoFunction(lambda suffix, text: text.endswith(suffix), "ss"),
    "quote": GoFunction(_each_joined(_quoted), "", "a"),
    "squote": GoFunction(_each_joined(lambda value: f"'{format_value(value, nested=True)}'"), "", "a"),
    "cat": GoFunction(_each_joined(lambda value: format_value(value, nested=True)), "", "a"),
    "indent": GoFunction(_indent, "is"),
    "nindent": GoFunction(lambda spaces, text: "\n" + _indent(spaces, text), "is"),
    "replace": GoFunction(_replace, "sss"),
    "plural": GoFunction(lambda one, many, count: one if count == 1 else many, "ssi"),
    "toString": GoFunction(text_of, "a"),
    "split": GoFunction(_split, "ss"),
    "splitn": GoFunction(lambda separator, most, text: _split(separator, text, most), "sis"),
    "splitList": GoFunction(_parts, "ss"),
    "toStrings": GoFunction(texts_of, "a"),
    "join": GoFunction(_join, "sa"),
    "normalize": GoFunction(sanitized_name, "s"),
    "base": GoFunction(_base, "s"),
    "dir": GoFunction(_dir, "s"),
    "clean": GoFunction(_clean, "s"),
    "ext": GoFunction(_ext, "s"),
    "isAbs": GoFunction(lambda path: path.startswith("/"), "s"),
    "osBase": GoFunction(_base, "s"),
    "osDir": GoFunction(_dir, "s"),
    "osClean": GoFunction(_clean, "s"),
    "osExt": GoFunction(_ext, "s"),
    "osIsAbs": GoFunction(lambda path: path.startswith("/"), "s"),
    "urlParse": GoFunction(_url_parts, "s"),
    **{
        name: function
        for bare, function in {
            "regexMatch": GoFunction(lambda pattern, text: any(True for _ in _matches(pattern, text)), "ss"),
            "regexFind": GoFunction(_regex_find, "ss"),
            "regexFindAll": GoFunction(_regex_find_all, "ssi"),
            "regexReplaceAll": GoFunction(_regex_replace, "sss"),
            "regexReplaceAllLiteral": GoFunction(_regex_replace_literal, "sss"),
            "regexSplit": GoFunction(_regex_split, "ssi"),
        }.items()
        for name in (bare, f"mustR{bare[1:]}")
    },
    "regexQuoteMeta": GoFunction(lambda text: re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text), "s"),
}
