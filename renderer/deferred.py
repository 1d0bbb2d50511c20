"""Modules that are executed when something of them is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class DeferredModule(ModuleType):
    """A module that stands in ``sys.modules``, found and executed when it is asked for a name that it lacks.

    ``importlib.util.LazyLoader`` finds a module at once, and executes it as soon as it is imported for the
    second time.
    """

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any name
        if name == "__path__" and self.__spec__ is None:  # one of its modules is imported
            self.find()
        elif name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        else:
            self.execute()
        return getattr(self, name)

    def find(self) -> ModuleSpec:
        """Give the module its file and its folder. Raises ModuleNotFoundError."""
        name = self.__name__
        del sys.modules[name]  # or its own word is taken for where it is
        try:
            spec = find_spec(name)
        finally:
            sys.modules[name] = self
        if spec is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        vars(self).update(vars(module_from_spec(spec)))
        return spec

    def execute(self) -> None:
        """Make it a module like any other."""
        loader = (self.__spec__ or self.find()).loader
        assert loader is not None  # noqa: S101 - what is found has one
        self.__class__ = ModuleType  # type: ignore[assignment] # like any other
        loader.exec_module(self)
        self.__dict__.pop("_then")(self)


def _nothing(_module: ModuleType) -> None:
    pass


def defer(name: str, then: Callable[[ModuleType], object] = _nothing) -> DeferredModule | None:
    """Return the module ``name``, executed on its first use and then given to ``then``; None if it is there.

    It must be in no package. Whether it is there at all is found out on its first use.
    """
    if name in sys.modules:
        return None
    module = DeferredModule(name)
    module.__dict__["_then"] = then
    sys.modules[name] = module
    return module


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
    """A function of a module that is imported when the function is first called."""

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
