"""How an answer becomes a score. One file per kind of comparison; `registry` knows them by name.

exact@1, contains@1, regex@1      words
number@1, math@1                  a number within a tolerance; equal as mathematics
f1@1, anls@1, choice@1            overlap of tokens, closeness of spelling, multiple choice
json@1, schema@1                  a JSON value, a JSON schema
command@1, python:module:function a command in the sandbox, the user's own function
Rubric, Graded                    a model that judges; `repeats` measures how often it repeats itself
checks@1                          whichever of these the task itself asks for
"""

from sharpen.tasks.scorers.anls import Anls
from sharpen.tasks.scorers.checks import Checks, own_check, read_check
from sharpen.tasks.scorers.choices import Choice
from sharpen.tasks.scorers.commands import Command
from sharpen.tasks.scorers.functions import Function
from sharpen.tasks.scorers.json_values import JsonEqual, JsonSchema
from sharpen.tasks.scorers.judging import Judge
from sharpen.tasks.scorers.mathematics import Mathematics
from sharpen.tasks.scorers.numbers import Number
from sharpen.tasks.scorers.overlap import F1
from sharpen.tasks.scorers.registry import SCORERS, scorer_for, scorer_named
from sharpen.tasks.scorers.repeats import Remembering, remembering
from sharpen.tasks.scorers.rubric import Agreement, Graded, Rubric, self_agreement
from sharpen.tasks.scorers.words import Contains, Exact, Regex

__all__ = [
    "F1",
    "SCORERS",
    "Agreement",
    "Anls",
    "Checks",
    "Choice",
    "Command",
    "Contains",
    "Exact",
    "Function",
    "Graded",
    "JsonEqual",
    "JsonSchema",
    "Judge",
    "Mathematics",
    "Number",
    "Regex",
    "Remembering",
    "Rubric",
    "own_check",
    "read_check",
    "remembering",
    "scorer_for",
    "scorer_named",
    "self_agreement",
]
