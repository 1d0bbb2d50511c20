"""The base of enumerations of texts: a ``StrEnum`` that is cheap to import.

A member may carry facts: ``NAME = "text", fact, …`` calls ``__init__(self, "text", fact, …)``, as in
``enum``. ``__slots__`` of the class names the attributes that it sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum as TextEnum
else:

    class _TextEnumType(type):
        """Make the texts of a class its members: ``Class.NAME``, ``Class["NAME"]`` and ``Class("text")``.

        ``enum`` takes 0.4 million instructions of the processor for a class and 0.07 for each member, many
        times the cost here. With ``enum``, these classes would take a fifteenth of the instructions
        of ``vmrender build``. Raises TypeError for a member that is not a text, and for two members with the
        same text.
        """

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            values = {key: body.pop(key) for key, value in [*body.items()] if _is_member(name, key, value)}
            made = super().__new__(cls, name, bases, {"__slots__": (), **body})
            made.__members__ = {key: _member(made, key, value) for key, value in values.items()}
            made._by_text = {str(member): member for member in made.__members__.values()}
            if len(made._by_text) < len(values):
                raise TypeError(f"two members of {name} have one text")
            for key, member in made.__members__.items():
                setattr(made, key, member)
            return made

        def __call__(cls, text: object) -> TextEnum:
            try:
                return cls._by_text[text]
            except (KeyError, TypeError):
                raise ValueError(f"{text!r} is not a valid {cls.__qualname__}") from None

        def __getitem__(cls, name: str) -> TextEnum:
            return cls.__members__[name]

        def __contains__(cls, text: object) -> bool:
            return any(text == member for member in cls)

        def __iter__(cls) -> Iterator[TextEnum]:
            return iter(cls.__members__.values())

        def __reversed__(cls) -> Iterator[TextEnum]:
            return reversed(cls.__members__.values())

        def __bool__(cls) -> bool:
            return True

        def __len__(cls) -> int:
            return len(cls.__members__)

    def _is_member(of: str, key: str, value: object) -> bool:
        if key.startswith("_"):
            return False
        if isinstance(value, str) or (isinstance(value, tuple) and value and isinstance(value[0], str)):
            return True
        if hasattr(value, "__get__"):  # true of methods and properties
            return False
        raise TypeError(f"{key} of {of} is not text")

    def _member(of: type, name: str, value: str | tuple[Any, ...]) -> TextEnum:
        arguments = (value,) if isinstance(value, str) else value
        member = str.__new__(of, arguments[0])
        member.name, member.value = name, arguments[0]
        member.__init__(*arguments)
        return member

    class TextEnum(str, metaclass=_TextEnumType):
        """Use it as the only base class. Texts must be unique."""

        __slots__ = ("name", "value")

        def __init__(self, text: str) -> None:
            """Accept only the text; a class whose members carry facts has an ``__init__`` of its own."""

        def __repr__(self) -> str:
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __reduce__(self) -> tuple[type, tuple[str]]:
            return type(self), (self.value,)


__all__ = ["TextEnum"]
