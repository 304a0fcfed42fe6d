"""Who answers: models of any provider behind one protocol, named `provider:model`.

`open_model` makes one, `complete` asks it, `worst_case` says beforehand what a request can cost at most.
Retries, limits and prices work alike for all; official SDKs do the talking and are loaded when first needed.
"""

from sharpen.models.completion import Completion, Finish
from sharpen.models.endpoint import PROVIDERS
from sharpen.models.errors import AnswerError, ContextError, ModelDownError, ModelError
from sharpen.models.keeping import Kept
from sharpen.models.limiter import Limiters
from sharpen.models.messages import Image, Message, Request, ToolCall, ToolSpec
from sharpen.models.model import Model
from sharpen.models.opening import open_model
from sharpen.models.prices import Price
from sharpen.models.recorded import Recorded
from sharpen.models.settings import ModelSettings
from sharpen.models.simulated import Simulated

__all__ = [
    "PROVIDERS",
    "AnswerError",
    "Completion",
    "ContextError",
    "Finish",
    "Image",
    "Kept",
    "Limiters",
    "Message",
    "Model",
    "ModelDownError",
    "ModelError",
    "ModelSettings",
    "Price",
    "Recorded",
    "Request",
    "Simulated",
    "ToolCall",
    "ToolSpec",
    "open_model",
]
