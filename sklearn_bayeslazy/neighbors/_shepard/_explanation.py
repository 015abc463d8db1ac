"""Explanations: the training rows that decided an answer, and the share of each."""

from numbers import Integral

import numpy as np
from scipy import sparse

from ...explain import Explanation, format_value
from ...tabular import import_pandas, object_array, take_rows

# If the listed rows lack more than this share of the votes, the others are one part.
_MIN_SHARE = 1e-12
OTHER_ROWS = "(other rows)"


class NeighborExplanation(Explanation):
    """The training rows behind each answer, and what each contributes.

    An answer is a weighted mean of the rows' targets, and for classes of the prior. So
    with the base b, the mean of all targets or the prior probabilities, it is

        b + A Σ_i share_i (y_i - b),

    and a row's contribution is A share_i (y_i - b). For classes y_i is 1 for the class
    of the row and 0 for others, and A the weight of the votes beside the prior's in the
    m-estimate; for numbers A = 1. All rows that are not listed are one part, "(other
    rows)".

    Attributes
    ----------
    rows : int array of shape (n_samples, n_listed)
        Indices of the training rows, as they were given to `fit`, nearest first; -1
        after the end of a list.
    distances : ndarray of shape (n_samples, n_listed)
        In units of the metric; NaN after the end.
    shares : ndarray of shape (n_samples, n_listed)
        The share of each row in all votes, times the factor of its class; the prior of
        an m-estimate has none. Shares sum to 1 if all votes are listed: all rows at the
        k-th distance share the last votes.
    targets : ndarray of shape (n_samples, n_listed) or (..., n_outputs)
        The class or the numbers that each row votes for.
    column_distances : ndarray of shape (n_samples, n_listed, n_features) or None
        How far each row is along each column; NaN after the end of a list. For
        Euclidean metrics, "auto" and "hvdm" included, their squares sum to the square
        of the distance. None if the distance has no parts by column, or n_rows=None.
    feature_names : list of str
        Names of the columns.
    terms, base, outputs, unit
        As of :class:`~sklearn_bayeslazy.Explanation`. If classes have several outputs,
        each of `outputs` is a pair (number of the output, class).
    """

    def __init__(self, rows, distances, shares, terms):
        self.rows = rows
        self.distances = distances
        self.shares = shares
        self.targets = terms.targets.values(np.maximum(rows, 0))
        self.column_distances = self.feature_names = None
        is_class = terms.targets.are_classes
        super().__init__(
            terms,
            np.tile(terms.base, (len(rows), 1)),
            terms.targets.labels(),
            names=(),
            unit="probability" if is_class else "target units",
            part="row",
            base_name="(prior)" if is_class else "(mean)",
        )

    def frame(self, row=0, X=None, *, target=None, against=None):
        """Return the contributions to one answer, the most important row first.

        Parameters
        ----------
        row : int, default=0
            Which answer.
        X : {array-like, dataframe, sparse matrix} of shape (n_samples_fit, n_features)
            By default None. The training rows as they were given to `fit`. Their cells
            are added to the frame, "(column)" to names that the frame has already.
        target, against : object, default=None
            As in :meth:`effects`.

        Returns
        -------
        DataFrame
            Indexed by the training rows, with the columns "distance", "share",
            "target" and the unit of the contribution, which sums to the answer. The
            first row is the base.
        """
        pd = import_pandas()
        frame = super().frame(row, target, against)
        if X is None:
            return frame
        index = frame.index[[isinstance(one, Integral) for one in frame.index]]
        rows = index.to_numpy(dtype=int)
        if sparse.issparse(X):
            X = X.tocsr()[rows].toarray()
            rows = slice(None)
        cells = take_rows(X if hasattr(X, "shape") else pd.DataFrame(X), rows)
        if hasattr(cells, "to_pandas"):  # polars
            cells = cells.to_pandas()
        names = [
            f"{name} (column)" if name in frame.columns else name
            for name in self.feature_names[: cells.shape[1]]  # no indicators
        ]
        cells = pd.DataFrame(cells).set_axis(names, axis=1)
        return frame.join(cells.set_axis(index))

    def column_frame(self, row=0):
        """Return `column_distances` of one answer, a column of the frame for each of X.

        The columns that add most to the distances of the listed rows come first.
        """
        pd = import_pandas()
        if self.column_distances is None:
            raise ValueError(
                "There are no distances by column: explain fewer rows than "
                "n_rows=None, with a metric that adds up differences of columns."
            )
        listed = self.rows[row] >= 0
        distances = self.column_distances[row, listed]
        order = np.argsort(-np.nansum(distances**2, axis=0), kind="stable")
        index = pd.Index(self.rows[row, listed], name="row")
        names = [self.feature_names[j] for j in order]
        return pd.DataFrame(distances[:, order], index=index, columns=names)

    def part_names(self, row=0):
        """Return the indices of the rows of an answer, in the order of `terms`."""
        row = self._position(row)
        rows = self.rows[row][self.rows[row] >= 0].tolist()
        return object_array(rows + [OTHER_ROWS] * self._n_others(row))

    def _n_others(self, row):
        """Return 1 if other rows than those listed have voted, else 0."""
        return len(self.terms[row]) - int(np.sum(self.rows[row] >= 0))

    def _values(self, row):
        """Return the targets of the rows, several of one row as a text."""
        targets = self.targets[row][self.rows[row] >= 0].tolist()
        if self.targets.ndim == 3:
            targets = [", ".join(map(format_value, one)) for one in targets]
        return targets + [""] * self._n_others(row)

    def _label(self, name, value):
        return f"row {name}: {value}" if value else str(name)

    def _details(self, row):
        listed, n_others = self.rows[row] >= 0, self._n_others(row)
        shares, targets = self.shares[row, listed], self.targets[row, listed]
        columns = {
            "distance": np.append(self.distances[row, listed], [np.nan] * n_others),
            "share": np.append(shares, [1 - shares.sum()] * n_others),
        }
        by_name = {"target": targets}
        if targets.ndim == 2:
            by_name = {f"target {v}": one for v, one in enumerate(targets.T)}
        for name, cells in by_name.items():
            empty = np.nan if cells.dtype.kind == "f" else ""
            cells = object_array([*cells.tolist(), *[empty] * n_others])
            columns[name] = cells.astype(float) if empty != "" else cells
        return columns


