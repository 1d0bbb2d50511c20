"""Products that bring KubeVirt: the release that each of theirs has, and what configures it.

``target_release`` reads what a user writes as the target release. ``product_release`` returns the row of a
release that was read so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import groupby

from renderer.kubevirt.facts import product_table as table
from renderer.model import release as kubevirt_release
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.release import LATEST, LATEST_KUBERNETES, OLDEST, OLDEST_KUBERNETES, Release
from renderer.model.suggest import suggest
from renderer.model.text_enum import TextEnum
from renderer.model.whole_number import version_numbers

_VERSION = r"[0-9]+(?:\.[0-9]+)*"
_NUMBERED = pattern(_VERSION)
#: The name of a release: that of the product, and its number or branch.
_NAMED = pattern(rf"(?P<product>.*[^-])-v?(?P<version>{_VERSION}|main|master)")
_PLAIN = "kubevirt"
_UNKNOWN = "-"
_EXAMPLE = "hco-1.18"


class Configuration(TextEnum):
    """What writes the ``KubeVirt`` object of a product."""

    USER = "user"  # its defaults are KubeVirt's own
    HYPERCONVERGED = "hyperconverged"  # the operator, from a HyperConverged object
    CHART = "chart"  # the product's chart, with feature gates of its own


class ProductRelease(Record):
    """One release of a product; unknown facts are None or empty.

    ``kubernetes`` is the minor that it runs on, or that its KubeVirt is built for. ``hyperconverged`` is the
    release of the HyperConverged operator. ``feature_gates`` are those that its chart turns on.
    """

    product: str
    version: str
    kubevirt: Release
    source: str
    kubernetes: Release | None = None
    hyperconverged: str = ""
    cdi: str = ""
    ssp: str = ""
    virt_template: str = ""
    feature_gates: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the release, such as ``hco-1.17.3``."""
        return f"{self.product}-{self.version}"


class ReleaseSpan(Record):
    """Releases of a product, one after the other, with one KubeVirt and one Kubernetes."""

    first: ProductRelease
    last: ProductRelease

    @property
    def names(self) -> str:
        """The names of the releases: ``hco-1.17.2 to 1.17.3``."""
        return self.first.name if self.first == self.last else f"{self.first.name} to {self.last.version}"

    @property
    def kubevirt(self) -> Release:
        """The release of KubeVirt that they bring."""
        return self.first.kubevirt

    @property
    def kubernetes(self) -> Release | None:
        """The minor of Kubernetes, if it is known."""
        return self.first.kubernetes


class Product(Record):
    """A product with its releases, the oldest first."""

    name: str
    title: str
    configuration: Configuration
    releases: tuple[ProductRelease, ...]

    @property
    def newest(self) -> ProductRelease:
        """The newest release that has a number."""
        return next(each for each in reversed(self.releases) if _NUMBERED.fullmatch(each.version))

    @property
    def spans(self) -> tuple[ReleaseSpan, ...]:
        """The releases as spans, the oldest first."""
        alike = groupby(self.releases, lambda each: (each.kubevirt, each.kubernetes))
        grouped = [tuple(releases) for _, releases in alike]
        return tuple(ReleaseSpan(releases[0], releases[-1]) for releases in grouped)

    def release(self, version: str) -> ProductRelease | None:
        """Return the release with that version, or else the newest patch release of that minor."""
        exact = next((each for each in self.releases if each.version == version), None)
        if exact or "." not in version:
            return exact
        patches = [each for each in self.releases if each.version.rpartition(".")[0] == version]
        return patches[-1] if patches else None

    def near(self, version: str) -> tuple[str, ...]:
        """Return the names of releases near to one that is unknown.

        They are its minor if that is known, and the releases before and after it if not.
        """
        if not _NUMBERED.fullmatch(version):
            return suggest(f"{self.name}-{version}", (each.name for each in self.releases))
        minor = version.rpartition(".")[0]
        if self.release(minor):
            return (f"{self.name}-{minor}",)
        wanted = version_numbers(version)
        numbered = [each for each in self.releases if _NUMBERED.fullmatch(each.version)]
        older = [each.name for each in numbered if version_numbers(each.version) < wanted]
        newer = [each.name for each in numbered if version_numbers(each.version) > wanted]
        return (*older[-1:], *newer[:1])

    def nearest_supported(self, release: ProductRelease) -> ProductRelease | None:
        """Return the release nearest to ``release`` whose KubeVirt is supported."""
        at = self.releases.index(release)
        supported = [index for index, each in enumerate(self.releases) if is_supported(each.kubevirt)]
        nearest = min(supported, key=lambda index: abs(index - at), default=None)
        return None if nearest is None else self.releases[nearest]


