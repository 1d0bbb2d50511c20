"""Updates that a cluster refuses, since a field stays as the object was created.

A row is a group of fields. What only the cluster knows, such as the storage class that it chose, is not
judged: a refusal is reported only if it is certain from both manifests, or from the cluster's object.
Kubernetes has no target release here: a row holds for every release of Kubernetes that the releases of
KubeVirt run on, and what a later one admits is admitted.
"""
