"""An object of a cluster as ``kubectl get`` prints it, including status."""

from __future__ import annotations

from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.model.record import Record


class LiveObject(Record):
    """``content`` is the whole object as printed; ``location`` the file and line where it begins."""

    content: JsonObject
    location: Location

    @property
    def id(self) -> ResId:
        """Kind, namespace and name."""
        return ResId(
            Gvk.parse(text_at(self.content, "apiVersion"), text_at(self.content, "kind")),
            self.name,
            self.namespace,
        )

    @property
    def resource(self) -> Resource:
        """The object without its line."""
        return Resource(self.content, Site(self.location.path))

    @property
    def kind(self) -> str:
        return text_at(self.content, "kind")

    @property
    def name(self) -> str:
        return text_at(self.metadata, "name")

    @property
    def namespace(self) -> str:
        return text_at(self.metadata, "namespace")

    @property
    def uid(self) -> str:
        return text_at(self.metadata, "uid")

    @property
    def metadata(self) -> JsonObject:
        return object_at(self.content, "metadata")
