"""How much is taken of what a stranger may have written; far more than any repository of manifests needs.

Whoever runs vmrender sets the most (``run_with``), a project may go below that (``lower_to``). The limits in
effect stand in a context variable, as decimal's precision does: they hold for a whole run and every stage,
and a stage that is called by itself has the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from renderer.model.record import Record

VARIABLE = "VMRENDER_LIMITS"

_KI, _MI = 1 << 10, 1 << 20


class Limits(Record):
    """Each limit with its default. Outside of Python they are written as ``fileSize``; sizes are in bytes."""

    # What is read.
    file_size: int = 32 * _MI
    documents: int = 20_000
    values: int = 3_000_000
    nesting: int = 100
    aliased_values: int = 200_000
    name_length: int = 1024
    # What is built of it.
    overlays: int = 20_000
    base_depth: int = 40
    kustomizations: int = 50_000
    resources: int = 100_000
    added_size: int = 64 * _MI
    output_size: int = 512 * _MI
    series_sizes: int = 1000
    template_size: int = 128 * _KI
    template_rows: int = 10_000
    template_steps: int = 4_000_000
    template_output: int = 8 * _MI
    # What is said about it.
    findings: int = 5000


class LimitValueError(ValueError):
    """A limit that cannot be what it was set to; says why. ``name`` is the limit's as people write it."""

    def __init__(self, name: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.name = name
        self.hint = hint


DEFAULTS = Limits()
#: Those that people may write in Mi and the like; all others are plain numbers.
SIZES = frozenset({"file_size", "added_size", "output_size", "template_size", "template_output"})
#: The stages work on trees by calls within calls, of which Python allows so many.
_NEVER_RAISED = frozenset({"nesting", "base_depth"})

_most: ContextVar[Limits] = ContextVar("most", default=DEFAULTS)
_in_effect: ContextVar[Limits] = ContextVar("in_effect", default=DEFAULTS)


def limits() -> Limits:
    """Those in effect."""
    return _in_effect.get()


def of_this_run() -> tuple[Limits, Limits]:
    """The most, and those in effect: what another process of the same run takes over."""
    return _most.get(), _in_effect.get()


def take_over(most: Limits, in_effect: Limits) -> None:
    """As ``of_this_run`` has them in the process that began the run."""
    _most.set(most)
    _in_effect.set(in_effect)


def run_with(values: Mapping[str, int]) -> None:
    """Sets the most of this run, by field. Raises ``LimitValueError``."""
    for field, value in values.items():
        if field in _NEVER_RAISED and value > getattr(DEFAULTS, field):
            raise LimitValueError(written(field), *_not_raised(field))
    _most.set(DEFAULTS._replace(**values))
    _in_effect.set(_most.get())


def lower_to(values: Mapping[str, int]) -> None:
    """Goes below what is in effect where ``values``, by field, do; nothing that a project says raises."""
    now = limits()
    _in_effect.set(
        now._replace(**{field: min(value, getattr(now, field)) for field, value in values.items()})
    )


@contextmanager
def only_lowered_to(values: Mapping[str, int]) -> Iterator[None]:
    """Below the most of this run where ``values`` do, whatever another project says."""
    outside = _in_effect.set(_most.get())
    try:
        lower_to(values)
        yield
    finally:
        _in_effect.reset(outside)


def check_lowered(field: str, value: int) -> None:
    """Raises ``LimitValueError`` for what a project may not ask for, as it would have no effect."""
    most = max(getattr(DEFAULTS, field), getattr(_most.get(), field))
    if value <= most:
        return
    if field in _NEVER_RAISED:
        raise LimitValueError(written(field), *_not_raised(field))
    raise LimitValueError(
        written(field),
        f"{written(field)} can only be lowered here, from {shown(field, most)}",
        f"whoever runs vmrender can raise it: {_assignment(field, value)}",
    )


def written(field: str) -> str:
    """``file_size`` as people write it: ``fileSize``."""
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


#: The fields by the names that people write.
FIELDS: Mapping[str, str] = {written(field): field for field in Limits._fields}


def shown(field: str, value: int) -> str:
    """As ``32Mi`` where that is what people would write, else as ``20000``."""
    for unit, suffix in ((_MI, "Mi"), (_KI, "Ki")):
        if field in SIZES and not value % unit:
            return f"{value // unit}{suffix}"
    return str(value)


def way_out(field: str) -> str:
    """The hint of a diagnostic: the limit's name and value, and how to raise it."""
    name, value = written(field), getattr(limits(), field)
    limit = f"the limit {name} is {shown(field, value)}"
    if value < getattr(_most.get(), field):
        return f"{limit}, as limits in vmrender.yaml say"
    if field in _NEVER_RAISED and value >= getattr(DEFAULTS, field):
        return f"{limit}, and cannot be raised"
    return f"{limit}; whoever runs vmrender can raise it: {_assignment(field, 2 * value)}"


def _assignment(field: str, value: int) -> str:
    return f"{VARIABLE}={written(field)}={shown(field, value)}"


def _not_raised(field: str) -> tuple[str, str]:
    return f"{written(field)} cannot be more than {getattr(DEFAULTS, field)}", "it can only be lowered"
