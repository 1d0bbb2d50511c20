"""Secrets of clusters that Argo CD knows, which say where an overlay goes.

An Application names a cluster by the server or the name in its Secret (argo-cd ``util/db/cluster.go``
``SecretToCluster``). The ``clusters`` generator makes an Application for each Secret that it selects
(``applicationset/generators/cluster.go``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.files.file_system import readable_content
from renderer.gitops.argocd.application import as_application, is_application, is_application_set
from renderer.kubevirt.facts.kinds import SECRET
from renderer.kubevirt.facts.made_secrets import made_secrets
from renderer.model.base64_text import decoded_base64
from renderer.model.cluster_settings import LOCAL_NAME, LOCAL_SERVER
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import JsonObject, object_at, text_at, without
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.pipeline.deployer_files import objects_in

_TYPE, _CLUSTER = "argocd.argoproj.io/secret-type", "cluster"
#: The credentials for a cluster, which do not say which one it is, and what changes with any other field.
_NOT_DECIDING = (
    *(("data", "config"), ("stringData", "config"), ("spec", "encryptedData", "config")),
    *(("sops",), ("status",)),
)
_TEMPLATES = (("spec", "template"), ("spec", "target", "template"))


class _Target(NamedTuple):
    """The Secret of a cluster. ``addresses`` are the name and the server in it, None if unknown.

    ``content`` is all that may decide whether a generator selects it, and what it makes.
    """

    addresses: frozenset[str] | None
    content: JsonObject


class TargetSecrets:
    """The Secrets of clusters that are not the same on two sides; ``changed`` are the files that differ."""

    def __init__(self, before: Side, after: Side, changed: Iterable[str]) -> None:
        self._sides = before, after
        self._files = sorted(changed)
        self._reasons: dict[tuple[Site, ResId], str] = {}

    @cached_property
    def _changed(self) -> Mapping[ResId, Sequence[_Target]]:
        """The content of each of these Secrets on the sides that have it."""
        before, after = (dict(self._of_side(side)) for side in self._sides)
        return {
            id_: [*filter(None, (before.get(id_), after.get(id_)))]
            for id_ in {**before, **after}
            if before.get(id_) != after.get(id_)
        }

    def _of_side(self, side: Side) -> Iterator[tuple[ResId, _Target]]:
        for path in self._files:
            content = readable_content(side.fs, path) or b""
            for each in objects_in(content, path) if _TYPE.encode() in content else ():
                if _is_of_cluster(each):
                    yield each.current_id, _target(each)

    def reason(self, overlay: Overlay) -> str:
        """Return why an overlay may go to another cluster, or to none; empty if it does not."""
        if not self._files:
            return ""
        if overlay.deployer:  # another entry may get it with other variables
            return self._reason_of(overlay.deployer)
        for deployer in self._sides[1].deployers.of(overlay):
            key = deployer.origin, deployer.current_id
            if key not in self._reasons:
                self._reasons[key] = self._reason_of(deployer)
            if reason := self._reasons[key]:
                return reason
        return ""

    def _reason_of(self, deployer: Resource) -> str:
        """Return why an object may deploy to another cluster, once for all overlays."""
        application = as_application(deployer)
        if not is_application(application):
            return ""
        destination = object_at(application.content, "spec", "destination")
        wanted = {text_at(destination, "server").rstrip("/"), text_at(destination, "name")} - {""}
        is_local = not wanted.isdisjoint({LOCAL_SERVER, LOCAL_NAME})
        is_chosen = is_application_set(deployer) and "{{" in "".join(wanted)
        for id_, targets in self._changed.items() if not is_local else ():
            addresses = [each.addresses for each in targets]
            is_moved = len(addresses) == 1 or addresses[0] != addresses[1]
            is_named = any(each is None or not wanted.isdisjoint(each) for each in addresses)
            if is_chosen or (is_named and (is_moved or None in addresses)):
                label = f"{deployer.kind} {deployer.name}"
                secret = f"{id_.gvk.kind} {id_.name}"
                return f"{secret} changes, by which {label} finds its cluster: it may be another"
        return ""


def _is_of_cluster(resource: Resource) -> bool:
    if resource.kind == SECRET and not resource.gvk.group:
        return text_at(resource.labels, _TYPE) == _CLUSTER
    templates = (object_at(resource.content, *path, "metadata", "labels") for path in _TEMPLATES)
    return bool(made_secrets(resource)) and any(text_at(each, _TYPE) == _CLUSTER for each in templates)


def _target(resource: Resource) -> _Target:
    content = resource.content
    for path in _NOT_DECIDING:
        content = without(content, *path)
    if resource.kind != SECRET or is_encrypted(resource):
        return _Target(None, content)
    plain, encoded = (object_at(resource.content, field) for field in ("stringData", "data"))
    texts = [text_at(plain, key) or _decoded(text_at(encoded, key)) for key in ("name", "server")]
    return _Target(frozenset(each.rstrip("/") for each in texts if each), content)


def _decoded(text: str) -> str:
    try:
        return decoded_base64(text).decode()
    except ValueError:
        return ""
