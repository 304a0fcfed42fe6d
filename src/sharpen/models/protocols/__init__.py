"""How a request is spelled on each wire, and how an answer is read from it.

Pure functions of records and JSON: nothing here opens a connection or knows an SDK. Every protocol has a
`path`, `payload(request, seed)` and `completion(body, price)`; an answer of the wrong
shape raises `GarbledError`.
"""

from sharpen.models.protocols.chat import Chat
from sharpen.models.protocols.generate import Generate
from sharpen.models.protocols.messages import Messages
from sharpen.models.protocols.reading import GarbledError
from sharpen.models.protocols.responses import Responses
from sharpen.models.protocols.spelling import Spelling, Wire

__all__ = ["Chat", "GarbledError", "Generate", "Messages", "Responses", "Spelling", "Wire"]
