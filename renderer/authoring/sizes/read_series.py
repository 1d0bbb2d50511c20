"""Read an ``InstancetypeSeries`` and its table; every problem is a finding with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from renderer.authoring.sizes.definition import (
    Hugepages,
    InstancetypeScope,
    Series,
    SeriesSize,
    SeriesTemplate,
)
from renderer.authoring.sizes.memory import (
    is_multiple,
    is_page_size,
    memory_of,
    memory_text,
    page_size_text,
    read_memory,
    read_positive,
    vcpus_of,
)
from renderer.authoring.sizes.names import (
    CUSTOM,
    DERIVED_LABELS,
    NAME_RULE,
    NamePattern,
    is_object_name,
    is_size_name,
)
from renderer.model.diagnostic import Related
from renderer.model.fields import Fields, describe_value
from renderer.model.quantity import Quantity
from renderer.model.run.limits import limit_hint, limits

_MAX_COUNT = (1 << 32) - 1  # vCPUs and sockets are uint32 in KubeVirt's API


@dataclass(frozen=True, slots=True)
class Rules:
    """The fields of the series that apply to all rows."""

    name_pattern: NamePattern
    memory_per_vcpu: Quantity | None
    is_ratio_invalid: bool
    max_sockets_per_vcpu: int | None
    hugepages: tuple[Hugepages, ...]


def read_sizes(spec: Fields, rules: Rules) -> tuple[SeriesSize, ...]:
    """Return the valid rows of ``sizes``; add a finding for each problem in the others."""
    rows = tuple(spec.elements("sizes"))
    if not rows and not spec.content.get("sizes"):
        spec.reject(None, f"{spec.name('sizes')} has no sizes", "write a row with name, vcpus and memory")
    most = limits().series_sizes
    if len(rows) * max(1, len(rules.hugepages)) > most:
        spec.reject(
            "sizes", f"{spec.name('sizes')} results in more than {most} sizes", limit_hint("series_sizes")
        )
        return ()
    _reject_names(rows, rules)
    return tuple(size for row in rows if (size := _size(row, rules)) is not None)


def read_count(fields: Fields, key: str) -> int | None:
    """Return the number ``key``, from 1 to KubeVirt's maximum; otherwise add a finding."""
    value = fields.content.get(key)
    if value is None or (isinstance(value, str) and value.isdecimal()):
        return fields.integer(key)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_COUNT:
        return value
    message = f"{fields.name(key)} must be a whole number from 1 to {_MAX_COUNT}, not {describe_value(value)}"
    fields.reject(key, message, "write a number such as 2")
    return None


def _size(row: Fields, rules: Rules) -> SeriesSize | None:
    row.only("name", "vcpus", "memory", "maxSockets")
    max_sockets, name = read_count(row, "maxSockets"), row.text("name")
    if name is None and "name" not in row:
        row.reject(None, f"{row.name()} has no name", "write one, such as name: large")
    is_custom = CUSTOM in (row.content.get("vcpus"), row.content.get("memory"))
    resources = _custom_resources(row) if is_custom else _resources(row, rules)
    if name is None or resources is None:
        return None
    vcpus, memory = resources
    if memory is not None:
        _reject_partial_pages(row, memory, rules.hugepages)
    if max_sockets is None and vcpus is not None and rules.max_sockets_per_vcpu is not None:
        max_sockets = vcpus * rules.max_sockets_per_vcpu
        if max_sockets > _MAX_COUNT:
            message = f"{row.name()} may grow to {max_sockets} sockets, more than {_MAX_COUNT}"
            row.reject("vcpus", message, "write the maxSockets of this size")
    text = None if memory is None else memory_text(row, "memory", memory)
    return SeriesSize(row.site, name, vcpus, text, max_sockets)


def _custom_resources(row: Fields) -> tuple[int | None, Quantity | None] | None:
    """Read a row that leaves vCPUs, memory or both to the VM; ratios do not apply to it."""
    for key in ("vcpus", "memory"):
        if key not in row:
            row.reject(
                None, f"{row.name()} has no {key}", f"write it, or {key}: {CUSTOM} to leave it to the VM"
            )
            return None
    leaves_vcpus, leaves_memory = (row.content[key] == CUSTOM for key in ("vcpus", "memory"))
    vcpus = None if leaves_vcpus else read_count(row, "vcpus")
    memory = None if leaves_memory else read_memory(row, "memory")
    is_valid = (vcpus is None) is leaves_vcpus and (memory is None) is leaves_memory
    return (vcpus, memory) if is_valid else None


