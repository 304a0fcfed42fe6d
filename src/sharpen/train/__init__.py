"""Training one skill: the front door, two loops behind it, and what they are made of."""

from sharpen.train.plan import Plan, make_plan
from sharpen.train.result import TrainResult
from sharpen.train.run import atrain, train
from sharpen.train.settings import BatchSettings, TrainSettings

__all__ = ["BatchSettings", "Plan", "TrainResult", "TrainSettings", "atrain", "make_plan", "train"]
