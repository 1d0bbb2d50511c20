"""Modules of others that are imported in part, or late, are what they always are to everybody else."""

from __future__ import annotations

import re
import subprocess
import sys

from renderer.model.pattern import pattern

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
DEFERRED = """
import sys
from renderer.deferred import defer
assert defer("colorsys") is sys.modules["colorsys"]
assert defer("there_is_such_a_module")
import colorsys
assert "rgb_to_hsv" not in vars(colorsys)
print(colorsys.rgb_to_hsv(0, 0, 0), type(colorsys).__name__)
assert defer("colorsys") is None
try:
    colorsys.nothing
except AttributeError as error:
    print(error)
import there_is_such_a_module as module
try:
    module.name
except ModuleNotFoundError as error:
    print(error)
"""

PACKAGE = """
from renderer.deferred import defer
package = defer("html")
import html.entities
print(type(package).__name__, "escape" in vars(package), package.entities is html.entities)
print(html.escape("<"), type(package).__name__)
"""
ADDRESS_OF_A_FILE = """
import sys
import renderer.cli
import pathlib
assert "urllib.parse" not in sys.modules
print(pathlib.Path("/a b").as_uri(), pathlib.PureWindowsPath("c:\\\\x", "y").as_posix())
import urllib.parse
print(urllib.parse.quote("a b"))
"""
STAND_INS = """
import sys
from renderer.deferred import stand_ins
import keyword
with stand_ins(colorsys={"hls_to_rgb": str}, keyword={"iskeyword": str}):
    from colorsys import hls_to_rgb
    from keyword import iskeyword
print(hls_to_rgb, iskeyword("for"), "colorsys" in sys.modules)
import colorsys
print(colorsys.rgb_to_hsv(0, 0, 0))
with stand_ins(tabnanny={"check": str}):
    from tabnanny import check, process_tokens
    import tabnanny
print(check, process_tokens is tabnanny.process_tokens, hasattr(tabnanny, "__file__"))
"""


def printed(code: str) -> list[str]:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_pyyaml_is_whole_for_others_though_we_import_its_binding_alone() -> None:
    assert printed(IMPORTED_ALONE + THEN_BY_OTHERS) == [
        "({'a': 1},)",
        "({'a': 1},)",
        "{'a': [1]} {'a': 'b'} True",
        "ParserError True",
        "ReaderError True",
    ]


def test_pyyaml_that_others_imported_first_is_used_as_it_is() -> None:
    assert printed(
        "import yaml\nfrom renderer.yamlio.events import C_PARSER\nprint(C_PARSER is yaml.cyaml.CParser)"
    ) == ["True"]


def test_a_deferred_module_is_executed_when_it_is_used() -> None:
    assert printed(DEFERRED) == [
        "(0.0, 0.0, 0) module",
        "module 'colorsys' has no attribute 'nothing'",
        "No module named 'there_is_such_a_module'",
    ]


def test_modules_of_a_deferred_package_are_found_before_it_is_executed() -> None:
    assert printed(PACKAGE) == ["DeferredModule False True", "&lt; module"]


def test_what_pathlib_needs_for_few_paths_is_there_for_them() -> None:
    assert printed(ADDRESS_OF_A_FILE) == ["file:///a%20b c:/x/y", "a%20b"]


def test_stand_ins_give_names_of_modules_that_are_not_imported_and_import_them_for_other_names() -> None:
    assert printed(STAND_INS) == ["<class 'str'> True False", "(0.0, 0.0, 0)", "<class 'str'> True True"]


def test_a_pattern_is_the_regular_expression_of_its_text() -> None:
    late = pattern("a+(b)")
    assert [found[1] for found in late.finditer("aab ab")] == ["b", "b"]
    assert late.sub("c", "aab") == "c"
    assert late.pattern == "a+(b)"
    assert pattern(b"A", re.IGNORECASE).fullmatch(b"a")


def test_a_function_of_a_module_is_imported_when_it_is_called() -> None:
    code = """
import sys
from renderer.deferred import FunctionsOf
names = FunctionsOf("renderer.model.suggest")
asked = names.suggest
print(asked.__name__, "renderer.model.suggest" in sys.modules, names.suggest is asked)
print(asked("lables", ["labels"]), asked.imported() is sys.modules["renderer.model.suggest"].suggest)
"""
    first, second = printed(code)

    assert first == "suggest False True"
    assert second.endswith(" True")
