"""Explanation: frame, plot, text and HTML of given contributions.

Code under test: `explain/_bars.py`, `explain/_text.py`.
"""

import pickle
import re
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_bayeslazy import AODEClassifier, Explanation, MEstimateNB
from sklearn_bayeslazy.datasets import load_play_tennis
from sklearn_bayeslazy.explain._bars import NEGATIVE, POSITIVE, drawn_lengths
from sklearn_bayeslazy.explain._text import Cells, format_value

pd = pytest.importorskip("pandas", reason="frame() returns a pandas frame")

CLASSES = ["no", "maybe", "yes"]


def small():
    """Return an explanation of two rows by three cells."""
    terms = [
        [[0.0, 0.0, 1.0], [0.0, 0.0, -3.0], [0.5, 0.5, 0.5]],
        [[2.0, 0.0, 0.0], [0.0, 1.5, 0.0], [0.0, 0.0, 0.0]],
    ]
    return Explanation(
        np.array(terms),
        [[0.0, -1.0, 4.0], [0.0, 0.0, 0.0]],
        CLASSES,
        names=["a", "b", "c"],
        values=[["<x>", None, 2.0], ["u", "v", 0.12345]],
        base_name="(prior)",
    )


def test_the_frame_compares_the_best_class_with_the_next():
    why = small()
    frame = why.frame(0)  # yes: 4 + 1 - 3 + .5, no: .5
    assert frame.index.tolist() == ["(prior)", "b", "a", "c"]
    assert frame["log odds"].tolist() == [4.0, -3.0, 1.0, 0.0]
    assert frame["value"].tolist() == ["", None, "<x>", 2.0]
    assert why.frame(1)["log odds"].tolist() == [0.0, 2.0, -1.5, 0.0]
    assert why.frame(-1).equals(why.frame(1))
    np.testing.assert_allclose(why.scores(), [[0.5, -0.5, 2.5], [2.0, 1.5, 0.0]])


