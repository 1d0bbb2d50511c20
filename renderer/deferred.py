"""Modules that are executed when something of them is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
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


def defer(
    name: str, then: Callable[[ModuleType], object] = _nothing, functions: Collection[str] = ()
) -> ModuleType | None:
    """Return the module ``name``, executed on its first use and then given to ``then``.

    ``functions`` of it may be imported by name before that. Return None where the module is imported already,
    or missing.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        return None
    module = module_from_spec(spec)
    module.__class__ = DeferredModule
    module.__dict__["_then"] = then
    for function in functions:
        module.__dict__[function] = _deferred_function(module, function)
    sys.modules[name] = module
    package, _, own_name = name.rpartition(".")
    if package:
        setattr(sys.modules[package], own_name, module)
    return module


def _deferred_function(module: ModuleType, name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - of any function
        if vars(module).get(name) is call:  # the module is not executed yet
            del vars(module)[name]
        return getattr(module, name)(*args, **kwargs)

    return call


class StandIn(ModuleType):
    """A module with some names given; for any other, the module itself is imported."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of any module
        if name.startswith("__"):
            raise AttributeError(name)
        self.step_back()
        return getattr(import_module(self.__name__), name)

    def step_back(self) -> None:
        """Leave the module's place to the module itself."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


@contextmanager
def stand_ins(**modules: Mapping[str, object]) -> Iterator[None]:
    """Give these names, by module, to what is imported meanwhile, without importing the modules.

    A module that is imported already is left as it is.
    """
    made = [StandIn(name) for name in modules if name not in sys.modules]
    for module in made:
        vars(module).update(modules[module.__name__])
        sys.modules[module.__name__] = module
    try:
        yield
    finally:
        for module in made:
            module.step_back()


class DeferredFunction:
    """A function of a module of ours, which is imported when it is first called."""

    __slots__ = ("__name__", "_function", "_module")

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self.__name__ = name
        self._function: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - of any function
        return self.imported()(*args, **kwargs)

    def imported(self) -> Callable[..., Any]:
        """Return the function itself."""
        if self._function is None:
            self._function = getattr(import_module(self._module), self.__name__)
        return self._function


class FunctionsOf:
    """The functions of a module of ours that few inputs need, for tables of functions.

    Type checkers are told of the module itself, and so know its functions::

        if TYPE_CHECKING:
            from renderer.compose.transformers import images
        else:
            images = FunctionsOf("renderer.compose.transformers.images")
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> DeferredFunction:
        function = DeferredFunction(self._module, name)
        setattr(self, name, function)
        return function
