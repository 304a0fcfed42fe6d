"""Language models on this machine: their files, the engine that runs them, and the server in front.

Files and engine come from the package index, pinned by checksum, into the user's cache. The server is
llama.cpp's own, in child processes that die with their parent; it listens on loopback only and asks for a
key. What is asked of a model and what becomes of the answer, the rooms above know.
"""

from sharpen.models.local.cache import Notice, Progress, cache_folder, ignore
from sharpen.models.local.catalogue import CATALOGUE, DEFAULT, LocalModel, Wheel, find_model
from sharpen.models.local.engine import find_engine, pull_engine
from sharpen.models.local.gguf import GgufHeader, read_header
from sharpen.models.local.pull import is_pulled, model_file, pull
from sharpen.models.local.server import LocalServer, server_for

__all__ = [
    "CATALOGUE",
    "DEFAULT",
    "GgufHeader",
    "LocalModel",
    "LocalServer",
    "Notice",
    "Progress",
    "Wheel",
    "cache_folder",
    "find_engine",
    "find_model",
    "ignore",
    "is_pulled",
    "model_file",
    "pull",
    "pull_engine",
    "read_header",
    "server_for",
]
