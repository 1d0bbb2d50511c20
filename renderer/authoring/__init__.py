"""What people write sources with: sizes, templates, catalogs, pins, migrations, files of ``init``."""