def _resources(row: Fields, rules: Rules) -> tuple[int, Quantity] | None:
    vcpus, memory = read_count(row, "vcpus"), read_memory(row, "memory")
    if ("vcpus" in row and vcpus is None) or ("memory" in row and memory is None):
        return None
    if vcpus is not None and memory is not None:
        return vcpus, memory
    if vcpus is None and memory is None:
        hint = "write both, or one of them where there is a memoryPerVCPU"
        row.reject(None, f"{row.name()} has neither vcpus nor memory", hint)
        return None
    if rules.memory_per_vcpu is None:
        if not rules.is_ratio_invalid:
            missing = "vcpus" if vcpus is None else "memory"
            row.reject(None, f"{row.name()} has no {missing}", "write it, or memoryPerVCPU for all sizes")
        return None
    if vcpus is not None:
        return _derive_memory(row, vcpus, rules.memory_per_vcpu)
    return None if memory is None else _derive_vcpus(row, memory, rules.memory_per_vcpu)


def _derive_memory(row: Fields, vcpus: int, per_vcpu: Quantity) -> tuple[int, Quantity] | None:
    memory = memory_of(vcpus, per_vcpu)
    if memory is not None:
        return vcpus, memory
    message = f"{vcpus} vCPUs with {per_vcpu.canonical} each do not make a whole number of bytes below 8Ei"
    row.reject("vcpus", message, "write the memory of this size")
    return None


def _derive_vcpus(row: Fields, memory: Quantity, per_vcpu: Quantity) -> tuple[int, Quantity] | None:
    vcpus = vcpus_of(memory, per_vcpu)
    if vcpus is not None and vcpus <= _MAX_COUNT:
        return vcpus, memory
    message = f"{memory.canonical} at {per_vcpu.canonical} per vCPU do not make a whole number of vCPUs"
    row.reject("memory", message, "write the vcpus of this size")
    return None


def _reject_partial_pages(row: Fields, memory: Quantity, hugepages: Sequence[Hugepages]) -> None:
    """Reject partial pages: KubeVirt admits huge pages only if guest memory is a multiple of them."""
    for pages in hugepages:
        if not is_multiple(memory, pages.page_size):
            key = "memory" if "memory" in row else "vcpus"
            message = f"{memory.canonical} of memory are not a multiple of huge pages of {pages.text}"
            row.reject(key, message, f"write a multiple of {pages.text}")


def _reject_names(rows: Sequence[Fields], rules: Rules) -> None:
    """Add findings for names that no size can have, and for duplicate names."""
    seen: dict[str, Fields] = {}
    suffixes = [pages.suffix for pages in rules.hugepages] or [""]
    for row in rows:
        name = row.content.get("name")
        for size in [name + suffix for suffix in suffixes] if isinstance(name, str) else ():
            if not is_size_name(size) or not is_object_name(rules.name_pattern.name(size)):
                row.reject("name", f"{size!r} cannot be the name of a size", f"a name has {NAME_RULE}")
                break
            other = seen.setdefault(size, row)
            if other is not row:
                related = Related(f"{other.name()} is the other one", (other.site_of("name"),))
                row.reject("name", f"two sizes are named {size}", "rename one of them", (related,))
                break


def read_series(fields: Fields) -> Series:
    """Return the series in ``fields``. If there are findings, the result must not be used."""
    fields.only("apiVersion", "kind", "metadata", "spec")
    spec = fields.child("spec")
    spec.only("scopes", "namePattern", "template", "hugepages", "memoryPerVCPU", "maxSocketsPerVCPU", "sizes")
    memory_per_vcpu = read_positive(spec, "memoryPerVCPU")
    rules = Rules(
        name_pattern=_name_pattern(spec).of_series(_series_name(fields)),
        memory_per_vcpu=memory_per_vcpu,
        is_ratio_invalid=memory_per_vcpu is None and "memoryPerVCPU" in spec,
        max_sockets_per_vcpu=read_count(spec, "maxSocketsPerVCPU"),
        hugepages=_hugepages(spec),
    )
    return Series(
        name_pattern=rules.name_pattern,
        scopes=_scopes(spec),
        template=_template(spec),
        hugepages=rules.hugepages,
        sizes=read_sizes(spec, rules),
    )


