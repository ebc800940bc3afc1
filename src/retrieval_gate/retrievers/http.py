"""`http://…` and `https://…`: a retriever behind a server, by the contract or in the shape of a search engine."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.retrievers.http_request import address_of, form_of, settings_of
from retrieval_gate.retrievers.port import Opening, Retriever

_LIBRARY_MAJOR = 2


def check_http(spec: AblationSpec) -> None:
    """Raises ConfigError for what can not work, from the address to the library that is needed."""
    address_of(spec)
    form_of(spec)
    _check_certificates(spec)
    _check_library()


def open_http(specs: Sequence[AblationSpec], opening: Opening) -> tuple[Retriever, ...]:
    """One carrier per spec."""
    # urllib3 and what speaks the contract are the workers' only: the command line starts fast.
    from retrieval_gate.retrievers.foreign import open_foreign
    from retrieval_gate.retrievers.http_carrier import HttpCarrier

    return open_foreign(specs, opening, lambda spec, _: HttpCarrier(spec))


def _check_certificates(spec: AblationSpec) -> None:
    ca_file = settings_of(spec).ca_file
    if ca_file is None:
        return
    if spec.scheme != "https":
        raise ConfigError(
            "ca-file-unused",
            f"ablation {spec.id} has http.ca-file without TLS",
            fix="write https://, or remove it",
        )
    import ssl  # late: only an ablation with certificates needs it

    try:
        ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # SSLError is one
        raise ConfigError(
            "bad-ca-file",
            f"http.ca-file of ablation {spec.id} is not there, or holds no certificate ({type(error).__name__})",
            fix="give a PEM file, by its path from the working folder",
        ) from None


def _check_library() -> None:
    from importlib.metadata import PackageNotFoundError, version  # late: only an ablation over HTTP needs it

    try:
        major = int(version("urllib3").partition(".")[0])
    except (PackageNotFoundError, ValueError):
        major = 0
    if major < _LIBRARY_MAJOR:
        raise ConfigError(
            "no-urllib3",
            f"http:// and https:// need urllib3 of version {_LIBRARY_MAJOR} or later, which is not installed",
            fix="pip install 'retrieval-gate[http]'",
        )
