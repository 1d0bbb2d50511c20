"""Files on disk, in Git's objects and shipped with the package, and the record of what was asked of them."""
