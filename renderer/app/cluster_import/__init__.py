"""The parts of an import from a dump of a cluster: ``app/import_cluster.py`` knows their order.

``target``        the cluster that the import is of, and the project as it sees it
``files``         the plan of all files: sources, pins, sizes and facts
``objects``       the objects as they are written, without credentials, each in its file
``existing``      which of them Git has already
``fit``, ``sizes``          instance types for machines that name none, and the sizes that they share
``installed``, ``revisions``  what the cluster has of instance types, and what it recorded for its machines
``project_file``, ``entries``  the entries in ``vmrender.yaml``, and the objects by which an engine deploys
``outlook``       what the first sync does to machines, and the steps to take before it
``facts``         ``import --facts``: the facts of a cluster alone
"""