class RowTerms:
    """The contributions of the voting rows, computed when they are read."""

    def __init__(self, targets, rows, shares, answers, vote_weight):
        # rows: (m, n_listed), of the search, -1 after the end of a list; shares:
        # (m, n_listed).
        # answers: (m, n_outputs), the predictions.
        # vote_weight: (m, n_outputs), the weight A of the votes in them.
        # base: (n_outputs,).
        self.targets = targets
        self.rows = rows
        self.shares = shares
        self.answers = answers
        self.vote_weight = vote_weight
        self.base = targets.reference()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, row):
        """Return the terms (n_parts, n_outputs) of one answer."""
        listed = self.rows[row] >= 0
        shares = self.shares[row, listed]
        terms = self.targets.indicators(self.rows[row, listed]) - self.base
        terms *= shares[:, None] * self.vote_weight[row]
        if 1 - shares.sum() > _MIN_SHARE:
            rest = self.answers[row] - self.base - terms.sum(axis=0)
            terms = np.vstack([terms, rest])
        return terms


def explain_votes(vote, queries, n_rows, map_rows):
    """Return the voting rows of transformed queries, nearest first."""
    # vote: `ExactVote`; queries: (n_samples, n_columns), dense or sparse.
    # n_rows: the number of voting rows to list for each query; None for all.
    # map_rows(function, n_rows, bytes_per_row) calls function(rows) for slices of the
    # queries. Rows of the `NeighborExplanation` count from those of the search, without
    # those of weight 0.
    if n_rows is not None and not (isinstance(n_rows, Integral) and n_rows >= 1):
        raise ValueError(f"n_rows must be an integer ≥ 1 or None, got {n_rows!r}.")
    n_rows = None if n_rows is None else int(n_rows)
    m, n = queries.shape[0], vote.search.n_rows
    metric, targets = vote.search.metric, vote.targets
    weighted_k = vote.search_k(n_rows)
    width = n if n_rows is None else min(n_rows, n)
    parts = {}
    answers, weight = np.empty((2, m, targets.n_outputs))

    def list_voters(rows):
        listed = vote.list_votes(queries, rows, weighted_k, width)
        share, present = targets.vote_shares(listed), listed.present
        parts[rows.start] = (
            np.where(present, listed.rows, -1),
            np.where(present, metric.distances(listed.reduced), np.nan),
            np.where(present, share, np.nan),
        )
        answers[rows] = targets.predictions(listed)
        weight[rows] = targets.weight_of_votes(listed)

    map_rows(list_voters, m, 64 * weighted_k.width)
    longest = max(int((rows >= 0).sum(axis=1).max()) for rows, *_ in parts.values())
    indices = np.full((m, longest), -1)
    distances, shares = np.full((2, m, longest), np.nan)
    for start, found in parts.items():
        for whole, part in zip((indices, distances, shares), found):
            part = part[:, :longest]
            whole[start : start + len(part), : part.shape[1]] = part
    terms = RowTerms(targets, indices, shares, answers, weight)
    return NeighborExplanation(indices, distances, shares, terms)
