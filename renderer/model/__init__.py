"""The values that are passed between stages. Leaf package, standard library only, no I/O."""
