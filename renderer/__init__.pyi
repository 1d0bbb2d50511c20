from renderer.app.api import (
    DiagnosticError as DiagnosticError,
)
from renderer.app.api import (
    Project as Project,
)
from renderer.app.api import (
    UsageError as UsageError,
)
from renderer.app.api import (
    compare as compare,
)
from renderer.app.api import (
    expand as expand,
)
from renderer.app.api import (
    explain as explain,
)
from renderer.app.api import (
    explain_code as explain_code,
)
from renderer.app.api import (
    list_overlays as list_overlays,
)
from renderer.app.api import (
    open_project as open_project,
)
from renderer.app.api import (
    render as render,
)
from renderer.app.api import (
    validate as validate,
)
from renderer.app.api import (
    write as write,
)

__version__: str
__all__ = [
    "DiagnosticError",
    "Project",
    "UsageError",
    "__version__",
    "compare",
    "expand",
    "explain",
    "explain_code",
    "list_overlays",
    "open_project",
    "render",
    "validate",
    "write",
]
