"""What happens between the rounds of boosting: held-out errors and callbacks."""

from .._core._fit_tasks import FitTasks


class RoundObserver:
    """Reports the beginning and the end of fit and of its rounds."""

    # model: MyAdaBoost; X, y, sample_weight: as given to fit.
    def __init__(self, model, X, y, sample_weight):
        self._tasks = FitTasks(model, X, y, sample_weight, model.n_estimators)

    def watch(self, rows, is_weighted, validation, fitted_attributes):
        """Set the rows, the validation and how the fitted attributes are set."""
        # rows: TrainingRows; is_weighted: whether the caller gave sample weights;
        # validation: ValidationError or None. ``fitted_attributes(model)`` sets the
        # fitted attributes of a copy of the model as if the last round were the end.
        self._tasks.set_task_data(rows.X, rows.y, rows.weight if is_weighted else None)
        self._validation, self._fitted_attributes = validation, fitted_attributes

    def begin_round(self):
        """Report that a round begins."""
        self._tasks.begin("round")

    def end_round(self, member=None, alpha=0.0):
        """Report that a round ends; return whether boosting should stop."""
        # member: None if the round ended boosting.
        if member is None:
            return self._tasks.end()
        stop = self._validation and self._validation.add(member, alpha)
        asked_to = self._tasks.end(self._fitted_attributes)
        return stop or asked_to

    def end_fit(self):
        """Report that fit ends."""
        self._tasks.end_fit()
