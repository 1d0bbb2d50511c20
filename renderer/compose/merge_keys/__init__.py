"""Which lists merge by key: those of Kubernetes' kinds, of KubeVirt's, and of schemas of the user's own."""
