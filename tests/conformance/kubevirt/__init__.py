"""The suite ``kubevirt``: the results of KubeVirt's own code for the same objects.

One module per kind of case (``vm_cases``, ``revision_cases``, …) turns an input into ``Outputs``: a function
for every field of the output. ``comparison`` has the rules by which two results are equal.
"""

from __future__ import annotations

from tests.conformance.kubevirt.runner import run

__all__ = ["run"]
