"""What changes the fields of a resource on its way from the files of a repository to a rendered tree."""

from __future__ import annotations

from enum import StrEnum


class Act(StrEnum):
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
    SUPPRESSION = "suppression"  # annotations that silence rules are not written
