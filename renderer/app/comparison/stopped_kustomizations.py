"""Kustomizations of Flux that apply nothing from a change on, or until it, although nobody suspends them.

kustomize-controller waits until each object of ``spec.dependsOn`` is there, and is ready at its newest
generation, which one that waits for itself never is (``internal/controller/kustomization_controller.go``
``checkDependencies``). It applies nothing if a Secret is encrypted with SOPS and not decrypted (``apply``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from renderer.app.comparison.deployer_map import DeployerMap, entry_object
from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.side import Side
from renderer.gitops.flux.kustomization import is_flux_kustomization, source_key
from renderer.kubevirt.facts.kinds import SECRET
from renderer.model.kube.encryption import is_encrypted, public_names
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.res_id import Reference, namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend

_STEPS_PER_DEPENDENCY, _ACTIVITY = 4, "following what Kustomizations wait for"


class _Name(NamedTuple):
    namespace: str
    name: str


def encrypted_secret(side: RenderedSide | None) -> str:
    """Return which Secret of an overlay SOPS has encrypted, the first one; empty without one."""
    found = (each for each in written_of(side) if each.kind == SECRET and is_encrypted(each))
    return next((public_names([each]) for each in found), "")


class StoppedKustomizations:
    """The Kustomizations on two sides that deploy overlays."""

    def __init__(self, before: Side, after: Side, deployers: DeployerMap) -> None:
        self._sides = before, after
        self._deployers = deployers
        self._waiting = cache(self._find_waiting)
        self._known_sources = cache(self._find_sources)

    def reasons(self, overlay: Overlay, encrypted: tuple[str, str]) -> Iterator[str]:
        """Yield why nothing is applied of an overlay any more; ``encrypted`` is a Secret on each side."""
        entries = [entry_object(side, overlay.path) for side in self._sides]
        is_entry = None not in entries
        pairs = [entries] if is_entry else map(self._deployers.pair, self._deployers.of(overlay.path)[1])
        for old, new in pairs:
            if old is None or new is None or not is_flux_kustomization(new):
                continue
            label = f"{new.kind} {new.name}"
            former, reason = self._waits_forever(0, old), self._waits_forever(1, new)
            if reason and not former:
                yield f"{label} {reason}: nothing is applied from now on"
            if former and not reason:
                yield f"{label} no longer {former}: earlier changes that it did not apply arrive now"
            was_stopped = encrypted[0] and not _decrypts(old)
            is_stopped = encrypted[1] and not _decrypts(new) and not was_stopped
            if is_stopped and (is_entry or (_decrypts(old) and not self._is_patched(new))):
                missing = f"no spec.decryption, and {encrypted[1]} is encrypted"
                yield f"{label} has {missing}: nothing is applied from now on"

    def _is_patched(self, kustomization: Resource) -> bool:
        """Return True if a Kustomization above may add the decryption."""
        above = self._sides[1].deployers.above([kustomization])
        return any("decryption" in json.dumps(array_at(each.content, "spec", "patches")) for each in above)

    def _waits_forever(self, number: int, kustomization: Resource) -> str:
        """Return why a Kustomization never becomes ready; empty if it may."""
        waiting = self._waiting(number)
        own, found = _Name(kustomization.namespace, kustomization.name), set[_Name]()
        following = [*_dependencies(kustomization)]
        for each in following:
            if each not in waiting and self._is_missing(each, number, kustomization):
                return f"waits for the Kustomization {namespaced_name(*each)}, which nothing deploys"
        while following:
            spend(_STEPS_PER_DEPENDENCY, _ACTIVITY)
            each = following.pop()
            if each == own:
                return "waits for itself"
            if each not in found:
                found.add(each)
                following += waiting.get(each, ())
        return ""

    def _is_missing(self, name: _Name, number: int, kustomization: Resource) -> bool:
        """Return True if nothing deploys a Kustomization that is not in Git.

        It was there before, or all are in Git: the root as well, and none has another source.
        """
        if has_placeholder(name.name) or _Name("", name.name) in self._waiting(number):
            return False  # whose namespace a kustomization may set
        if number and name in self._waiting(0):
            return True
        deployers, source = self._sides[number].deployers, source_key(kustomization)
        return (
            name != source[1:]  # the root of a bootstrap
            and deployers.has_root(kustomization)
            and not deployers.instances
            and self._known_sources(number) == {source}
        )

    def _find_waiting(self, number: int) -> Mapping[_Name, Iterable[_Name]]:
        """Return the dependencies of each Kustomization of a side; none if several have its name."""
        deployers = self._sides[number].deployers
        return {
            _Name(each.namespace, each.name): (
                () if len(deployers.written.get(each.object_key, ())) > 1 else [*_dependencies(each)]
            )
            for each in deployers.kustomizations
        }

    def _find_sources(self, number: int) -> frozenset[Reference | None]:
        """Return the sources of the Kustomizations of a side; with None if others may have any name."""
        return frozenset(
            None if has_placeholder(each.name) else source_key(each)
            for each in self._sides[number].deployers.kustomizations
        )


def _dependencies(kustomization: Resource) -> Iterator[_Name]:
    for each in array_at(kustomization.content, "spec", "dependsOn"):
        yield _Name(text_at(each, "namespace") or kustomization.namespace, text_at(each, "name"))


def _decrypts(kustomization: Resource) -> bool:
    return bool(object_at(kustomization.content, "spec", "decryption"))
