"""The contents and source of each data set: the text of ``DESCR``."""

PLAY_TENNIS = """\
PlayTennis
----------

Fourteen Saturdays, described by outlook, temperature, humidity and wind, and whether
tennis was played. All columns are categorical and nothing is missing.

- rows: 14 (9 yes, 5 no)
- columns: outlook, temperature, humidity, wind
- target: play (no, yes)

Source: T. M. Mitchell, Machine Learning, McGraw-Hill, 1997, table 3.2.
"""

BUYS_COMPUTER = """\
buys_computer
-------------

Fourteen customers, described by age band, income band, student or not, and credit
rating, and whether they bought a computer. All columns are categorical and nothing is
missing.

- rows: 14 (9 yes, 5 no)
- columns: age (<=30, 31...40, >40), income, student, credit_rating
- target: buys_computer (no, yes)

Source: the textbook example of J. Han and M. Kamber, Data Mining: Concepts and
Techniques, Morgan Kaufmann.
"""

EVADE = """\
Evade
-----

Ten taxpayers, described by whether they claimed a refund, their marital status and
their taxable income, and whether they evaded tax: the smallest table with columns of
both kinds. Nothing is missing.

- rows: 10 (7 No, 3 Yes)
- columns: refund, marital_status (categorical), taxable_income (thousands a year)
- target: evade (No, Yes)

Source: the textbook example of P.-N. Tan, M. Steinbach and V. Kumar, Introduction to
Data Mining, Addison-Wesley.
"""

HORSE_COLIC = """\
Horse colic
-----------

Horses brought to a clinic with colic: findings at admission, laboratory values and the
outcome. A real table of mixed columns, nearly a quarter of whose cells are missing.
The column "outcome" was known only afterwards: drop it to predict the target.

- rows: 368 (the 300 training and 68 test cases of the source, joined)
- columns: 7 numeric (rectal_temperature, pulse, respiratory_rate,
  nasogastric_reflux_PH, packed_cell_volume, total_protein,
  abdomcentesis_total_protein) and 15 categorical
- target: surgical_lesion, was the problem surgical (no, yes); the column is named
  "target" in the file
- missing: 1927 of 8096 cells

Source: UCI Machine Learning Repository, data set "Horse Colic", created by M. McLeish
and M. Cecile, Department of Computer Science, University of Guelph.
Licence: Creative Commons Attribution 4.0 (CC BY 4.0). Changed from the source:
category codes are replaced by names; identifiers and lesion codes are dropped.
"""
