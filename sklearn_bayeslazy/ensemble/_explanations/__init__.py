"""Explanations of ensembles: what columns, members and hypotheses contribute."""

from ._boosting import explain_members, explain_stumps
from ._hypotheses import explain_hypotheses

__all__ = ["explain_hypotheses", "explain_members", "explain_stumps"]
