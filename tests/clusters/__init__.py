"""Clusters as ``kubectl get … -o json|yaml`` prints them, made of objects in Git.

The rules are implemented here a second time, from the sources of KubeVirt and Kubernetes and not from
``renderer/``, so that a test that compares both can fail. ``machines`` and ``sources`` make the objects in
Git, ``admission`` adds the changes of the API server and KubeVirt's webhooks, ``controllers`` those of
virt-controller and CDI, and ``field_managers`` records who wrote each field. ``cluster.generate`` is the
entry point: the same seed gives the same cluster.
"""
