"""The tasks of an iterative fit, reported to the callbacks of scikit-learn 1.9.

scikit-learn calls the fit of a model a task, and each iteration a task inside it.
Releases before 1.9 have no callbacks; then there is nothing to report to.
"""

from copy import copy
from functools import partial

from ._compat import callback_context


class FitTasks:
    """Reports the beginning and the end of fit and of the tasks inside it."""

    def __init__(self, model, X, y=None, sample_weight=None, n_tasks=None):
        # X, y, sample_weight: as given to fit. n_tasks: the largest number of tasks
        # inside fit, None if it is not known.
        # Construct it before entering `all_or_nothing`, which removes what the block
        # sets if fit fails: scikit-learn needs the context, an attribute of the model,
        # to end callbacks after a failed fit.
        self._data = self._task_data = _hook_arguments(model, X, y, sample_weight)
        self._model, self._task = model, None
        self._context = callback_context(model, n_tasks)
        if self._context:
            self._context.call_on_fit_task_begin(**self._data)

    def set_task_data(self, X, y, sample_weight):
        """Set the data reported with the tasks inside fit; by default, those of fit."""
        self._task_data = _hook_arguments(self._model, X, y, sample_weight)

    def begin(self, name):
        """Begin a task, unless one has begun."""
        if self._context and self._task is None:
            self._task = self._context.subcontext(task_name=name)
            self._task.call_on_fit_task_begin(**self._task_data)

    def end(self, set_attributes=None):
        """End the current task, if any; return whether a callback asks to stop."""
        # set_attributes(model) sets the attributes of a copy of the model as if this
        # task were the last. It is called only if a callback wants the model. None for
        # a task without a result.
        if self._task is None:
            return False
        task, self._task = self._task, None
        attributes = None
        if set_attributes is not None:
            attributes = partial(self._attributes, set_attributes)
        return task.call_on_fit_task_end(
            **self._task_data, reconstruction_attributes=attributes
        )

    def _attributes(self, set_attributes):
        model = copy(self._model)
        set_attributes(model)
        return vars(model)

    def end_fit(self):
        """Report that fit ends."""
        if self._context:
            self._context.call_on_fit_task_end(
                **self._data, reconstruction_attributes={}
            )


def _hook_arguments(model, X, y, sample_weight):
    """Return the arguments of the hooks of callbacks."""
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    return {"estimator": model, "X": X, "y": y, "metadata": metadata}


class Iterations:
    """The iterations of one search, each of which is a task of fit."""

    def __init__(self, tasks=None, name="", set_attributes=None):
        # tasks: FitTasks, or None to report nothing; name: the name of the tasks.
        # set_attributes(model, result) sets the attributes of a model as if the search
        # had ended with this result.
        self._tasks, self._name = tasks, name
        self._set_attributes = set_attributes
        # stopped: whether a callback asked to end the search.
        self._parent, self.stopped = None, False

    def for_part(self, to_search_result):
        """Return the iterations of a part of the search, such as one of its starts."""
        # to_search_result(result) turns a result of the part into that of the search.
        part = Iterations(
            self._tasks,
            self._name,
            lambda model, result: self._set_attributes(model, to_search_result(result)),
        )
        part._parent = self
        return part

    def begin(self):
        """Begin an iteration, unless one has begun."""
        if self._tasks:
            self._tasks.begin(self._name)

    def end(self, find_result=None, *arguments):
        """End the iteration that has begun, if any; return whether to stop."""
        # find_result(*arguments): the result of the search, or of its part, if this
        # iteration were the last. None for an iteration without a result.
        if not self._tasks:
            return False
        set_attributes = None
        if find_result is not None:
            set_attributes = partial(self._set_result, find_result, arguments)
        if self._tasks.end(set_attributes):
            self._stop()
        return self.stopped

    def _set_result(self, find_result, arguments, model):
        self._set_attributes(model, find_result(*arguments))

    def _stop(self):
        self.stopped = True
        if self._parent is not None:
            self._parent._stop()
