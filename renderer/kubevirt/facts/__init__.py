"""Facts about KubeVirt and its objects that several stages share: pure values and functions on JSON trees.

``virtual_machine``  one view of every kind that creates virtual machines, with the paths of its parts
``cluster``          the ``KubeVirt`` object's configuration, and its meaning at a release
``feature_gates``    the state of each feature gate by release
``products``         the releases of products, and the KubeVirt that each brings
``confidential``     what of an object is confidential
``lists``            pairing of list elements by name, and the fields in which two trees differ
``sizes``            vCPUs, memory and GPUs of a virtual machine
"""
