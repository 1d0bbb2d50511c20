"""Files on disk, in Git's objects and shipped with the package, and a record of the questions about them."""
