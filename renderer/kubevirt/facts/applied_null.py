"""What each way of applying makes of a field with nothing after it, ``firmware:``.

The API server drops nulls of known fields when it decodes what a client posts
(kubernetes apiextensions-apiserver ``pkg/apiserver/schema/defaulting/algorithm.go``,
PruneNonNullableNullsWithoutDefaults).
Server-side apply checks them before: "Invalid value: null".
"""

APPLIED_NULL = (
    "rendered manifests leave the null out, kubectl apply drops it,"
    " and server-side apply (Flux, Helm 4, Argo CD with ServerSideApply=true) refuses it"
)
