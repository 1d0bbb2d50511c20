"""The objects that the operator makes of an admitted HyperConverged object."""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import HYPERCONVERGED_NAME
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
    OperatorEnvironment,
    OperatorFacts,
    OperatorRelease,
    Platform,
)
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.ssp_object import ssp_spec
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.record import Record

#: Before, the object's name was in the names of the others; it must have this name anyway.
_FIXED_NAME_SINCE = OperatorRelease(1, 18)


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


class _Maker:
    """Makes the objects of one HyperConverged object; each method raises ``CannotMakeError``."""

    def __init__(self, settings: Settings, facts: OperatorFacts) -> None:
        self._settings = settings
        self._facts = facts
        self._owner = settings.name if settings.release < _FIXED_NAME_SINCE else HYPERCONVERGED_NAME

    def kubevirt(self) -> MadeObject:
        environment = self._facts.environment or OperatorEnvironment.of(self._settings.release)
        spec = kubevirt_spec(self._settings, self._facts, environment)
        return self._made("kubevirt", spec, KUBEVIRT, kubevirt_annotations(self._settings))

    def cdi(self) -> MadeObject:
        return self._made("cdi", cdi_spec(self._settings), CDI, CDI_ANNOTATIONS)

    def network_addons(self) -> MadeObject:
        spec = network_addons_spec(self._settings, self._facts)
        return MadeObject("cluster", as_written(spec, NETWORK_ADDONS, self._settings))

    def ssp(self) -> MadeObject:
        return self._made("ssp", ssp_spec(self._settings, self._facts), SSP)

    def aaq(self) -> MadeObject:
        return self._made("aaq", aaq_spec(self._settings), AAQ)

    def _made(
        self, prefix: str, spec: JsonObject, patching: Patching, annotations: JsonObject = EMPTY
    ) -> MadeObject:
        return MadeObject(f"{prefix}-{self._owner}", as_written(spec, patching, self._settings), annotations)


def make_objects(content: JsonObject, release: OperatorRelease, facts: OperatorFacts) -> MadeObjects:
    """Return what the operator makes of an object after defaults and webhooks.

    Raises ``CannotMakeError`` if the operator cannot make one of the objects. Its webhook tries SSP on
    Kubernetes, too, where the operator does not deploy it.
    """
    settings = Settings.of(content, release.known)
    maker = _Maker(settings, facts)
    kubevirt, cdi, network_addons, ssp = maker.kubevirt(), maker.cdi(), maker.network_addons(), maker.ssp()
    return MadeObjects(
        kubevirt,
        cdi,
        network_addons,
        ssp=ssp if facts.platform is Platform.OPENSHIFT else None,
        aaq=maker.aaq() if deploys_aaq(settings) else None,
    )