def target_release(text: str, imported: Collection[Release] = ()) -> Release:
    """Return the release of KubeVirt to render for, from ``1.8``, ``v1.8.4`` or ``hco-1.17``.

    Its minor is known, or its schemas are ``imported``. A minor of a product without a patch means its newest
    patch release. Raises ``ValueError``, with a message for users, for any other text.
    """
    if text.removeprefix("v")[:1].isdecimal():
        return kubevirt_release.target_release(text, imported)
    found = _NAMED.fullmatch(text)
    if found is None:
        raise ValueError(_not_a_release(text))
    name, version = found["product"], found["version"]
    if name == _PLAIN:
        return kubevirt_release.target_release(version, imported)
    product = _product(name, version)
    release = product.release(version)
    if release is None:
        near = " or ".join(product.near(version) or [product.newest.name])
        raise ValueError(f"there is no release {version} of {name}; did you mean {near}?")
    kubevirt = release.kubevirt
    if not is_supported(kubevirt) and kubevirt.minor_release not in imported:
        nearest = product.nearest_supported(release)
        known = f"; the nearest that is: {nearest.name}, with KubeVirt {nearest.kubevirt}" if nearest else ""
        raise ValueError(f"{release.name} has KubeVirt {kubevirt}, which is not supported{known}")
    return kubevirt._replace(product=f"{name}-{version}")


def is_supported(kubevirt: Release) -> bool:
    """Return True if vmrender has the schemas and the behaviour of that release, and KubeVirt has made it."""
    return OLDEST <= kubevirt.minor_release <= LATEST


def product_release(release: Release) -> ProductRelease | None:
    """Return the row of the product that brings a target release; None if the user names no product."""
    if not release.product:
        return None
    name, _, version = release.product.rpartition("-")
    product = _find(name)
    return product.release(version) if product else None


def kubernetes_of(release: Release) -> Release | None:
    """Return the minor of Kubernetes under a target release's product; None if that is not known.

    A minor that has no types here is replaced by the nearest that has.
    """
    row = product_release(release)
    if row is None or row.kubernetes is None:
        return None
    return min(max(row.kubernetes, OLDEST_KUBERNETES), LATEST_KUBERNETES)


def configuration_of(release: Release) -> Configuration:
    """Return what writes the ``KubeVirt`` object of a target release's product."""
    row = product_release(release)
    product = _find(row.product) if row else None
    return product.configuration if product else Configuration.USER


@lru_cache(maxsize=1)
def products() -> tuple[Product, ...]:
    """Return all products, KubeVirt itself first."""
    user, operator, chart = Configuration.USER, Configuration.HYPERCONVERGED, Configuration.CHART
    made = (
        (_PLAIN, "KubeVirt", user, _kubevirt()),
        ("hco", "HyperConverged Cluster Operator", operator, _hyperconverged()),
        ("openshift-virtualization", "OpenShift Virtualization", operator, _openshift_virtualization()),
        ("harvester", "Harvester", chart, _harvester()),
        ("cozystack", "Cozystack", user, _cozystack()),
        ("suse-edge", "SUSE Edge, by its chart kubevirt", user, _suse_edge()),
        ("kubevirt-community-stack", "KubeVirt Community Stack, by its chart", user, _community_stack()),
    )
    return tuple(
        Product(name, title, configuration, tuple(each._replace(product=name) for each in releases))
        for name, title, configuration, releases in made
    )


def _kubevirt() -> Iterator[ProductRelease]:
    for version, (kubernetes, template) in _patch_releases(table.KUBEVIRT):
        yield _release(version, version, table.KUBEVIRT_SOURCE, kubernetes)._replace(
            virt_template=_known(template)
        )


def _hyperconverged() -> Iterator[ProductRelease]:
    for version, (kubevirt, kubernetes, *operators) in _patch_releases(table.HYPERCONVERGED):
        release = _release(version, kubevirt, table.HYPERCONVERGED_SOURCE, kubernetes)
        yield _with_operators(release, version, *operators)


