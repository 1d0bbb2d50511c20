"""Networks and interfaces (KubeVirt ``pkg/network/admitter``)."""
