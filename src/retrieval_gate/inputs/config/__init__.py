"""The configuration: `retrieval-gate.toml`, or `[tool.retrieval-gate]` in pyproject.toml."""

from retrieval_gate.inputs.config.defaults import default_config
from retrieval_gate.inputs.config.load import CONFIG_BYTE_LIMIT, find_config, load_config
from retrieval_gate.inputs.config.schema import config_schema

__all__ = ["CONFIG_BYTE_LIMIT", "config_schema", "default_config", "find_config", "load_config"]
