"""PyYAML's binding of libyaml, imported without the parser and writer that PyYAML also has in Python.

``import yaml`` takes two and a half times the instructions with which Python itself starts, most of them for
classes and regular expressions that nothing here uses. The binding (``yaml._yaml``) needs four small modules
of PyYAML, and of eight others one class of exceptions each. So the package ``yaml`` is put in place without
being executed. It is executed when somebody asks for a name that it lacks, and then has all that it ever has.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

from renderer.deferred import DeferredModule, defer

#: What the binding has of PyYAML.
_MODULES = "error", "events", "nodes", "tokens"
#: The exceptions that the binding looks up when it is imported, by their modules, and if they have marks.
_EXCEPTIONS = {
    "reader": ("ReaderError", False),
    "scanner": ("ScannerError", True),
    "parser": ("ParserError", True),
    "composer": ("ComposerError", True),
    "constructor": ("ConstructorError", True),
    "emitter": ("EmitterError", False),
    "serializer": ("SerializerError", False),
    "representer": ("RepresenterError", False),
}


def import_parser() -> type[Any] | None:
    """Return the class that yields libyaml's events, ``CParser``; None where PyYAML came without libyaml."""
    try:
        if isinstance(_PACKAGE, DeferredModule):
            return _import_alone(_PACKAGE)
        parser: type[Any] = import_module("yaml.cyaml").CParser
    except ImportError:
        return None
    return parser


def _import_alone(package: ModuleType) -> type[Any]:
    error, *_ = [import_module(f"yaml.{name}") for name in _MODULES]
    for module, (exception, has_mark) in _EXCEPTIONS.items():
        stand_in = type(exception, (error.MarkedYAMLError if has_mark else error.YAMLError,), {})
        setattr(package, module, SimpleNamespace(**{exception: stand_in}))
    try:
        parser: type[Any] = import_module("yaml._yaml").CParser
    finally:
        for module in _EXCEPTIONS:
            delattr(package, module)
    return parser


def _give_real_exceptions(package: ModuleType) -> None:
    """Let the binding raise what others in this process catch, now that the package has been executed."""
    binding = sys.modules.get("yaml._yaml")
    if binding is None:
        return
    for module, (exception, _) in _EXCEPTIONS.items():
        setattr(binding, exception, getattr(getattr(package, module), exception))


#: The package, as long as nobody has executed it: in place before a module of ours imports one of PyYAML.
_PACKAGE = defer("yaml", _give_real_exceptions)
