"""Find the instance type and the preference that reproduce a VirtualMachine.

``fit`` is the entry point: expansion in reverse. ``instancetype_fields`` and ``preference_fields`` find the
fields of an expanded VirtualMachine that an object would set again, by applying it. ``candidates`` indexes a
catalog by these fields, and orders equally good fits. Every answer is expanded and admitted before it is
returned; if nothing fits, ``fit`` finds the smallest difference. ``series`` proposes an
``InstancetypeSeries`` for sizes that no catalog has; ``grouping`` makes a base and patches for manifests that
have much in common.
"""
