"""Running skills and judging them: the one place where a skill is measured, and the only one that spends."""

from sharpen.evaluate.blocking import run_blocking
from sharpen.evaluate.calling import EDITS, Attempt, Call, Question
from sharpen.evaluate.compare import acompare, aevaluate, compare, evaluate, within_variance
from sharpen.evaluate.gates import Gate, Held, make_gate
from sharpen.evaluate.leaks import Leaks, gold_of
from sharpen.evaluate.ledger import Ledger
from sharpen.evaluate.measurements import Compared, Evaluated, EvaluateSettings
from sharpen.evaluate.passes import Measured, Value, evaluation_of, measure, valued_by
from sharpen.evaluate.runner import Answer, Runner
from sharpen.store import Proposal

__all__ = [
    "EDITS",
    "Answer",
    "Attempt",
    "Call",
    "Compared",
    "EvaluateSettings",
    "Evaluated",
    "Gate",
    "Held",
    "Leaks",
    "Ledger",
    "Measured",
    "Proposal",
    "Question",
    "Runner",
    "Value",
    "acompare",
    "aevaluate",
    "compare",
    "evaluate",
    "evaluation_of",
    "gold_of",
    "make_gate",
    "measure",
    "run_blocking",
    "valued_by",
    "within_variance",
]
