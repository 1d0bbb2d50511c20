"""Facts about KubeVirt that several stages need; pure, and independent of every stage."""
