"""The kind and the identity of a resource (kustomize ``kyaml/resid``)."""

from __future__ import annotations

from typing import TypeAlias

from renderer.model.pattern import pattern
from renderer.model.record import Record

#: API group, kind, namespace and name. The version is ignored: the API server converts between versions.
ObjectKey: TypeAlias = tuple[str, str, str, str]

#: Kind, namespace and name, by which the objects of Flux and Argo CD refer to others.
Reference: TypeAlias = tuple[str, str, str]


#: A suffix computed from a resource's content: kustomize's ten characters (``api/hasher/hasher.go``), or
#: the ten hexadecimal digits at the end of an instance type's name.
_HASH = pattern(r"-([2456789bcdfghkmt]{10}|[0-9a-f]{10})$")


def without_hash(name: str) -> str:
    """Return a name without the hash of the content that it ends with."""
    return _HASH.sub("", name)


def namespaced_name(namespace: str, name: str) -> str:
    """Return ``prod/db``, or ``db`` without a namespace."""
    return f"{namespace}/{name}" if namespace else name


class Gvk(Record):
    """The group, version and kind of a resource (kustomize ``kyaml/resid/gvk.go``)."""

    group: str
    version: str
    kind: str

    @classmethod
    def parse(cls, api_version: str, kind: str) -> Gvk:
        group, slash, version = api_version.partition("/")
        return cls(group, version, kind) if slash else cls("", api_version, kind)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


class ResId(Record):
    """Kind, namespace (empty if none is written) and name (kustomize ``kyaml/resid/resid.go``)."""

    gvk: Gvk
    name: str
    namespace: str = ""

    @property
    def object_key(self) -> ObjectKey:
        """The identity in a cluster."""
        return self.gvk.group, self.gvk.kind, self.namespace, self.name

    def __str__(self) -> str:
        """``VirtualMachine prod/db``, for messages."""
        return f"{self.gvk.kind} {namespaced_name(self.namespace, self.name)}"
