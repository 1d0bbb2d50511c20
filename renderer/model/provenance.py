"""Steps that make or change a resource, and what configured them (kustomize ``api/resource/origin.go``)."""

from __future__ import annotations

from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class StepKind(TextEnum):
    """The kinds of steps that give a field its value, in ``explain``."""

    WRITTEN = "written"  # in a file of the repository
    GENERATED = "generated"  # by a generator, a series or a template
    PATCHED = "patch"
    TRANSFORMED = "transformer"  # by a field of a kustomization, or what stands under transformers
    REPLACED = "replacement"
    NAME_HASH = "name-hash"
    NAME_REFERENCE = "name-reference"  # the name of another resource changed
    VARIABLE = "variable"
    BUILD_METADATA = "build-metadata"
    SUBSTITUTED = "substitution"  # what Flux puts in for variables
    ENTRY_POINT = "entry-point"  # what Flux or Argo CD sets on all objects
    TEMPLATE_LABEL = "template-label"  # what an OpenShift Template adds to all of its objects
    INFERRED = "inference"
    CUSTOM_SIZE = "custom-size"
    INSTANCETYPE = "instancetype"
    PREFERENCE = "preference"
    DEFAULTED = "default"
    EXPANDED = "expansion"  # takes away what is of no use in an expanded VM
    TARGET_FORM = "target-form"  # what the target release knows
    WEBHOOK_FIELD = "webhook-field"  # what the mutating webhook would fill in
    INSTANCETYPE_NAME = "instancetype-name"
    SYNC_WAVE = "sync-wave"
    SUPPRESSION = "suppression"  # annotations that suppress rules are not written


#: The API version of what kustomize has built in.
BUILTIN = "builtin"


class ConfiguredBy(Record):
    """A generator or transformer: the file that configures it, and what it is."""

    path: str
    kind: str
    api_version: str = BUILTIN
    name: str = ""
    namespace: str = ""
