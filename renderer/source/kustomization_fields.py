"""The fields that kustomize knows, and what there is to say about some of them."""

from __future__ import annotations

_RENDER_CHARTS = "render the chart first (helm template) and list its output under resources"

#: Fields that are an error when they hold anything, and the way out.
UNSUPPORTED = {
    "helmCharts": _RENDER_CHARTS,
    "helmGlobals": _RENDER_CHARTS,
    "helmChartInflationGenerator": _RENDER_CHARTS,
}

#: Deprecated fields and what kustomize recommends instead.
DEPRECATED = {
    "bases": "resources",
    "commonLabels": "labels",
    "imageTags": "images",
    "patchesJson6902": "patches",
    "patchesStrategicMerge": "patches",
    "vars": "replacements",
}

_SUPPORTED = (
    "apiVersion",
    "bases",
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "components",
    "configMapGenerator",
    "configurations",
    "crds",
    "generatorOptions",
    "generators",
    "imageTags",
    "images",
    "kind",
    "labels",
    "metadata",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "replicas",
    "resources",
    "secretGenerator",
    "sortOptions",
    "transformers",
    "validators",
    "vars",
)

KNOWN_FIELDS = (*_SUPPORTED, *UNSUPPORTED)
