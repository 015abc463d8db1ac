"""The raw tables on which learners without arguments are compared, and their folds."""

from sklearn.model_selection import KFold

from benchmarks._data import read_table
from benchmarks._scores import stratified_folds
from benchmarks.accuracy._out_of_the_box_learners import CLASSIFICATION, REGRESSION

TABLES = {
    CLASSIFICATION: (
        "mushroom",
        "car",
        "house_votes_84",
        "zoo",
        "breast_cancer",
        "hepatitis",
        "soybean",
        "kr_vs_kp",
        "tic_tac_toe",
        "balance_scale",
        "dermatology",
        "autos",
        "horse_colic",
        "german_credit",
        "adult",
        "ionosphere",
        "sonar",
        "pima_diabetes",
        "vehicle",
        "segment",
        "glass",
        "spambase",
        "waveform",
        "vowel",
        "banknote",
        "satimage",
    ),
    REGRESSION: (
        "abalone",
        "california_housing",
        "boston_housing",
        "machine_cpu",
        "servo",
        "concrete",
        "energy_efficiency",
        "auto_mpg",
        "diamonds",
        "bike_sharing_hour",
        "bike_sharing_day",
        "cbr_travel",
    ),
}
# Those of more than MAX_ROWS rows, which are also measured with all of them.
WHOLE_TABLES = {
    CLASSIFICATION: ("mushroom", "adult", "spambase", "waveform", "satimage"),
    REGRESSION: ("abalone", "california_housing", "diamonds", "bike_sharing_hour"),
}
# Mixed columns of two classes, strings of four classes, numbers and truth values; few
# strings, numbers with missing cells and names, strings of many values.
QUICK_TABLES = {
    CLASSIFICATION: ("hepatitis", "car", "zoo"),
    REGRESSION: ("servo", "auto_mpg", "bike_sharing_day"),
}
# Names of rows and of the original split, a second target, parts of the target.
NOT_FEATURES = {
    "zoo": ["animal"],
    "vowel": ["Train or Test", "Speaker Number"],
    "satimage": ["split"],
    "energy_efficiency": ["cooling_load"],
    "bike_sharing_hour": ["instant", "casual", "registered"],
    "bike_sharing_day": ["instant", "casual", "registered"],
    "cbr_travel": ["caseId"],
}
MAX_ROWS, N_FOLDS = 3000, 5
N_FOLDS_OF_WHOLE = 3


def load(table, max_rows=MAX_ROWS, n_folds=N_FOLDS):
    """Return the features, the target and the folds of a table.

    A table of more than `max_rows` rows, None for no limit, is replaced by a random
    sample of them (seed 0); the folds are shuffled (seed 0), and those of a
    classification stratified.
    """
    X, y = read_table(table, max_rows)
    X = X.drop(columns=NOT_FEATURES.get(table, []), errors="ignore")
    if table not in TABLES[REGRESSION]:
        return X, y, stratified_folds(y, n_folds)
    folds = KFold(n_folds, shuffle=True, random_state=0).split(X)
    return X, y.astype(float), list(folds)
