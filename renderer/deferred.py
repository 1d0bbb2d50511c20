"""Modules of others that are executed when something of them is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class DeferredModule(ModuleType):
    """A module that stands in ``sys.modules``, and is executed when it is asked for a name that it lacks.

    ``importlib.util.LazyLoader`` executes a module as soon as it is imported for the second time.
    """

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any name
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__class__ = ModuleType  # type: ignore[assignment] # a module like any other from now on
        spec.loader.exec_module(self)
        self.__dict__.pop("_then")(self)
        return getattr(self, name)


def _nothing(_module: ModuleType) -> None:
    pass


def defer(name: str, then: Callable[[ModuleType], object] = _nothing) -> ModuleType | None:
    """Return the module ``name``, executed on its first use and then given to ``then``.

    Return None where it is imported already, or missing.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        return None
    module = module_from_spec(spec)
    module.__class__ = DeferredModule
    module.__dict__["_then"] = then
    sys.modules[name] = module
    return module
