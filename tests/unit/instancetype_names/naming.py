"""Names given to a few objects, for tests."""

from __future__ import annotations

from renderer.instancetype_names.new_names import NamedSource, suffixed_name
from renderer.instancetype_names.rename import Renamer
from renderer.model.diagnostic import Outcome
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import InstancetypeNames
from tests.kubevirt_objects import resources

HASH, PLAIN, VERSION = InstancetypeNames.HASH, InstancetypeNames.PLAIN, InstancetypeNames.VERSION


def renamer(*catalogs: tuple[InstancetypeNames, ResourceSet], names: InstancetypeNames = HASH) -> Renamer:
    return Renamer(names, lambda: [NamedSource(found, each) for each, found in catalogs])


def outcome(
    *contents: JsonObject,
    catalogs: tuple[tuple[InstancetypeNames, ResourceSet], ...] = (),
    names: InstancetypeNames = HASH,
) -> Outcome[ResourceSet]:
    """Return the result of an overlay with these objects."""
    return renamer(*catalogs, names=names).with_new_names(resources(*contents))


def renamed(
    *contents: JsonObject,
    catalogs: tuple[tuple[InstancetypeNames, ResourceSet], ...] = (),
    names: InstancetypeNames = HASH,
) -> list[JsonObject]:
    result = outcome(*contents, catalogs=catalogs, names=names)
    assert result.diagnostics == ()
    return [resource.content for resource in result.value]


def undone(
    *contents: JsonObject, catalogs: tuple[tuple[InstancetypeNames, ResourceSet], ...] = ()
) -> list[JsonObject]:
    """The objects as they are before expansion."""
    result = renamer(*catalogs).with_old_names(resources(*contents))
    assert result.diagnostics == ()
    return [resource.content for resource in result.value]


def hashed(content: JsonObject) -> str:
    """The name that the object gets by its content."""
    return suffixed_name(resource(content), HASH)


def resource(content: JsonObject) -> Resource:
    return resources(content).resources[0]


def matcher(vm: JsonObject, key: str = "instancetype") -> Json:
    return object_at(vm, "spec", key).get("name")
