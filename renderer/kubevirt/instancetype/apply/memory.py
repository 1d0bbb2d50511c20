"""Apply ``spec.memory`` of an instance type (KubeVirt ``pkg/instancetype/apply/memory.go``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError, FieldOwner
from renderer.kubevirt.instancetype.apply.applier import Conflict, Conflicts, resource_conflicts
from renderer.kubevirt.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.sharing import once_for_same, share_part
from renderer.model.placeholders import has_placeholder
from renderer.model.quantity import INT64_MAX, INT64_MIN, Quantity

_FLOAT32_PRECISION = 24


def apply_memory(specs: AppliedSpecs, template: JsonObject) -> JsonObject | Conflicts:
    """Set guest memory, its maximum, huge pages, and memory requests if memory is overcommitted.

    Raises ``ApplyError`` (quantity-invalid) for a size that is not a valid quantity.
    """
    domain = domain_of(template)
    changed = _sections(specs, domain.get("memory"), domain.get("resources"))
    if isinstance(changed, tuple):
        return changed
    for name, section in changed.items():
        template = with_domain_section(template, name, section)
    return template


@once_for_same
def _sections(specs: AppliedSpecs, present: Json, resources: Json) -> Mapping[str, JsonObject] | Conflicts:
    """Return the sections of the domain that change, by name, or the first conflict."""
    sizes = object_at(specs.instancetype, "memory")
    conflict = next(_conflicts(sizes, present, resources, specs), None)
    if conflict:
        return (conflict,)
    memory = {**object_at(present), **_memory(sizes)}
    if specs.vm_sets_memory:
        memory["guest"] = sizes["guest"]  # unchanged, as written
    changed: dict[str, JsonObject] = {"memory": share_part(memory)}
    percent = sizes.get("overcommitPercent")
    if isinstance(percent, int) and 0 < percent <= INT64_MAX:
        requested = request_with_overcommit(_size_quantity(sizes, "guest"), percent).json
        requests = share_part({**object_at(resources, "requests"), "memory": requested})
        changed["resources"] = share_part({**object_at(resources), "requests": requests})
    return changed


def _memory(sizes: JsonObject) -> dict[str, Json]:
    memory: dict[str, Json] = {"guest": _written_size(sizes, "guest")}
    if sizes.get("hugepages") is not None:
        memory["hugepages"] = sizes["hugepages"]
    if sizes.get("maxGuest") is not None:
        memory["maxGuest"] = _written_size(sizes, "maxGuest")
    return memory


def _conflicts(sizes: JsonObject, memory: Json, resources: Json, specs: AppliedSpecs) -> Iterator[Conflict]:
    """Yield all conflicts; KubeVirt reports the first."""
    by_field = specs.behaviour.memory_conflicts_by_field or specs.vm_sets_memory
    if memory is not None and not by_field:
        yield Conflict.of_vmi_spec(("domain", "memory"), ("memory",))
    if object_at(memory).get("guest") is not None:
        yield Conflict.of_vmi_spec(("domain", "memory", "guest"), ("memory", "guest"))
    for field in ("hugepages", "maxGuest"):
        if object_at(memory).get(field) is not None and sizes.get(field) is not None:
            yield Conflict.of_vmi_spec(("domain", "memory", field), ("memory", field))
    yield from resource_conflicts("memory", resources)


def _written_size(memory: JsonObject, field: str) -> Json:
    """Return ``memory[field]`` as the API server writes it; a placeholder stays unchanged."""
    size = memory.get(field)
    return size if has_placeholder(size) else _size_quantity(memory, field).json


def _size_quantity(memory: JsonObject, field: str) -> Quantity:
    """Return ``memory[field]``; 0 if absent. Raises ``ApplyError``."""
    try:
        return Quantity.of(memory.get(field))
    except DiagnosticError as error:
        place = FieldPath.of("spec", "memory", field)
        raise ApplyError(
            FieldOwner.INSTANCETYPE, *(found._replace(field=place) for found in error.diagnostics)
        ) from None


def request_with_overcommit(guest: Quantity, percent: int) -> Quantity:
    """Return ``guest`` minus ``percent`` of it, as a canonical quantity in the format of ``guest``.

    KubeVirt computes in 32-bit floats. We compute each sum, product or quotient of two of them as a double,
    which is exact enough to round once more.
    """
    share = _float32(1 - _float32(_float32_of_integer(percent) / 100))
    requested = int(_float32(_float32_of_integer(guest.value()) * share))
    # If a float does not fit into an int64, amd64 converts it to the smallest int64.
    fitting = requested if INT64_MIN <= requested <= INT64_MAX else INT64_MIN
    return Quantity.of_integer(fitting, guest.form)


def _float32(number: float) -> float:
    from struct import pack, unpack  # noqa: PLC0415 - few instance types overcommit memory

    rounded: float = unpack("f", pack("f", number))[0]
    return rounded


def _float32_of_integer(number: int) -> float:
    """Return the nearest float32, ties to even; a conversion through a double would round twice."""
    unit = 1 << max(abs(number).bit_length() - _FLOAT32_PRECISION, 0)
    units, rest = divmod(number, unit)
    if 2 * rest > unit or (2 * rest == unit and units % 2):
        units += 1
    return float(units * unit)
