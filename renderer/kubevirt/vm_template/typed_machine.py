"""Convert a tree to a VirtualMachine of KubeVirt's API, as Go does, or say why that fails.

``FromUnstructuredWithValidation`` of apimachinery's ``runtime/converter.go`` goes through the Go types and
refuses unknown fields. A type that reads JSON itself gets its part as JSON: within it fields are looked up as
``encoding/json`` does, and unknown ones are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import TypeAlias

from renderer.golang.go_types import TYPES_WITH_METHODS, GoTypeError, GoTypes, go_types
from renderer.kubevirt.facts.kinds import VM
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import Release

Path: TypeAlias = tuple[Segment, ...]

_MACHINE = "kubevirt.VirtualMachine"
#: Types with an ``UnmarshalJSON`` of their own, and the type that it reads into.
_READ_JSON = {
    "kubevirt.VirtualMachineInstanceSpec": "kubevirt.VMISpecAlias",
    "kubevirt.DHCPOptions": "kubevirt.DHCPOptionsAlias",
    "kubevirt.PodNetwork": "kubevirt.PodNetworkAlias",
}
_SCALARS = {"string": str, "bool": bool}
#: Fields whose addresses KubeVirt's types rewrite when they read them.
_ADDRESSES = frozenset({"nameservers", "ntpServers", "vmNetworkCIDR"})
_IPV4_NUMBERS = 4
#: The types that virt-template is built with, by the first release of KubeVirt that deploys it so.
_API_1_8_SINCE = Release(1, 9)


class UnknownFieldsError(Exception):
    """The tree fits, and has fields that the types do not have."""

    def __init__(self, fields: Sequence[Path]) -> None:
        super().__init__(", ".join(map(written_path, fields)))
        self.fields = fields


def types_of(release: Release) -> GoTypes:
    """Return the API types of a release's virt-template, which is built with the minor before."""
    return go_types("virtual-machine", (1, 8) if release >= _API_1_8_SINCE else (1, 7))


def written_path(path: Path) -> str:
    """Return a path as apimachinery writes it: ``spec.volumes[0].name``."""
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path).removeprefix(".")


def typed_machine(tree: JsonObject, types: GoTypes) -> JsonObject:
    """Return the VirtualMachine that Go makes of a tree, as Go writes it.

    Raises ``GoTypeError`` for a value that does not fit, and ``UnknownFieldsError``.
    """
    conversion = _Conversion(types)
    machine = conversion.value(_MACHINE, tree, ())
    if conversion.unknown:
        raise UnknownFieldsError(sorted(conversion.unknown, key=written_path))
    written = object_at(types.encode(_MACHINE, machine))
    return {**written, "apiVersion": "kubevirt.io/v1", "kind": VM}


class _Conversion:
    """One conversion of a tree, and the fields in it that the types do not have."""

    def __init__(self, types: GoTypes) -> None:
        self._types = types
        self.unknown: list[Path] = []

    def value(self, type_: str, value: Json, path: Path) -> Json:
        """Return the Go value of a value. Raises ``GoTypeError``."""
        if value is None:
            return None
        if type_.startswith("*"):
            return self.value(type_[1:], value, path)
        underlying = self._types.underlying(type_)
        if type_ in _READ_JSON or underlying in TYPES_WITH_METHODS:
            return self._json(type_, value, path)
        if underlying.startswith("[]"):
            if not isinstance(value, list):
                raise GoTypeError("not a list", path)
            return [self.value(underlying[2:], each, (*path, index)) for index, each in enumerate(value)]
        if underlying.startswith("map[]"):
            if not isinstance(value, dict):
                raise GoTypeError("not a mapping", path)
            return {key: self.value(underlying[5:], each, (*path, key)) for key, each in value.items()}
        fields = self._types.fields(underlying)
        if fields is None:
            return _scalar(underlying, value, path)
        if not isinstance(value, dict):
            raise GoTypeError("not an object", path)
        self.unknown += [(*path, key) for key in value if key not in fields]
        return {
            name: self.value(field, value[name], (*path, name))
            for name, field in fields.items()
            if name in value
        }

    def _json(self, type_: str, value: Json, path: Path) -> Json:
        try:
            read = self._types.decode(type_, sorted_keys(value))
        except GoTypeError as error:
            found = error.below(path)
            if not error.path and type_ in _READ_JSON:
                found.want = self._types.in_go(_READ_JSON[type_])
            raise found from None
        return _with_plain_addresses(read) if type_ in _READ_JSON else read


def _scalar(underlying: str, value: Json, path: Path) -> Json:
    if underlying == "any":
        return value
    if underlying in _SCALARS:
        if isinstance(value, _SCALARS[underlying]):
            return value
    elif isinstance(value, int | float) and not isinstance(value, bool) and value == int(value):
        return int(value)  # the only numbers are integers
    raise GoTypeError(f"not of type {underlying}", path)


def sorted_keys(value: Json) -> Json:
    """Return a tree with its keys in the order in which Go writes a map, on which the first error depends."""
    if isinstance(value, dict):
        return {
            key: sorted_keys(value[key])
            for key in sorted(value, key=lambda key: key.encode("utf-8", "replace"))
        }
    return [*map(sorted_keys, value)] if isinstance(value, list) else value


def _with_plain_addresses(value: Json, key: str = "") -> Json:
    """Return the spec of an instance with addresses without leading zeros, as KubeVirt's types keep them."""
    if isinstance(value, dict):
        return {name: _with_plain_addresses(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_plain_addresses(each, key) for each in value]
    if not isinstance(value, str) or key not in _ADDRESSES:
        return value
    address, slash, length = value.partition("/")
    is_network = key == "vmNetworkCIDR"
    plain = _plain_address(address)
    if plain is None or bool(slash) is not is_network or not (length.isdecimal() or not slash):
        return value
    return f"{plain}/{int(length)}" if slash else plain


def _plain_address(written: str) -> str | None:
    """Return an address as Go writes it after ``ParseIPSloppy``; None for other text."""
    numbers = written.split(".")
    if len(numbers) == _IPV4_NUMBERS and all(each.isdecimal() for each in numbers):
        written = ".".join(each.lstrip("0") or "0" for each in numbers)
    try:
        address = ip_address(written)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return None if "%" in written else str(mapped or address)
