"""The tools for writing sources: sizes, templates, catalogs, pins, migrations, files of ``init``."""