def test_any_two_classes_can_be_compared():
    base, effects = small().effects(0, target="maybe", against="yes")
    assert base == -5.0
    assert effects.tolist() == [-1.0, 3.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"row": 2}, "row must be an integer from 0 to 1, got 2"),
        ({"row": "a"}, "row must be an integer from 0 to 1, got 'a'"),
        ({"row": None}, "row must be an integer from 0 to 1, got None"),
        ({"target": "nay"}, r"target='nay' is not one of 'no', 'maybe', 'yes'"),
        ({"target": "no", "against": "no"}, "against='no' is the explained class"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    for method in (small().frame, small().plot, small().effects):
        with pytest.raises(ValueError, match=message):
            method(**arguments)


def test_the_output_frame_has_the_terms_of_all_classes():
    frame = small().output_frame(0)
    assert frame.columns.tolist() == CLASSES
    assert frame.loc["b"].tolist() == [0.0, 0.0, -3.0]
    assert frame.sum().tolist() == [0.5, -0.5, 2.5]


def test_impossible_cells_have_infinite_effects():
    terms = np.array([[[0.0, -np.inf], [-np.inf, -np.inf]]])
    why = Explanation(terms, [[0.0, 0.0]], ["x", "y"], names=["a", "b"])
    base, effects = why.effects(0, "x", "y")
    assert (base, *effects) == (0.0, np.inf, 0.0)
    assert "∞" in repr(why)
    assert "∞" in why._repr_html_()


def test_the_text_shows_numbers_and_bars():
    lines = repr(small()).splitlines()
    assert lines[0] == "Explanation of 2 rows"
    assert lines[1] == "row 0: log odds of 'yes' against 'no' = 2"
    assert lines[2].split() == ["(prior)", "4"]
    assert lines[3].split() == ["b", "=", "missing", "-3", "----------"]
    assert lines[4].split() == ["a", "=", "<x>", "+1", "###"]
    assert lines[5].split() == ["c", "=", "2", "0"]


def test_the_html_escapes_cells():
    page = small()._repr_html_()
    assert "a = &lt;x&gt;" in page
    assert "<x>" not in page
    assert POSITIVE in page
    assert NEGATIVE in page
    assert page.count("<table") == page.count("</table>") == 2


def test_more_rows_are_counted():
    why = Explanation(np.zeros((5, 1, 1)), np.zeros((5, 1)), [0], names=["a"])
    assert repr(why).splitlines()[-1] == "… 2 more rows: see frame(row)"
    assert len(why) == 5


def test_a_plot_has_a_bar_a_label_and_a_number_for_each_part(pyplot):
    ax = small().plot(0, alpha=0.5)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["(prior)", "b = missing", "a = <x>", "c = 2"]
    assert [bar.get_width() for bar in ax.patches] == [4.0, -3.0, 1.0, 0.0]
    assert {bar.get_alpha() for bar in ax.patches} == {0.5}
    assert [text.get_text() for text in ax.texts] == ["4", "-3", "1", "0"]
    assert ax.get_title() == "log odds of 'yes' against 'no' = 2"
    assert ax.get_xlabel() == "contribution (log odds)"
    low, high = ax.get_ylim()
    assert low > high  # the first bar is at the top
    assert small().plot(0, ax) is ax


def test_rounding_errors_are_shown_as_zero():
    terms = np.array([[[1.0, 1.0 - 1e-15], [2.0, 0.5]]])
    why = Explanation(terms, [[0.3, 0.3]], ["x", "y"], names=["a", "b"])
    assert [line.split()[1] for line in repr(why).splitlines()[2:]] == [
        "0",
        "+1.5",
        "0",
    ]
    assert why.effects(0, "x", "y")[1][0] == 1.0 - (1.0 - 1e-15) > 0


def test_the_number_of_bars_is_checked(pyplot):
    for wrong in (0, 1.5, "all"):
        with pytest.raises(ValueError, match=f"max_parts must be .* got {wrong!r}"):
            small().plot(max_parts=wrong)
    assert small().plot(max_parts=2).get_yticklabels()[-1].get_text() == "(1 other)"


def test_the_largest_numbers_have_bars():
    terms = np.array([[[1.7e308], [-1e308], [1e300]]])
    why = Explanation(terms, [[0.0]], [0], names=list("abc"), unit="target units")
    with np.errstate(all="raise"):
        lines = repr(why).splitlines()
    assert lines[3].split() == ["a", "+1.7e+308", "##########"]
    assert lines[4].split() == ["b", "-1e+308", "------"]


def test_no_rows_have_no_explanation():
    why = Explanation(np.zeros((0, 1, 1)), np.zeros((0, 1)), [0], names=["a"])
    assert repr(why) == "Explanation of 0 rows"
    with pytest.raises(ValueError, match="X had no rows"):
        why.frame()


def test_frames_say_that_they_need_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert "row 0" in repr(small())
    with pytest.raises(ImportError, match="pip install pandas"):
        small().frame()
    with pytest.raises(ImportError, match="pip install pandas"):
        small().output_frame()


def test_a_plot_sums_up_the_parts_without_a_bar(pyplot):
    terms = np.linspace(1, 2, 12).reshape(1, 12, 1)
    why = Explanation(
        terms, [[0.0]], [0], names=list("abcdefghijkl"), unit="target units"
    )
    ax = why.plot(max_parts=4)
    assert len(ax.patches) == 6
    assert ax.get_yticklabels()[-1].get_text() == "(8 others)"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(terms.sum())


def test_one_extreme_bar_is_cut_and_keeps_its_number(pyplot):
    terms = np.array([[[100.0], [1.0], [-2.0], [1.5]]])
    why = Explanation(terms, [[0.0]], [0], names=list("abcd"), unit="target units")
    ax = why.plot()
    first = ax.patches[1]
    assert first.get_width() == 4.0
    assert first.get_hatch()
    assert ax.texts[1].get_text() == "100"
    assert ax.get_xlim()[1] < 6
    lengths, is_cut = drawn_lengths([3.0, 2.0, 1.0, 0.5])
    assert lengths.tolist() == [3.0, 2.0, 1.0, 0.5]
    assert not is_cut.any()


def test_dollar_signs_in_cells_are_not_formulas(pyplot):
    why = Explanation(
        np.ones((1, 1, 1)), [[0.0]], [0], names=["in$_{come$"], values=[["$5^^$"]]
    )
    why.plot().figure.canvas.draw()


def test_cells_are_copies_of_any_input():
    names = ["a", "b"]
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    frame = pd.DataFrame(array, columns=names)
    dicts = [{"a": 1.0, "b": 2.0}, {"a": 3.0}]
    inputs = [array, frame, csr_array(array), array.tolist(), dicts]
    for X in inputs:
        assert Cells(X, names)[0].tolist() == [1.0, 2.0]
        assert Cells(X, names)[1][0] == 3.0
    assert Cells(dicts, names)[1].tolist() == [3.0, None]
    copies = [Cells(X, names) for X in (array, frame)]
    array[:] = 9.0
    frame.loc[:, "a"] = 9.0
    assert all(cells[1].tolist() == [3.0, 4.0] for cells in copies)


def test_polars_frames_and_pickles():
    polars = pytest.importorskip("polars", reason="polars frames are read too")
    pyarrow = pytest.importorskip("pyarrow", reason="arrow tables are read too")
    arrow = pyarrow.table({"a": [1, 2], "b": ["x", None]})
    assert Cells(arrow, ["a", "b"])[1].tolist() == [2, None]
    cells = Cells(polars.DataFrame({"a": [1, 2], "b": ["x", None]}), ["a", "b"])
    assert cells[1].tolist() == [2, None]
    X = pd.DataFrame({"a": ["x", "y"] * 4, "b": np.arange(8.0)})
    why = MEstimateNB(m=1, feature_weights=None).fit(X, [0, 1] * 4).explain(X[:2])
    again = pickle.loads(pickle.dumps(why))
    assert repr(again) == repr(why)
    assert again.frame(1).equals(why.frame(1))


def test_values_are_short_texts():
    assert format_value("a\n b") == "a b"
    assert format_value(pd.NA) == format_value(pd.NaT) == format_value(np.nan)
    assert format_value(np.datetime64("NaT")) == format_value(None) == "missing"
    assert format_value(True) == "True"
    assert format_value(1234567.0) == "1.235e+06"
    long = format_value("x" * 99)
    assert re.fullmatch("x+…", long)
    assert len(long) == 28


def test_a_note_stands_below_the_text_and_the_page():
    days, tennis = load_play_tennis(return_X_y=True)
    why = AODEClassifier(m=1, weights=None).fit(days, tennis).explain(days[:1])
    assert repr(why).splitlines()[-1] == why.note
    assert why.note.startswith(f"{why.part_names(0)[-1]}: ")
    assert why._repr_html_().endswith(f"<p>{why.note}</p></div>")
    plain = MEstimateNB(m=1).fit(days, tennis).explain(days[:1])
    assert plain.note == ""
    assert repr(plain).splitlines()[-1].startswith("  ")