def _openshift_virtualization() -> Iterator[ProductRelease]:
    for version, operator, kubevirt, kubernetes, *operators in _rows(table.OPENSHIFT_VIRTUALIZATION):
        source = table.OPENSHIFT_VIRTUALIZATION_SOURCE.format(ref=_ref(operator))
        yield _with_operators(_release(version, kubevirt, source, kubernetes), operator, *operators)


def _harvester() -> Iterator[ProductRelease]:
    gates: tuple[str, ...] = ()
    for version, (kubevirt, kubernetes) in _patch_releases(table.HARVESTER):
        if version in table.HARVESTER_GATES:
            gates = tuple(table.HARVESTER_GATES[version].split())
        release = _release(version, kubevirt, table.HARVESTER_SOURCE, kubernetes)
        yield release._replace(feature_gates=gates)


def _cozystack() -> Iterator[ProductRelease]:
    newest = [version_numbers(version) for version in table.COZYSTACK_NEWEST.split()]
    released = [(major, minor, patch) for major, minor, last in newest for patch in range(last + 1)]
    for first, last, kubevirt, cdi in _rows(table.COZYSTACK):
        span = [first]
        if _NUMBERED.fullmatch(first):
            bounds = version_numbers(first), version_numbers(last)
            span = [".".join(map(str, each)) for each in released if bounds[0] <= each <= bounds[1]]
        for version in span:
            yield _release(version, kubevirt, table.COZYSTACK_SOURCE)._replace(cdi=cdi)


def _suse_edge() -> Iterator[ProductRelease]:
    for version, (kubevirt,) in _patch_releases(table.SUSE_EDGE):
        yield _release(version, kubevirt, table.SUSE_EDGE_SOURCE)


def _community_stack() -> Iterator[ProductRelease]:
    for version, (kubevirt,) in _patch_releases(table.COMMUNITY_STACK):
        yield _release(version, kubevirt, table.COMMUNITY_STACK_SOURCE)


def _release(version: str, kubevirt: str, source: str, kubernetes: str = _UNKNOWN) -> ProductRelease:
    return ProductRelease(
        "",
        version,
        Release.parse(kubevirt),
        source.format(ref=_ref(version), version=version),
        None if kubernetes == _UNKNOWN else Release.parse(kubernetes),
    )


def _with_operators(
    release: ProductRelease, hyperconverged: str, cdi: str, ssp: str, template: str
) -> ProductRelease:
    return release._replace(hyperconverged=hyperconverged, cdi=cdi, ssp=ssp, virt_template=_known(template))


def _rows(text: str) -> Iterator[list[str]]:
    return (line.split() for line in text.strip().splitlines())


def _patch_releases(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each patch release of the rows of a table, with the facts of its row."""
    for first, last, *facts in _rows(text):
        minor, _, patch = first.rpartition(".")
        if first == last:
            yield first, facts
            continue
        for each in range(int(patch), int(last.rpartition(".")[2]) + 1):
            yield f"{minor}.{each}", facts


def _ref(version: str) -> str:
    """Return the tag or the branch of a release in the repositories that it is read from."""
    if not _NUMBERED.fullmatch(version):
        return version
    return f"v{version}" if version.count(".") > 1 else f"release-{version}"


def _known(text: str) -> str:
    return "" if text == _UNKNOWN else text


def _find(name: str) -> Product | None:
    return next((each for each in products() if each.name == name), None)


def _product(name: str, version: str) -> Product:
    """Return the product of that name. Raises ``ValueError`` with the near names."""
    found = _find(name)
    if found is None:
        near = suggest(name, _names()) or [
            each.name for each in products() if name.lower() in f"{each.name} {each.title}".lower()
        ]
        meant = " or ".join(f"{each}-{version}" for each in near)
        advice = f"did you mean {meant}?" if near else f"the products are {', '.join(_names())}"
        raise ValueError(f"there is no product {name!r}; {advice}")
    return found


def _not_a_release(text: str) -> str:
    near = next(iter(suggest(text, _names())), None)
    product = _find(near) if near else None
    if product is None:
        message = kubevirt_release.not_a_release(text)
        is_branch = text in kubevirt_release.BRANCHES
        return message if is_branch else f"{message}, or as the release of a product, such as {_EXAMPLE}"
    return f"{text!r} names no release; write it as {product.newest.name}"


def _names() -> Iterable[str]:
    return (each.name for each in products())
