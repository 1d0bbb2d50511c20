"""What KubeVirt's own code does, release by release."""
