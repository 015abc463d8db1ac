"""Which learner for what: the table behind the chart "Choose a learner".

``{figure}`` is a measured figure, see measured.py. `tests/test_documentation_site.py`
checks that all classes exist, and that every estimator of the package is named.
"""

from typing import NamedTuple


class Choice(NamedTuple):
    """A situation, our estimators for it, and scikit-learn's.

    Attributes
    ----------
    situation : str
    ours : tuple of str
        Names of this package.
    peers : tuple of str
        ``module.Class`` of scikit-learn.
    when_peers : str
        When scikit-learn's are the better choice.
    """

    situation: str
    ours: tuple[str, ...]
    peers: tuple[str, ...]
    when_peers: str


class Task(NamedTuple):
    """What somebody wants, the page of the guide about it, and the choices."""

    name: str
    page: str
    choices: tuple[Choice, ...]


TASKS = (
    Task(
        "Predict a class from a table",
        "user_guide/naive_bayes",
        (
            Choice(
                "The best prediction, without tuning: several learners, pooled",
                ("BayesianStackingClassifier",),
                ("ensemble.HistGradientBoostingClassifier",),
                "if a second matters: {boosting_class_seconds} s a table against "
                "{stacking_seconds} s, at a mean log loss of {boosting_log_loss} "
                "against {stacking_log_loss}",
            ),
            Choice(
                "One model of strings, numbers and missing values; good probabilities",
                ("AODEClassifier",),
                ("ensemble.HistGradientBoostingClassifier",),
                "with many rows whose columns interact in threes and more; mean log "
                "loss on tables of at most 3000 rows {boosting_log_loss} against "
                "{aode_log_loss}",
            ),
            Choice(
                "The evidence of each cell must be visible, or data arrive in batches",
                ("MEstimateNB",),
                ("linear_model.LogisticRegression",),
                "if all columns are complete numbers and their effects add up",
            ),
            Choice(
                "Similar rows have the same class, the boundary is curved",
                ("ShepardKNN", "RBFNetworkClassifier"),
                ("neighbors.KNeighborsClassifier", "svm.SVC"),
                "if columns are numbers on one scale, k is known and speed matters",
            ),
            Choice(
                "Ids, dates and free text among the columns",
                ("TableCleaner",),
                ("compose.ColumnTransformer",),
                "if you want to decide yourself what becomes of each column",
            ),
        ),
    ),
    Task(
        "Predict a class from text",
        "user_guide/text",
        (
            Choice(
                "Counts of words; calibrated probabilities",
                ("TextNB",),
                ("naive_bayes.ComplementNB",),
                "if seconds matter: on tf-idf {tfidf_complement_percent} % of "
                "20 newsgroups are right after {tfidf_complement_seconds} s, of TextNB "
                "{text_nb_percent} % after {text_nb_seconds} s",
            ),
            Choice(
                "Raw text; the order of words, or spelling, tells",
                ("LanguageModelNB",),
                ("linear_model.LogisticRegression",),
                "after TfidfVectorizer, if there is time to search its penalty; "
                "not measured here",
            ),
            Choice(
                "No classes: probabilities of texts, likely next words",
                ("NGramLanguageModel",),
                (),
                "scikit-learn has no language model",
            ),
        ),
    ),
    Task(
        "Predict a number",
        "user_guide/local_regression",
        (
            Choice(
                "A curve or surface with standard errors and prediction intervals",
                ("LocallyWeightedRegressor",),
                ("gaussian_process.GaussianProcessRegressor",),
                "with at most some thousand rows of a smooth function, if a joint "
                "distribution of predictions is needed",
            ),
            Choice(
                "The best prediction, without tuning: several learners, pooled",
                ("BayesianStackingRegressor",),
                ("ensemble.HistGradientBoostingRegressor",),
                "with many rows or little time: {boosting_seconds} s a table against "
                "{stacking_number_seconds} s, at a mean R² of {boosting_r2} against "
                "{stacking_r2}",
            ),
            Choice(
                "One model of a mixed table, without tuning",
                ("LocallyWeightedRegressor", "RBFNetworkRegressor"),
                ("ensemble.HistGradientBoostingRegressor",),
                "with many rows or little time: {boosting_seconds} s a table against "
                "{local_seconds} s, at a mean R² of {boosting_r2} against {local_r2}",
            ),
            Choice(
                "Interpolate between known points, or average similar rows",
                ("ShepardKNNRegressor",),
                ("neighbors.KNeighborsRegressor",),
                "if columns are numbers on one scale and k is known",
            ),
            Choice(
                "Another model, fitted around each query",
                ("LocallyWeightedEstimator",),
                (),
                "scikit-learn has no local fits",
            ),
        ),
    ),
    Task(
        "Find near rows fast",
        "user_guide/neighbors",
        (
            Choice(
                "Documents and other sparse rows, exactly",
                ("InvertedIndexNeighbors",),
                ("neighbors.NearestNeighbors",),
                "if the rows fill most of their columns",
            ),
            Choice(
                "Many rows of many columns, a given share of the neighbours",
                ("LSHNeighbors", "RandomProjectionHash", "LearnedHash"),
                ("neighbors.NearestNeighbors",),
                "for exact neighbours: its brute force is {nearest_784_inverse} times "
                "as fast as our exact search in 784 columns",
            ),
            Choice(
                "More rows than one machine holds",
                ("ShardedNeighbors",),
                (),
                "scikit-learn has no search over several machines",
            ),
            Choice(
                "Columns of unequal use, or strings, need a better distance",
                ("AxisStretcher", "ValueDifferenceEncoder"),
                ("neighbors.NeighborhoodComponentsAnalysis",),
                "if columns are numbers and rotations of them help",
            ),
        ),
    ),
    Task(
        "A model that people can read",
        "user_guide/belief_networks",
        (
            Choice(
                "Which column depends on which, and the class on them",
                ("BeliefNetworkClassifier",),
                ("tree.DecisionTreeClassifier",),
                "if rules suffice and probabilities do not matter",
            ),
            Choice(
                "Any column is asked for, given any others; no class",
                ("BeliefNetwork",),
                (),
                "scikit-learn has no graphical models of categories",
            ),
        ),
    ),
    Task(
        "Combine learners",
        "user_guide/ensembles",
        (
            Choice(
                "Trees or simple rules that vote, on mixed tables",
                ("MyAdaBoost", "MyAdaBoostRegressor"),
                ("ensemble.HistGradientBoostingClassifier",),
                "on tables of many rows of which each is of one of many classes: it is "
                "faster; mean accuracy {boosting_accuracy} against {adaboost_accuracy}",
            ),
            Choice(
                "Given classifiers or rules, weighted by their probability",
                ("HypothesisClassifier",),
                ("ensemble.VotingClassifier",),
                "if the weights are known, or all equal",
            ),
            Choice(
                "Learners of your own, weighted by what they predict of rows not seen",
                ("BayesianStackingClassifier", "BayesianStackingRegressor"),
                ("ensemble.StackingClassifier", "ensemble.StackingRegressor"),
                "if the predictions should be corrected by a model, not averaged",
            ),
        ),
    ),
    Task(
        "Reuse cases",
        "user_guide/cases",
        (
            Choice(
                "Descriptions of symbols, sets, texts or graphs, and past answers",
                ("CaseBasedClassifier", "CaseBasedRegressor"),
                ("neighbors.KNeighborsClassifier",),
                "if descriptions are rows of numbers",
            ),
        ),
    ),
)


def table_rows(figures):
    """Return the choices as rows: task, page, situation, ours, peers, when peers."""
    return [
        (task.name, task.page, *choice[:3], choice.when_peers.format(**figures))
        for task in TASKS
        for choice in task.choices
    ]
