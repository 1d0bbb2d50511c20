"""The only place where the stages meet: load → compose → expand → name → validate → review → judge.

A stage is imported when it is first needed: a command pays for what it does, and no more.
"""

from renderer.pipeline.pipeline import Pipeline

__all__ = ["Pipeline"]
