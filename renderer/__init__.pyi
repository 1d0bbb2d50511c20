from renderer.app.api import (
    Comparison as Comparison,
)
from renderer.app.api import (
    Diagnostic as Diagnostic,
)
from renderer.app.api import (
    DiagnosticError as DiagnosticError,
)
from renderer.app.api import (
    Expanded as Expanded,
)
from renderer.app.api import (
    Explanation as Explanation,
)
from renderer.app.api import (
    Findings as Findings,
)
from renderer.app.api import (
    Fleet as Fleet,
)
from renderer.app.api import (
    FleetMachine as FleetMachine,
)
from renderer.app.api import (
    Overlay as Overlay,
)
from renderer.app.api import (
    Project as Project,
)
from renderer.app.api import (
    Rendered as Rendered,
)
from renderer.app.api import (
    RenderResult as RenderResult,
)
from renderer.app.api import (
    ResourceHistory as ResourceHistory,
)
from renderer.app.api import (
    UsageError as UsageError,
)
from renderer.app.api import (
    compare as compare,
)
from renderer.app.api import (
    compare_objects as compare_objects,
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
    list_fleet as list_fleet,
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
    validate_object as validate_object,
)
from renderer.app.api import (
    write as write,
)

__version__: str
__all__ = [
    "Comparison",
    "Diagnostic",
    "DiagnosticError",
    "Expanded",
    "Explanation",
    "Findings",
    "Fleet",
    "FleetMachine",
    "Overlay",
    "Project",
    "RenderResult",
    "Rendered",
    "ResourceHistory",
    "UsageError",
    "__version__",
    "compare",
    "compare_objects",
    "expand",
    "explain",
    "explain_code",
    "list_fleet",
    "list_overlays",
    "open_project",
    "render",
    "validate",
    "validate_object",
    "write",
]
