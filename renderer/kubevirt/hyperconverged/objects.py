"""The objects that the operator makes of an admitted HyperConverged object."""

from __future__ import annotations

from renderer.kubevirt.hyperconverged.aaq_object import aaq_spec, deploys_aaq
from renderer.kubevirt.hyperconverged.cdi_object import ANNOTATIONS as CDI_ANNOTATIONS
from renderer.kubevirt.hyperconverged.cdi_object import cdi_spec
from renderer.kubevirt.hyperconverged.json_patches import (
    AAQ,
    CDI,
    KUBEVIRT,
    NETWORK_ADDONS,
    SSP,
    Patching,
    as_written,
)
from renderer.kubevirt.hyperconverged.kubevirt_object import kubevirt_annotations, kubevirt_spec
from renderer.kubevirt.hyperconverged.network_addons_object import network_addons_spec
from renderer.kubevirt.hyperconverged.release import (
    ClusterFacts,
    OperatorEnvironment,
    OperatorRelease,
    Platform,
)
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.ssp_object import ssp_spec
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.record import Record

#: Before, the object's name was in the names of the others; it must have this name anyway.
_FIXED_NAME_SINCE = OperatorRelease(1, 18)
_NAME = "kubevirt-hyperconverged"


class MadeObject(Record):
    """An object that the operator makes; its labels, owner and version are left out."""

    name: str
    spec: JsonObject
    annotations: JsonObject = EMPTY


class MadeObjects(Record):
    """The objects that the operator makes. There is no SSP on Kubernetes, and an AAQ on demand."""

    kubevirt: MadeObject
    cdi: MadeObject
    network_addons: MadeObject
    ssp: MadeObject | None = None
    aaq: MadeObject | None = None


def make_objects(
    hyperconverged: JsonObject,
    admitted_spec: JsonObject,
    release: OperatorRelease,
    facts: ClusterFacts | None = None,
) -> MadeObjects:
    """Return what the operator makes of an object.

    ``admitted_spec`` is the spec after defaults and webhooks, in the layout of the object's API version.
    Raises ``CannotMakeError`` if the operator cannot make one of the objects.
    """
    facts = facts or ClusterFacts()
    release = release.known
    settings = Settings.of(hyperconverged, admitted_spec, release)
    environment = facts.environment or OperatorEnvironment.of(release)
    owner = settings.name if release < _FIXED_NAME_SINCE else _NAME

    def made(
        prefix: str, spec: JsonObject, patching: Patching, annotations: JsonObject = EMPTY
    ) -> MadeObject:
        return MadeObject(f"{prefix}-{owner}", as_written(spec, patching, settings), annotations)

    kubevirt = kubevirt_spec(settings, facts, environment)
    objects = MadeObjects(
        kubevirt=made("kubevirt", kubevirt, KUBEVIRT, kubevirt_annotations(settings)),
        cdi=made("cdi", cdi_spec(settings), CDI, CDI_ANNOTATIONS),
        network_addons=MadeObject(
            "cluster", as_written(network_addons_spec(settings, facts), NETWORK_ADDONS, settings)
        ),
    )
    if facts.platform is Platform.OPENSHIFT:
        objects = objects._replace(ssp=made("ssp", ssp_spec(settings, facts), SSP))
    if deploys_aaq(settings):
        objects = objects._replace(aaq=made("aaq", aaq_spec(settings), AAQ))
    return objects
