"""The binding of libyaml is imported without the rest of PyYAML, which stays complete for others."""

from __future__ import annotations

import subprocess
import sys

IMPORTED_ALONE = """
import sys
import renderer.yamlio.decode
print(renderer.yamlio.decode.decode_documents(b"a: 1\\n", "a.yaml"))
assert "yaml._yaml" not in sys.modules
print(renderer.yamlio.decode.decode_documents(b"a: &x 1\\n", "a.yaml"))
assert "yaml._yaml" in sys.modules
assert "yaml.parser" not in sys.modules
"""
THEN_BY_OTHERS = """
import yaml
print(yaml.safe_load("a: [1]"), yaml.load("a: b", yaml.CSafeLoader), yaml.__with_libyaml__)
for text, error in (("a: [", yaml.parser.ParserError), ("a: \\x01", yaml.reader.ReaderError)):
    try:
        yaml.load(text, yaml.CSafeLoader)
    except error as raised:
        print(type(raised).__name__, type(raised) is error)
"""
ASKED_FOR_ITS_VERSION = """
import renderer.yamlio.events
import yaml
print(yaml.__version__ == __import__("importlib.metadata").metadata.version("PyYAML"), yaml.safe_load("a: 1"))
"""


def printed(code: str) -> list[str]:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_pyyaml_is_complete_after_its_binding_was_imported_alone() -> None:
    assert printed(IMPORTED_ALONE + THEN_BY_OTHERS) == [
        "({'a': 1},)",
        "({'a': 1},)",
        "{'a': [1]} {'a': 'b'} True",
        "ParserError True",
        "ReaderError True",
    ]


def test_names_with_underscores_import_the_package_too() -> None:
    assert printed(ASKED_FOR_ITS_VERSION) == ["True {'a': 1}"]


def test_pyyaml_imported_earlier_is_reused() -> None:
    assert printed(
        "import yaml\nfrom renderer.yamlio.events import C_PARSER\nprint(C_PARSER is yaml.cyaml.CParser)"
    ) == ["True"]
