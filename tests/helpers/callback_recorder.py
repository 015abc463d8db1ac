"""A callback of scikit-learn 1.9 that records the tasks of a fit."""


class Recorder:
    """Records the tasks and the models, and stops at a task of the given number."""

    def __init__(self, stop_after=None):
        self.stop_after, self.events, self.models = stop_after, [], []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {self.describe(context)}")

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator
    ):
        self.events.append(f"end {self.describe(context)}")
        self.data = X, y, metadata
        if context.task_name != "fit":
            self.models.append(fitted_estimator)
        return self.stop_after == len(self.models)

    def describe(self, context):
        """Return how events name a task."""
        return context.task_name

    def inner(self):
        """Return the events inside fit."""
        assert self.events[:2] == ["setup", "begin fit"]
        assert self.events[-2:] == ["end fit", "teardown"]
        return self.events[2:-2]
