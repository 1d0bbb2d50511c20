"""Every builtin transformer, in the fixed order in which kustomize runs them."""

from __future__ import annotations

from renderer.compose.transform import Transformer
from renderer.compose.transformers import (
    common_annotations,
    images,
    labels,
    name_affix,
    namespace,
    patches,
    patches_json6902,
    patches_strategic_merge,
    replacements,
    replicas,
)

#: By the name that kustomize gives each (``api/internal/target/kusttarget_configplugin.go``).
BUILTIN_TRANSFORMERS: tuple[tuple[str, Transformer], ...] = (
    ("PatchStrategicMergeTransformer", patches_strategic_merge.transforms),
    ("PatchTransformer", patches.transforms),
    ("NamespaceTransformer", namespace.transforms),
    ("PrefixTransformer", name_affix.prefix_transforms),
    ("SuffixTransformer", name_affix.suffix_transforms),
    ("LabelTransformer", labels.transforms),
    ("AnnotationsTransformer", common_annotations.transforms),
    ("PatchJson6902Transformer", patches_json6902.transforms),
    ("ReplicaCountTransformer", replicas.transforms),
    ("ImageTagTransformer", images.transforms),
    ("ReplacementTransformer", replacements.transforms),
)
