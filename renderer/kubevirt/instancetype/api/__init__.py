"""The Go types of KubeVirt's instance type API, as far as decoding depends on them."""
