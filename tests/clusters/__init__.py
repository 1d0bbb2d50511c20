"""Clusters as ``kubectl get … -o json|yaml`` prints them, made of objects as they stand in Git.

The rules are encoded here once more, from the sources of KubeVirt and Kubernetes and not from ``renderer/``,
so that a test which feeds both can fail. ``machines`` and ``sources`` make what Git holds, ``admission`` what
the API server and KubeVirt's webhooks make of it, ``controllers`` what virt-controller and CDI add to it, and
``field_managers`` who wrote what. ``cluster.generate`` is the door: the same seed gives the same cluster.
"""