def _series_name(fields: Fields) -> str:
    metadata = fields.child("metadata")
    # Annotations configure how other tools run the generator; the instance types do not get them.
    metadata.only("name", "annotations")
    name = metadata.text("name")
    if name is not None and is_object_name(name):
        return name
    if name is not None:
        metadata.reject("name", f"{name!r} cannot be the name of a series", f"a name has {NAME_RULE}")
    elif "name" not in metadata:
        metadata.reject(None, "the series has no metadata.name")
    return "series"


def _name_pattern(spec: Fields) -> NamePattern:
    text = spec.text("namePattern")
    if text is None or NamePattern(text).is_valid:
        return NamePattern() if text is None else NamePattern(text)
    message = f"{spec.name('namePattern')} cannot make names of sizes: {text!r}"
    spec.reject(
        "namePattern", message, f"it contains {{size}}, may contain {{series}}, and otherwise has {NAME_RULE}"
    )
    return NamePattern()


def _scopes(spec: Fields) -> tuple[InstancetypeScope, ...]:
    scopes = spec.choices("scopes", InstancetypeScope)
    if len(set(scopes)) != len(scopes):
        spec.reject("scopes", f"{spec.name('scopes')} names a scope twice")
    if spec.content.get("scopes") == []:
        spec.reject(
            "scopes", f"{spec.name('scopes')} is empty", f"one or both of {', '.join(InstancetypeScope)}"
        )
    return scopes or (InstancetypeScope.CLUSTER,)


def _template(spec: Fields) -> SeriesTemplate:
    template = spec.child("template")
    template.only("metadata", "spec")
    metadata = template.child("metadata")
    metadata.only("labels", "annotations")
    labels, base = metadata.child("labels"), template.child("spec")
    for label in labels.content:
        if label in DERIVED_LABELS:
            labels.reject(label, f"the label {label} is derived from each size's spec", "drop it here")
    _reject_row_fields(spec, base)
    return SeriesTemplate(labels.texts(), metadata.child("annotations").texts(), base.content)


def _reject_row_fields(spec: Fields, template: Fields) -> None:
    owners = {
        ("cpu", "guest"): "sizes",
        ("memory", "guest"): "sizes",
        ("cpu", "maxSockets"): "maxSocketsPerVCPU",
        ("memory", "hugepages"): "hugepages",
    }
    sections = {section: template.child(section) for section in ("cpu", "memory")}
    for (section, key), owner in owners.items():
        if key in sections[section] and owner in spec:
            name, owner_name = sections[section].name(key), spec.name(owner)
            sections[section].reject(key, f"{name} is set by {owner_name} already", "drop one of the two")


def _hugepages(spec: Fields) -> tuple[Hugepages, ...]:
    variants = tuple(
        variant for fields in spec.elements("hugepages") if (variant := _variant(fields)) is not None
    )
    if len({variant.suffix for variant in variants}) != len(variants):
        spec.reject("hugepages", f"{spec.name('hugepages')} has a suffix twice", "give each its own suffix")
    return variants


def _variant(fields: Fields) -> Hugepages | None:
    fields.only("pageSize", "suffix")
    page_size, suffix = read_memory(fields, "pageSize"), fields.text("suffix") or ""
    if not is_object_name(f"x{suffix}x"):
        fields.reject("suffix", f"{suffix!r} cannot end a size's name", f"a name has {NAME_RULE}")
        return None
    if page_size is None:
        if "pageSize" not in fields:
            fields.reject(None, f"{fields.name()} has no pageSize")
        return None
    if not is_page_size(page_size):
        message = f"huge pages cannot have the size {page_size.canonical}"
        fields.reject("pageSize", message, "their sizes are powers of two, such as 2Mi and 1Gi")
        return None
    return Hugepages(page_size, page_size_text(page_size), suffix)
