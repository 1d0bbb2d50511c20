"""A virtual machine names a Secret that was meant to come from this overlay, and does not.

Secrets stand in volumes, in cloud-init (`secretRef`, `networkDataSecretRef`), in `accessCredentials`, in
sysprep and in the sources of `dataVolumeTemplates`. The machine waits for a Secret that is missing, and does
not start. Reported are Secrets that kustomize renamed with a prefix, a suffix or a hash, as it does not know
where virtual machines name them; those whose name differs by a slip from one that nothing uses; and those
that only another namespace has. What Sealed Secrets, External Secrets, cert-manager and the like make
counts.

Wrong, as the Secret is called `prod-web-init` after the build:

```yaml
# kustomization.yaml
namePrefix: prod-
resources: [secret.yaml, vm.yaml]
# vm.yaml, in a volume
cloudInitNoCloud:
  secretRef: {name: web-init}
```

Right:

```yaml
# kustomization.yaml
namePrefix: prod-
resources: [secret.yaml, vm.yaml]
configurations: [references.yaml]
# references.yaml
nameReference:
  - kind: Secret
    fieldSpecs:
      - kind: VirtualMachine
        path: spec/template/spec/volumes/cloudInitNoCloud/secretRef/name
```

What is not in Git may be in the cluster, so nothing is said where nothing in the overlay was meant. With
`secret-not-found: {strict: true}` in `rules` of `vmrender.yaml` every Secret that the overlay does not hold
is reported.
"""

from __future__ import annotations

from functools import partial

from renderer.model.codes import Code
from renderer.model.rule_settings import Level
from renderer.rules.dangling import dangling, strictly_dangling
from renderer.rules.references import SECRET
from renderer.rules.rule import Rule

RULE = Rule(
    Code.SECRET_NOT_FOUND,
    Level.WARNING,
    partial(dangling, kind=SECRET),
    __doc__,
    strict=partial(strictly_dangling, kind=SECRET),
)
