"""The HyperConverged Cluster Operator: what it makes of a ``HyperConverged`` object, release by release."""
