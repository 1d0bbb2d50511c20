"""PyYAML's binding of libyaml, imported without PyYAML's own parser and writer in Python.

``import yaml`` takes two and a half times the instructions with which Python itself starts, most of them for
classes and regular expressions that are not used here. The binding (``yaml._yaml``) needs four small modules
of PyYAML, and one exception class from each of eight others. Therefore the package ``yaml`` is registered
without being executed. It is executed when somebody uses a name that it lacks, and is then complete.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType, SimpleNamespace
from typing import Any

#: The parts of PyYAML that the binding uses.
_MODULES = "error", "events", "nodes", "tokens"
#: The exceptions that the binding looks up when it is imported, by their modules; True if they have marks.
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


class _UnexecutedPackage(ModuleType):
    """The package ``yaml`` before its ``__init__.py`` was executed: submodules can be imported from it."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any name of PyYAML
        loader = self.__spec__.loader if self.__spec__ else None
        assert loader is not None  # noqa: S101 - what was found has one
        self.__class__ = ModuleType  # type: ignore[assignment] # from now on like any other
        loader.exec_module(self)
        binding = sys.modules.get("yaml._yaml")
        if binding is not None:  # from now on it raises what others in this process catch
            for module, (exception, _) in _EXCEPTIONS.items():
                setattr(binding, exception, getattr(getattr(self, module), exception))
        return getattr(self, name)


def _register_package() -> None:
    """Register the package ``yaml`` without executing it, unless it was imported before."""
    if "yaml" in sys.modules:
        return
    spec = find_spec("yaml")
    if spec is not None:
        package = module_from_spec(spec)
        package.__class__ = _UnexecutedPackage
        sys.modules["yaml"] = package


def import_parser() -> type[Any] | None:
    """Return the class that yields libyaml's events, ``CParser``; None if PyYAML came without libyaml."""
    package = sys.modules.get("yaml")
    try:
        if isinstance(package, _UnexecutedPackage):
            return _import_alone(package)
        parser: type[Any] = import_module("yaml.cyaml").CParser
    except ImportError:
        return None
    return parser


def _import_alone(package: ModuleType) -> type[Any]:
    error, *_ = [import_module(f"yaml.{name}") for name in _MODULES]
    for module, (exception, has_mark) in _EXCEPTIONS.items():
        placeholder = type(exception, (error.MarkedYAMLError if has_mark else error.YAMLError,), {})
        setattr(package, module, SimpleNamespace(**{exception: placeholder}))
    try:
        parser: type[Any] = import_module("yaml._yaml").CParser
    finally:
        for module in _EXCEPTIONS:
            delattr(package, module)
    return parser


_register_package()
