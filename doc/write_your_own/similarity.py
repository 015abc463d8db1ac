"""A similarity of your own: releases are alike as far as their numbers agree."""

from sklearn_bayeslazy import CaseBasedClassifier


def leading_parts(query, case):
    """Return the share of the leading parts that two release numbers share."""
    a, b = query.split("."), case.split(".")
    n_equal = 0
    for x, y in zip(a, b):
        if x != y:
            break
        n_equal += 1
    return n_equal / max(len(a), len(b))


cases = [{"release": "3.11.2"}, {"release": "3.12.0"}, {"release": "2.7.18"}]
answers = ["upgrade", "restart", "replace"]
desk = CaseBasedClassifier(
    1, similarities={"release": leading_parts}, weights=None, power=1, m=0
)
desk.fit(cases, answers)

found = desk.retrieve([{"release": "3.11.4"}], 2).frame()
print(found)  # 2/3 with 3.11.2, and 1/3 with 3.12.0
