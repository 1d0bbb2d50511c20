"""The values that cross from one stage to the next. Leaf, standard library only, no I/O."""
