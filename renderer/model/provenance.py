"""Steps that create or change a resource, and their configuration (kustomize ``api/resource/origin.go``)."""

from __future__ import annotations

from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class StepKind(TextEnum):
    """The kinds of steps that give a field its value, in ``explain``."""

    WRITTEN = "written"  # in a file of the repository
    GENERATED = "generated"  # by a generator, a series or a template
    PATCHED = "patch"
    TRANSFORMED = "transformer"  # by a field of a kustomization, or an entry of transformers
    REPLACED = "replacement"
    NAME_HASH = "name-hash"
    NAME_REFERENCE = "name-reference"  # the name of another resource changed
    VARIABLE = "variable"
    BUILD_METADATA = "build-metadata"
    SUBSTITUTED = "substitution"  # variables that Flux replaces
    ENTRY_POINT = "entry-point"  # fields that Flux or Argo CD sets on all objects
    REPOINTED = "repoint"  # paths of sources that become paths of rendered trees
    PARAMETER = "parameter"  # of a template that an overlay gives parameters
    TEMPLATE_LABEL = "template-label"  # labels that an OpenShift Template adds to all of its objects
    INFERRED = "inference"
    CUSTOM_SIZE = "custom-size"
    INSTANCETYPE = "instancetype"
    PREFERENCE = "preference"
    DEFAULTED = "default"
    EXPANDED = "expansion"  # removes fields that are useless in an expanded VM
    TARGET_FORM = "target-form"  # keeps only fields that the target release knows
    WEBHOOK_FIELD = "webhook-field"  # fields that the mutating webhook would fill in
    INSTANCETYPE_NAME = "instancetype-name"
    SYNC_WAVE = "sync-wave"
    SUPPRESSION = "suppression"  # annotations that suppress rules are not written


#: The API version of kustomize's builtin plugins.
BUILTIN = "builtin"


class ConfiguredBy(Record):
    """A generator or transformer: the file that configures it, and its type."""

    path: str
    kind: str
    api_version: str = BUILTIN
    name: str = ""
    namespace: str = ""
