"""Inference in belief networks: elimination, junction trees, sampling, class scores."""

from ._class_scorer import class_scorer, evidence_terms
from ._elimination import log_posteriors, most_probable_explanation
from ._junction_tree import JunctionTree, family_marginals
from ._methods import ExactInference, SampledInference
from ._sampling import sample
