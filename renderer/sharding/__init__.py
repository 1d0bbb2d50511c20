"""Overlays shared out among several workers, each of which renders one shard."""
