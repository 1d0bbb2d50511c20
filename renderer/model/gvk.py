"""Group, version and kind."""

from __future__ import annotations

from renderer.model.record import Record


class Gvk(Record):
    """What kind of object a resource is (kustomize ``kyaml/resid/gvk.go``)."""

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
