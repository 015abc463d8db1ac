"""What happens between the rounds of boosting: held-out errors and callbacks.

scikit-learn calls the fit of a model a task, and each round a task inside it. Releases
before 1.9 have no callbacks, and then there is no context to report to.
"""

from copy import copy

from .._compat import callback_context


class RoundObserver:
    """Reports the begin and the end of fit and of its rounds.

    Parameters
    ----------
    model : MyAdaBoost
    X, y, sample_weight : as given to fit
    """

    def __init__(self, model, X, y, sample_weight):
        self._model = model
        self._fit_data = _hook_arguments(model, X, y, sample_weight)
        self._context = callback_context(model, model.n_estimators)
        if self._context:
            self._context.call_on_fit_task_begin(**self._fit_data)

    def watch(self, rows, is_weighted, validation, fitted_attributes):
        """Set what the rounds are about.

        Parameters
        ----------
        rows : TrainingRows
        is_weighted : bool
            Whether the caller gave sample weights.
        validation : ValidationError or None
        fitted_attributes : callable
            ``fitted_attributes(model)`` sets the fitted attributes of a copy of the
            model as if the last round were the end.
        """
        weight = rows.weight if is_weighted else None
        self._round_data = _hook_arguments(self._model, rows.X, rows.y, weight)
        self._validation, self._fitted_attributes = validation, fitted_attributes

    def begin_round(self):
        """Report that a round begins."""
        if self._context:
            self._round = self._context.subcontext(task_name="round")
            self._round.call_on_fit_task_begin(**self._round_data)

    def end_round(self, member=None, alpha=0.0):
        """Report that a round ends, without a member if it ended boosting.

        Returns
        -------
        bool
            Whether boosting should stop.
        """
        is_empty = member is None
        stop = not is_empty and self._validation and self._validation.add(member, alpha)
        if not self._context:
            return stop
        attributes = None if is_empty else self._attributes_so_far
        asked_to = self._round.call_on_fit_task_end(
            **self._round_data, reconstruction_attributes=attributes
        )
        return stop or asked_to

    def _attributes_so_far(self):
        """Return the attributes of a model whose fit had ended with this round."""
        model = copy(self._model)
        self._fitted_attributes(model)
        return vars(model)

    def end_fit(self):
        """Report that fit ends."""
        if self._context:
            self._context.call_on_fit_task_end(
                **self._fit_data, reconstruction_attributes={}
            )


def _hook_arguments(model, X, y, sample_weight):
    """Return the arguments of the hooks of callbacks."""
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    return {"estimator": model, "X": X, "y": y, "metadata": metadata}
