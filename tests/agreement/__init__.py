"""The same input through every owner of a fact, over all releases that can be rendered for."""
