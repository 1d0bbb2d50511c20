"""Generators of ConfigMaps, Secrets and service accounts, as written and as loaded (``api/types``)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from renderer.model.json import EMPTY
from renderer.model.location import Site
from renderer.model.record import Record


class Behavior(StrEnum):
    """What a generator does with a resource of the same id (``generationbehavior.go``)."""

    UNSPECIFIED = ""
    CREATE = "create"
    REPLACE = "replace"
    MERGE = "merge"


class GeneratorOptions(Record):
    """What a generated object gets beside its data (``generatoroptions.go``)."""

    labels: Mapping[str, str] = EMPTY
    annotations: Mapping[str, str] = EMPTY
    disable_name_suffix_hash: bool = False
    immutable: bool = False

    def over(self, common: GeneratorOptions) -> GeneratorOptions:
        """These options with those of all generators below them; what one of both switches on is on."""
        return GeneratorOptions(
            labels={**common.labels, **self.labels},
            annotations={**common.annotations, **self.annotations},
            disable_name_suffix_hash=self.disable_name_suffix_hash or common.disable_name_suffix_hash,
            immutable=self.immutable or common.immutable,
        )


class GeneratorArgs(Record):
    """An entry of ``configMapGenerator`` or ``secretGenerator``; ``type`` is for Secrets only."""

    site: Site
    kind: str
    name: str = ""
    namespace: str = ""
    behavior: Behavior = Behavior.UNSPECIFIED
    literals: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    envs: tuple[str, ...] = ()
    type: str = ""
    options: GeneratorOptions = GeneratorOptions()


class KeyValue(Record):
    """One entry of the data to generate; ``site`` is where it is listed."""

    key: str
    value: bytes
    site: Site


class DataGenerator(Record):
    """A generator and the data that its literals, files and env files hold, in kustomize's order."""

    args: GeneratorArgs
    data: tuple[KeyValue, ...]


class IamPolicyGenerator(Record):
    """A Kubernetes service account bound to one of a cloud (``iampolicygenerator.go``)."""

    site: Site
    cloud: str
    kubernetes_name: str
    kubernetes_namespace: str
    account_name: str
    project_id: str
