"""The command line."""
# ruff: noqa: E402 - Python does not look for cycles while the first modules are imported, either

import gc

#: New objects before Python looks for cycles among them. A run keeps most of what it makes until its end, and
#: looking through all of that again and again would cost a third of the time; so would what is imported. The
#: few cycles that there are hold nothing large: as much memory is taken as with a tenth of this.
COLLECT_AFTER = 1_000_000
gc.set_threshold(COLLECT_AFTER)

import typing
from _thread import _local
from collections.abc import Iterator
from contextlib import contextmanager

from renderer import importer
from renderer.deferred import DeferredFunction, defer, stand_ins

importer.install()

# click asks `inspect` for the indentation of help texts alone, and for that would load Python's own parser,
# tokenizer and disassembler: a sixth of `import click`. `renderer.cli.command.Option` does without it until
# somebody reads the help.
defer("inspect")
# `shutil` looks if they are there, for archives, and then drops them.
defer("bz2")
defer("lzma")
# `pathlib` needs one for paths of Windows, and a function of the other for addresses of files.
defer("ntpath")
with stand_ins(
    **{"urllib.parse": {"quote_from_bytes": DeferredFunction("urllib.parse", "quote_from_bytes")}}
):
    import pathlib as pathlib


class _NoValue:
    """Stands for the values of click's parameter types ``DateTime`` and ``UUID``, which no command has."""


def _text(text: str) -> str:
    return text


def _text_for_number(one: str, many: str, number: int) -> str:
    return one if number == 1 else many


@contextmanager
def _annotations_as_texts() -> Iterator[None]:
    """Keep ``typing`` from compiling annotations: for the first, Python makes all classes of ``ast``."""
    names = vars(typing)
    names["compile"] = lambda *_source, **_settings: None
    try:
        yield
    finally:
        del names["compile"]


# A quarter of `import click` is for what no command has: texts in other languages, two types of parameters,
# and the annotations of dictionaries that describe commands. `threading.local` is `_thread._local`.
with (
    stand_ins(
        datetime={"datetime": _NoValue},
        gettext={"gettext": _text, "ngettext": _text_for_number},
        threading={"local": _local},
        uuid={"UUID": _NoValue},
    ),
    _annotations_as_texts(),
):
    import click as click
