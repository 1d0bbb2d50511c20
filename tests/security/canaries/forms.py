"""The forms in which a confidential value is written: each makes a text of a word, which is to be hidden."""

from __future__ import annotations

import json
from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import TypeAlias
from zlib import crc32

Form: TypeAlias = Callable[[str], str]

#: The canaries: before and after a change.
WORDS = ("canary-is-a-bird", "canary-can-fly-far")
#: The part that both have.
STEM = "canary"
#: Digits of a number that stands for a word.
NUMBERS = {word: 48151623 + index * 1000 for index, word in enumerate(WORDS)}


def number_of(word: str) -> int:
    return NUMBERS.get(word, crc32(word.encode()))


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


#: Texts that a program or a person may put into any field.
TEXTS: Mapping[str, Form] = {
    "plain": lambda word: word,
    "long, with spaces": lambda word: f"{word} " + "many words " * 12 + word,
    "long, without spaces": lambda word: word + "x" * 90,
    "two lines": lambda word: f"one line\n{word}\n",
    "many lines": lambda word: "".join(f"line {number}: {word}\n" for number in range(12)),
    "quotes": lambda word: f"\"{word}\" and '{word}'",
    "in double quotes": lambda word: f'"{word}"',
    "in single quotes": lambda word: f"'{word}'",
    "backslashes": lambda word: f"C:\\{word}\\n\\u0041",
    "tab and control characters": lambda word: f"\t{word}\x07\x85 \u2028{word}",
    "not ASCII": lambda word: f"pässwörd-{word}-\U0001f426",
    "blanks around": lambda word: f"  {word}  ",
    "comment": lambda word: f"{word} # of paradise",
    "mapping": lambda word: f"{{user: app, password: {word}}}",
    "mapping with a key": lambda word: f"{{{word}: app}}",
    "list": lambda word: f"[app, {word}]",
    "tag": lambda word: f"!!str {word}",
    "binary": lambda word: f"!!binary {_base64(word)}",
    "anchor and alias": lambda word: f"[&a {word}, *a]",
    "JSON": lambda word: json.dumps({"auth": {"token": word, "lines": f"a\n{word}"}}),
    "JSON with line breaks": lambda word: json.dumps({"user": "app", "password": word}, indent=2),
    "YAML": lambda word: f"db:\n  user: app\n  password: {word} # of paradise\n",
    "XML": lambda word: f"<a><Password><Value>{word}</Value></Password>&amp;</a>",
    "pairs": lambda word: f"DB_HOST=db\nDB_PASSWORD={word}\n",
    "URL": lambda word: f"postgres://app:{word}@db.example.org:5432/orders?sslmode=require",
    "connection string": lambda word: (
        "Server=tcp:sql.example.org,1433; Database=orders; User ID=app; "
        f"Password={word}; Encrypt=True; TrustServerCertificate=False"
    ),
    "user and password": lambda word: f"app:{word}",
    "header": lambda word: f"Authorization: Bearer {word}",
    "cloud-init": lambda word: (
        f"#cloud-config\nchpasswd:\n  list: |\n    root:{word}\nusers:\n- {{name: app, passwd: {word}}}\n"
    ),
    "base64": _base64,
    "base64 on lines": lambda word: encodebytes((word + "x" * 90).encode()).decode(),
    "base64 for URLs": lambda word: urlsafe_b64encode(f"{word}??>>".encode()).decode(),
    "JSON with base64": lambda word: json.dumps({"auths": {"r": {"auth": _base64(f"app:{word}")}}}),
    "workflow command": lambda word: f"::error::{word}\n##vso[{word}]",
    "Markdown and HTML": lambda word: f"|`{word}`|<b>{word}</b>&lt;",
}


def _parts(word: str) -> list[str]:
    """Return ``CanaryIs``, ``CanaryA`` and so on: of what programs take apart, each part is known."""
    return [f"{STEM.title()}{part.title()}" for part in word.split("-")[1:]]


#: Texts of which programs make others: in small letters, cut at a sign, shortened, without a scheme.
TAKEN_APART: Mapping[str, Form] = {
    "mixed case": lambda word: word.title().replace("-", ""),
    "mixed case, with dots": lambda word: ".".join(_parts(word)),
    "mixed case, with slashes": lambda word: "/".join(_parts(word)),
    "mixed case, with colons": lambda word: ":".join(_parts(word)),
    "small letters, longer than a name": lambda word: "-".join([word] * 15),
    "relative path": lambda word: f"../x/../{'/'.join(_parts(word))}/",
    "address of an image": lambda word: "docker://{}/{}:{}".format(*_parts(word)),
    "address of a file": lambda word: "https://{}.example.org/{}/{}.img".format(*_parts(word)),
}
#: Numbers with a unit that is wrong in most places, for which a hint may have the right one.
UNITS: Mapping[str, Form] = {
    "gigabytes in small letters": lambda word: f"{number_of(word)}g",
    "megabytes": lambda word: f"{number_of(word)}MB",
    "seconds": lambda word: f"{number_of(word)}s",
}
#: Numbers, which YAML writes in another way than they were written.
SPELLINGS: Mapping[str, Form] = {
    "number": lambda word: str(number_of(word)),
    "number with underscores": lambda word: f"{number_of(word):_}",
    "hexadecimal": lambda word: hex(number_of(word)),
    "octal": lambda word: f"0{number_of(word):o}",
    "octal of YAML 1.2": lambda word: f"0o{number_of(word):o}",
    "leading zeros": lambda word: f"00{number_of(word)}",
    "float": lambda word: f"{number_of(word)}.0",
    "exponent": lambda word: f"{number_of(word) / 1e7}e7",
    "signed": lambda word: f"+{number_of(word)}",
}
FORMS: Mapping[str, Form] = {**TEXTS, **TAKEN_APART, **UNITS, **SPELLINGS}
