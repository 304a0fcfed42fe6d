"""Simulated worlds, students and teachers: for benchmarks, tests and demos, never for claims about models."""

from sharpen.simulate.actors import SimulatedStudent, SimulatedTeacher
from sharpen.simulate.spec import WORLDS, Spec, budget_of
from sharpen.simulate.world import Seen, Truth, World, hash64, line_of, tags_of, uniform

__all__ = [
    "WORLDS",
    "Seen",
    "SimulatedStudent",
    "SimulatedTeacher",
    "Spec",
    "Truth",
    "World",
    "budget_of",
    "hash64",
    "line_of",
    "tags_of",
    "uniform",
]
