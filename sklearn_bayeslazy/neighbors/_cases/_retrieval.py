"""Retrieved cases: which they are, how similar, and why, by attribute."""

from dataclasses import dataclass

import numpy as np

from ...tabular import import_pandas


@dataclass
class Retrieval:
    """The stored cases that are most similar to each of some cases.

    Attributes
    ----------
    indices : int array of shape (n_samples, n_cases)
        Of the stored cases, most similar first.
    similarities : ndarray of shape (n_samples, n_cases)
        From 0 to 1: over the attributes their weighted mean, or 1 less the root of the
        weighted mean of (1 - similarity)², for aggregation="euclidean".
    by_attribute : ndarray of shape (n_samples, n_cases, n_features)
        The similarity along each attribute. ``by_attribute @ weights`` are the
        similarities, for aggregation="mean".
    weights : ndarray of shape (n_features,)
        The weights of the attributes, whose sum is 1.
    answers : ndarray of shape (n_samples, n_cases)
        The class or the number of each retrieved case.
    feature_names : list of str
    """

    indices: np.ndarray
    similarities: np.ndarray
    by_attribute: np.ndarray
    weights: np.ndarray
    answers: np.ndarray
    feature_names: list

    def frame(self, row=0):
        """Return what was retrieved for one case as a pandas frame.

        A row for each retrieved case; columns "similarity" and "answer", then the
        similarity along each attribute, the attribute of the largest weight first.
        """
        pd = import_pandas()
        columns = {"similarity": self.similarities[row], "answer": self.answers[row]}
        for j in np.argsort(-self.weights, kind="stable"):
            name = self.feature_names[j]
            name = f"{name} (attribute)" if name in columns else name
            columns[name] = self.by_attribute[row][:, j]
        return pd.DataFrame(columns, index=pd.Index(self.indices[row], name="case"))
