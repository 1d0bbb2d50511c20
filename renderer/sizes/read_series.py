"""Reading an ``InstancetypeSeries``: every problem in it is found, and noted at its place."""

from __future__ import annotations

from renderer.model.fields import Fields
from renderer.sizes.definition import Hugepages, Scope, Series, Template
from renderer.sizes.memory import is_page_size, page_size_text, read_memory, read_positive
from renderer.sizes.names import NAME_RULE, NamePattern, is_object_name
from renderer.sizes.read_sizes import Rules, read_count, read_sizes
from renderer.sizes.size_labels import DERIVED_LABELS


def read_series(fields: Fields) -> Series:
    """The series in ``fields``. When anything was noted, the result is not to be used."""
    fields.only("apiVersion", "kind", "metadata", "spec")
    spec = fields.child("spec")
    spec.only("scopes", "namePattern", "template", "hugepages", "memoryPerVCPU", "maxSocketsPerVCPU", "sizes")
    memory_per_vcpu = read_positive(spec, "memoryPerVCPU")
    rules = Rules(
        name_pattern=_name_pattern(spec).of_series(_series_name(fields)),
        memory_per_vcpu=memory_per_vcpu,
        is_ratio_wrong=memory_per_vcpu is None and "memoryPerVCPU" in spec,
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
    # Annotations say how other tools are to run the generator; they are none of the instance types'.
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
    spec.reject("namePattern", message, f"it holds {{size}}, may hold {{series}}, and otherwise {NAME_RULE}")
    return NamePattern()


def _scopes(spec: Fields) -> tuple[Scope, ...]:
    scopes = spec.choices("scopes", Scope)
    if len(set(scopes)) != len(scopes):
        spec.reject("scopes", f"{spec.name('scopes')} names a scope twice")
    if spec.content.get("scopes") == []:
        spec.reject("scopes", f"{spec.name('scopes')} is empty", f"one or both of {', '.join(Scope)}")
    return scopes or (Scope.CLUSTER,)


def _template(spec: Fields) -> Template:
    template = spec.child("template")
    template.only("metadata", "spec")
    metadata = template.child("metadata")
    metadata.only("labels", "annotations")
    labels, base = metadata.child("labels"), template.child("spec")
    _reject_derived(labels)
    _reject_what_sizes_say(spec, base)
    return Template(labels.texts(), metadata.child("annotations").texts(), base.content)


def _reject_derived(labels: Fields) -> None:
    for label in labels.content:
        if label in DERIVED_LABELS:
            labels.reject(label, f"the label {label} is derived from each size's spec", "drop it here")


def _reject_what_sizes_say(spec: Fields, template: Fields) -> None:
    said = {
        ("cpu", "guest"): "sizes",
        ("memory", "guest"): "sizes",
        ("cpu", "maxSockets"): "maxSocketsPerVCPU",
        ("memory", "hugepages"): "hugepages",
    }
    below = {section: template.child(section) for section in ("cpu", "memory")}
    for (section, key), owner in said.items():
        if key in below[section] and owner in spec:
            name, owner_name = below[section].name(key), spec.name(owner)
            below[section].reject(key, f"{name} is said by {owner_name} already", "drop one of the two")


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
        message = f"no huge pages have {page_size.canonical}"
        fields.reject("pageSize", message, "their sizes are powers of two, such as 2Mi and 1Gi")
        return None
    return Hugepages(page_size, page_size_text(page_size), suffix)
