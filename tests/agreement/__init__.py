"""The same input through every owner of a fact, over all target releases."""
