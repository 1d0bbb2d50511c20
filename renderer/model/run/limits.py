"""Limits on the work that untrusted input may cause; far more than any repository of manifests needs.

The environment sets the maximum of a run (``set_maximum``), a project may lower it (``lower``). The limits in
effect are in a context variable, like decimal's precision: they apply to a whole run and every stage. A
stage that is called by itself has the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity
from renderer.model.record import Record

VARIABLE = "VMRENDER_LIMITS"

_KI, _MI = 1 << 10, 1 << 20
#: The limits that users may write with units such as Mi; all others are plain numbers.
SIZES = frozenset({"file_size", "added_size", "output_size", "template_size", "template_output"})
#: The stages process trees recursively, and Python limits the depth of recursion.
_NEVER_RAISED = frozenset({"nesting", "base_depth"})
_LARGEST = (1 << 63) - 1
#: The number of characters of a misspelt limit that are compared with the known names.
_LONGEST_NAME = 40


class Limits(Record):
    """The limits with their defaults. Users write them as ``fileSize``; sizes are in bytes."""

    # Input.
    file_size: int = 32 * _MI
    documents: int = 20_000
    values: int = 3_000_000
    nesting: int = 100
    aliased_values: int = 200_000
    name_length: int = 1024
    # Steps of work on it.
    work: int = 4_000_000
    # Seconds of CPU time for what takes no steps.
    cpu: int = 8
    # Objects built from the input.
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
    # Output about it.
    findings: int = 5000


class LimitValueError(ValueError):
    """A limit cannot have that value; the message says why. ``name`` is the limit's name for users."""

    def __init__(self, name: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.name = name
        self.hint = hint


DEFAULTS = Limits()

_most: ContextVar[Limits] = ContextVar("most", default=DEFAULTS)
_in_effect: ContextVar[Limits] = ContextVar("in_effect", default=DEFAULTS)


def limits() -> Limits:
    """Return the limits in effect."""
    return _in_effect.get()


def snapshot() -> tuple[Limits, Limits]:
    """Return the (maximum, current) limits, to pass to another process of the same run."""
    return _most.get(), _in_effect.get()


def restore(most: Limits, in_effect: Limits) -> None:
    """Set both limits to the ``snapshot`` of the process that began the run."""
    _most.set(most)
    _in_effect.set(in_effect)


def set_maximum(values: Mapping[str, int]) -> None:
    """Set the maximum limits of this run, by field. Raises ``LimitValueError``."""
    for field, value in values.items():
        if field in _NEVER_RAISED and value > getattr(DEFAULTS, field):
            raise LimitValueError(limit_name(field), *_not_raised(field))
    _most.set(DEFAULTS._replace(**values))
    _in_effect.set(_most.get())


def set_maximum_from(text: str) -> None:
    """Set the maximum limits from ``VMRENDER_LIMITS``: ``name=value`` pairs separated by commas.

    An empty variable changes nothing. Raises ``LimitValueError``.
    """
    values: dict[str, int] = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        name, _, value = map(str.strip, pair.partition("="))
        values[limit_field(name)] = limit_value(name, value)
    if values:
        set_maximum(values)


def lower(values: Mapping[str, int]) -> None:
    """Lower the current limits to ``values``, by field; higher values change nothing."""
    now = limits()
    _in_effect.set(
        now._replace(**{field: min(value, getattr(now, field)) for field, value in values.items()})
    )


@contextmanager
def lowered(values: Mapping[str, int]) -> Iterator[None]:
    """Lower the maximum of this run to ``values`` within the block, regardless of other projects."""
    outside = _in_effect.set(_most.get())
    try:
        lower(values)
        yield
    finally:
        _in_effect.reset(outside)


def check_lowered(field: str, value: int) -> None:
    """Raise ``LimitValueError`` for a value that a project may not set because it would have no effect."""
    most = max(getattr(DEFAULTS, field), getattr(_most.get(), field))
    if value <= most:
        return
    if field in _NEVER_RAISED:
        raise LimitValueError(limit_name(field), *_not_raised(field))
    raise LimitValueError(
        limit_name(field),
        f"{limit_name(field)} can only be lowered here, from {limit_text(field, most)}",
        f"whoever runs vmrender can raise it: {_assignment(field, value)}",
    )


def limit_name(field: str) -> str:
    """Return the user's form of ``file_size``: ``fileSize``."""
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


#: The fields by their names for users.
FIELDS: Mapping[str, str] = {limit_name(field): field for field in Limits._fields}


def limit_text(field: str, value: int) -> str:
    """Return a size as ``32Mi``, in the form that users write, and any other limit as ``20000``."""
    for unit, suffix in ((_MI, "Mi"), (_KI, "Ki")):
        if field in SIZES and not value % unit:
            return f"{value // unit}{suffix}"
    return str(value)


def limit_hint(field: str, needed: int = 0) -> str:
    """Return the hint of a diagnostic: the limit's name and value, and how to raise it.

    ``needed`` is the value to propose; without it, twice the limit.
    """
    name, value, most = limit_name(field), getattr(limits(), field), getattr(_most.get(), field)
    needed = needed or 2 * value
    limit = f"the limit {name} is {limit_text(field, value)}"
    by_environment = f"whoever runs vmrender can raise it: {_assignment(field, needed)}"
    if value < most:
        by_project = f"{limit}, set by limits in vmrender.yaml: raise it there to {limit_text(field, needed)}"
        return by_project if needed <= most else f"{by_project}; {by_environment}"
    if field in _NEVER_RAISED and value >= getattr(DEFAULTS, field):
        return f"{limit}, and cannot be raised"
    return f"{limit}; {by_environment}"


def _assignment(field: str, value: int) -> str:
    return f"{VARIABLE}={limit_name(field)}={limit_text(field, value)}"


def _not_raised(field: str) -> tuple[str, str]:
    return f"{limit_name(field)} cannot be more than {getattr(DEFAULTS, field)}", "it can only be lowered"


def limit_field(name: str) -> str:
    """Return the field of ``Limits`` with the name ``name``. Raises ``LimitValueError``."""
    if name in FIELDS:
        return FIELDS[name]
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    nearest = get_close_matches(name[:_LONGEST_NAME], FIELDS, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"limits: {', '.join(FIELDS)}"
    raise LimitValueError(name, f"there is no limit {name}", hint)


def limit_value(name: str, written: Json) -> int:
    """Return the number in the value of the limit ``name``. Raises ``LimitValueError``."""
    is_size = limit_field(name) in SIZES
    value = _whole_number(written, suffixes=is_size)
    if value is None or not 0 < value <= _LARGEST:
        hint = "write a number of bytes, such as 64Mi" if is_size else "write a number, such as 5000"
        raise LimitValueError(name, f"{name} must be a whole number above 0, not {written!r}", hint)
    return value


def _whole_number(written: Json, *, suffixes: bool) -> int | None:
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    if not isinstance(written, str):
        return None
    if written.isascii() and written.isdecimal():
        return int(written) if len(written) < len(str(_LARGEST)) else None
    if not suffixes:
        return None
    try:
        return Quantity.parse(written).value()
    except DiagnosticError:
        return None


def over_limit(limit: str, message: str, *sites: Site, resource: Resource | None = None) -> DiagnosticError:
    """Return the error; ``limit`` is the field of ``Limits``."""
    return Diagnostic(
        Code.BUILD_LIMIT,
        message,
        hint=limit_hint(limit),
        sites=sites or (resource.sites() if resource else ()),
        resource=resource.current_id if resource else None,
    ).error()


def check_name(resource: Resource) -> None:
    """Raise ``DiagnosticError`` (build-limit) if the name or the namespace is too long."""
    most = limits().name_length
    if len(resource.name) > most or len(resource.namespace) > most:
        # Without the object's id, which contains the name.
        message = f"the name of the {resource.kind[:most]} has more than {most} characters"
        raise over_limit("name_length", message, *resource.sites())
