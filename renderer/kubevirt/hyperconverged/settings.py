"""What an admitted HyperConverged object says: its settings, feature gates and annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.golang.go_types import GoTypeError
from renderer.kubevirt.facts.kinds import HYPERCONVERGED_NAME
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError
from renderer.kubevirt.hyperconverged.conversion import as_stored
from renderer.kubevirt.hyperconverged.feature_gates import is_enabled
from renderer.kubevirt.hyperconverged.object_fields import V1, V1BETA1, Setting
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.record import Record

#: Feature gates of ``v1beta1`` that are on if nothing is said, with the minor releases in which they are.
_ON_BY_DEFAULT: Mapping[str, Sequence[int]] = {
    "decentralizedLiveMigration": (18,),
    "downwardMetrics": (11,),
    "nonRoot": range(10, 19),
    "videoConfig": (17, 18),
}


class Settings(Record):
    """An admitted HyperConverged object, read by setting, in the API version that its release stores."""

    release: OperatorRelease
    metadata: JsonObject
    spec: JsonObject

    @classmethod
    def of(cls, content: JsonObject, release: OperatorRelease) -> Settings:
        """Read an admitted object, in any API version. Raises ``CannotMakeError`` if Go cannot read it."""
        try:
            stored = as_stored(content, release)
        except GoTypeError as error:
            raise CannotMakeError(CannotMakeCode.SPEC, f"spec.{error}") from None
        except ValueError as error:
            raise CannotMakeError(CannotMakeCode.SPEC, str(error)) from None
        return cls(release, object_at(stored, "metadata"), object_at(stored, "spec"))

    @property
    def name(self) -> str:
        """The name of the object."""
        return text_at(self.metadata, "name")

    @property
    def namespace(self) -> str:
        """The namespace of the object, in which the operator runs."""
        return text_at(self.metadata, "namespace") or HYPERCONVERGED_NAME

    def annotation(self, name: str) -> str | None:
        """Return an annotation; None if it is not there."""
        annotations = object_at(self.metadata, "annotations")
        return text_at(annotations, name) if name in annotations else None

    def get(self, setting: Setting) -> Json:
        """Return the value of a setting; None if nothing sets it."""
        version = V1 if self.release.stores_v1 else V1BETA1
        return value_at({"spec": self.spec}, setting.place_at(version, self.release).segments)

    def object(self, setting: Setting) -> JsonObject:
        """Return the mapping of a setting; an empty one if nothing sets it."""
        value = self.get(setting)
        return value if isinstance(value, dict) else EMPTY

    def array(self, setting: Setting) -> Sequence[Json]:
        """Return the list of a setting; an empty one if nothing sets it."""
        value = self.get(setting)
        return value if isinstance(value, list) else ()

    def has_gate(self, name: str) -> bool:
        """Return True if a feature gate of HyperConverged is on."""
        if self.release.stores_v1:
            return is_enabled(self.spec.get("featureGates"), name, self.release)
        said = object_at(self.spec, "featureGates").get(name)
        return said if isinstance(said, bool) else self.release.minor in _ON_BY_DEFAULT.get(name, ())
