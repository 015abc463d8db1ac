"""Columns as people, spreadsheets and databases write them are read as a person would.

Each column is written in full here; what its first cells mean was worked out by hand.
"""

import datetime

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import TableCleaner

NAN = float("nan")


def day(*parts):
    """Return a date as days since 1970."""
    gap = datetime.datetime(*parts) - datetime.datetime(1970, 1, 1)
    return gap / datetime.timedelta(days=1)


def in_script(zero, cells):
    """Return cells with digits of another script, whose zero has a code point."""
    return [
        cell.translate({ord(str(i)): zero + i for i in range(10)}) for cell in cells
    ]


# Numbers: the cells of a column, and what they mean.
NUMBERS = {
    # ten countries
    "United States, dollars": (
        ["$1,234.50", "$12.00", "$980.25"],
        [1234.5, 12, 980.25],
    ),
    "Germany, euros": (["1.234,50 €", "7,00 €", "980,25 €"], [1234.5, 7, 980.25]),
    "Germany, thousands without decimals": (
        ["1.200", "3.400", "12.000", "980"],
        [1200, 3400, 12000, 980],
    ),
    "Germany, tens of thousands of euros": (
        ["10.663 €", "9.980 €", "34.300 €", "128.000 €"],
        [10663, 9980, 34300, 128000],
    ),
    "Germany, euros a litre": (
        ["1.599 €", "1.789 €", "2.009 €"],
        [1.599, 1.789, 2.009],
    ),
    "Switzerland, francs": (
        [
            "CHF 1'200.50",
            "CHF 49.\N{EN DASH}",
            "CHF 1\N{RIGHT SINGLE QUOTATION MARK}000.00",
        ],
        [1200.5, 49, 1000],
    ),
    "France, narrow blanks": (["1 234,5", "12 000", "7,25"], [1234.5, 12000, 7.25]),
    "France, ordinary blanks": (["1 234,5 €", "12 000 €"], [1234.5, 12000]),
    "Germany, milliards": (
        ["1.234.567.890", "2.345.678.901", "980"],
        [1234567890, 2345678901, 980],
    ),
    "India, lakh": (["₹1,23,456.00", "₹12,34,567.50"], [123456, 1234567.5]),
    "India, rupees": (["Rs. 500", "Rs.1,00,000"], [500, 100000]),
    "India, no paise": (["Rs. 500/-", "Rs.1,00,000/-"], [500, 100000]),
    "Vietnam, dong": (["1.200.000 ₫", "980.000 ₫"], [1200000, 980000]),
    "the Philippines, pesos": (["₱1,200.50", "₱980"], [1200.5, 980]),
    "Indonesia, rupiah": (["Rp. 1.200.000", "Rp. 980.000,00"], [1200000, 980000]),
    "Turkey, per cent": (["%12,5", "%7"], [0.125, 0.07]),
    "China, ten thousands": (["1.5万", "2亿", "9000"], [15000, 2e8, 9000]),
    "Switzerland, other quotes": (
        ["1`200.50", "12\u00b4000.00", "3\u2018000", "7.25"],
        [1200.5, 12000, 3000, 7.25],
    ),
    "blanks of a fixed width": (["1\u2007234,5", "12\u3000000"], [1234.5, 12000]),
    "hyphens that do not break": (["\u20115.5", "7.25"], [-5.5, 7.25]),
    "Brazil, reais": (["R$ 1.234,50", "R$ 7,00"], [1234.5, 7]),
    "Sweden, crowns": (["1 234,50 kr", "980 kr"], [1234.5, 980]),
    "Poland, złoty": (["1 234,50 zł", "0,99 zł"], [1234.5, 0.99]),
    "United Kingdom, pounds": (["£1,234.50", "-£7.00"], [1234.5, -7]),
    "Japan, yen": (["¥12,000", "¥980"], [12000, 980]),
    "Spain, per cent": (["12,5 %", "7 %"], [0.125, 0.07]),
    "Norway, no øre": (["1.250,-", "500,-", "99,50"], [1250, 500, 99.5]),
    "Denmark, no øre": (["1.250,- kr", "2.500,- kr"], [1250, 2500]),
    "Germany, dashes": (["€ 1.250,--", "€ 99,95"], [1250, 99.95]),
    "Switzerland, thousands": (["1,250.-", "2,500.-"], [1250, 2500]),
    "Denmark, code behind": (["1.234,50 DKK", "7,25 DKK"], [1234.5, 7.25]),
    "Iran, thousands": (
        in_script(0x06F0, ["33,846", "980", "12,500", "700"]),
        [33846, 980, 12500, 700],
    ),
    "Egypt, both signs": (
        in_script(
            0x0660,
            [
                "26\N{ARABIC THOUSANDS SEPARATOR}651",
                "2\N{ARABIC THOUSANDS SEPARATOR}651\N{ARABIC DECIMAL SEPARATOR}5",
                "12\N{ARABIC DECIMAL SEPARATOR}5",
            ],
        ),
        [26651, 2651.5, 12.5],
    ),
    "Japan, full width": (
        in_script(
            ord("\N{FULLWIDTH DIGIT ZERO}"),
            ["86\N{FULLWIDTH COMMA}175", "980", "\N{FULLWIDTH YEN SIGN}12"],
        ),
        [86175, 980, 12],
    ),
    # units
    "kilograms": (["20.1 kg", "7 kg", "0.5 kg"], [20.1, 7, 0.5]),
    "kilograms and grams": (["20.5 kg", "500 g", "7 kg"], [20.5, 0.5, 7]),
    "centimetres and metres": (["182 cm", "1.75 m", "169cm"], [182, 175, 169]),
    "minutes and hours": (["90 min", "1.5 h", "20 min"], [90, 90, 20]),
    "degrees": (["20.5 °C", "-3 °C", "\N{MINUS SIGN}4°C"], [20.5, -3, -4]),
    "thousands and millions": (["5k", "1.2M", "980"], [5000, 1.2e6, 980]),
    "thousands beside small millions": (
        ["500k", "1.2m", "3m", "2k"],
        [5e5, 1.2e6, 3e6, 2e3],
    ),
    "metres beside no thousands": (["1.2m", "3m", "2.5 m"], [1.2, 3, 2.5]),
    "millions of dollars": (["$1.2M", "$500k", "$300"], [1.2e6, 5e5, 300]),
    "dollars a month": (["$1,500/mo", "$980/mo"], [1500, 980]),
    "about": (["ca 5", "approx. 7", "9"], [5, 7, 9]),
    "trillions of dollars": (
        ["$1.5T", "$300B", "2 trillion USD"],
        [1.5e12, 3e11, 2e12],
    ),
    "stars of significance": (["0.31**", "-1.2*", "0.05"], [0.31, -1.2, 0.05]),
    "footnotes": (
        ["1,204[1]", "980[a]", "7†", "31¹", "12 (est.)", "8 (r)", "45"],
        [1204, 980, 7, 31, 12, 8, 45],
    ),
    "areas, not footnotes": (["12 m²", "7.5 m²"], [12, 7.5]),
    "marks out of ten": (["7/10", "8.5/10", "10/10"], [7, 8.5, 10]),
    "marks out of five": (["4 out of 5", "3.5 out of 5"], [4, 3.5]),
    "halves": (["1 1/2", "1½", "½", "2", "¾"], [1.5, 1.5, 0.5, 2, 0.75]),
    "halves of cups": (["1½ cups", "1 1/4 cups", "2 cups"], [1.5, 1.25, 2]),
    "thousands of euros": (
        ["5 TEUR", "7,5 T€", "500 EUR", "2 Mio. EUR"],
        [5000, 7500, 500, 2e6],
    ),
    "thousands of crowns": (["5 tkr", "2 mkr", "500 kr"], [5000, 2e6, 500]),
    "Millionen Euro": (["1,5 Mio. €", "300 Tsd. €"], [1.5e6, 3e5]),
    "hours and minutes": (["01:30", "12:15", "0:45"], [1.5, 12.25, 0.75]),
    "hours, minutes, seconds": (["01:30:36", "12:15:00"], [1.51, 12.25]),
    "hours of the day": (["9 AM", "10 PM", "12 pm"], [9, 22, 12]),
    "times of day": (["8:30 PM", "7:15 am", "12:00 am"], [20.5, 7.25, 0]),
    "times of day, points": (["8.30 pm", "7:15 a. m.", "9 am"], [20.5, 7.25, 9]),
    "times of day in German": (["9.30 Uhr", "14:15 Uhr", "9 Uhr"], [9.5, 14.25, 9]),
    "years and months in words": (
        ["1yrs 9mon", "0yrs 6mon", "2 years 3 months", "5 years"],
        [1.75, 0.5, 2.25, 5],
    ),
    "durations in German": (
        ["2 Std. 15 Min.", "1 Stunde und 30 Minuten", "45 Min.", "1 Tag 2 Std."],
        [2.25, 1.5, 0.75, 26],
    ),
    "durations in words": (["1h 30m", "45m", "2h"], [1.5, 0.75, 2]),
    "minutes and seconds in words": (
        ["2m30s", "1m15s", "3 min 45 s"],
        [2.5 / 60, 1.25 / 60, 3.75 / 60],
    ),
    "ages in German": (["5 Jahre", "1 Jahr", "6 Monate"], [5, 1, 0.5]),
    "ages in French": (["5 ans", "1 an", "6 mois"], [5, 1, 0.5]),
    "ages in Spanish": (["5 años", "1 año", "3 meses"], [5, 1, 0.25]),
    "months and years": (["36 months", "60 months", "1 year"], [36, 60, 12]),
    "seconds beside minutes": (
        ["59.30", "1:02.50", "58.12", "1:10.01"],
        [59.3, 62.5, 58.12, 70.01],
    ),
    "seconds beside minutes, commas": (
        ["59,30", "1:02,50", "58,12", "1:10,01"],
        [59.3, 62.5, 58.12, 70.01],
    ),
    "minutes beside hours": (
        ["59:30", "1:02:03", "58:12", "1:10:30"],
        [59.5 / 60, 62.05 / 60, 58.2 / 60, 70.5 / 60],
    ),
    "times of day and one with seconds": (["8:30", "09:00:36"], [8.5, 9.01]),
    "no minutes": (["0:45", "1:30", "0"], [0.75, 1.5, 0]),
    "months beside years": (["12 y", "3 m", "5 m"], [144, 3, 5]),
    "months and one year": (["3 m", "6 m", "12 m", "1 y"], [3, 6, 12, 12]),
    "two words for months": (["12 yrs", "6 mo", "3 m"], [144, 6, 3]),
    "minutes beside seconds": (["5 m", "30 s", "10 m", "2 d"], [5, 0.5, 10, 2880]),
    "milliwatts": (["5 mW", "100 mW", "1 W"], [5, 100, 1000]),
    "megawatts": (["5 MW", "100 MW", "500 kW"], [5, 100, 0.5]),
    "millijoules": (["5 mJ", "7 mJ", "1 MJ"], [5, 7, 1e9]),
    "feet beside other lengths": (["6 ft", "60.96 cm", "5.5 ft"], [6, 2, 5.5]),
    "feet and inches apart": (["72 in", "6 ft", "24 in"], [72, 72, 24]),
    "seconds in German": (["30 sek", "2 min", "1 min"], [0.5, 2, 1]),
    "forints": (["1 200 Ft", "500 HUF", "2 000 Ft"], [1200, 500, 2000]),
    "micrograms, Greek mu": (["10 μg", "7 μg", "1 mg"], [10, 7, 1000]),
    "micrograms, mcg": (["10 mcg", "7 mcg", "1 mg"], [10, 7, 1000]),
    "nanometres": (["10 nm", "20 nm", "1 um"], [10, 20, 1000]),
    "inches": (['15.6"', '13.3"', '17"'], [15.6, 13.3, 17]),
    "feet and inches": (["5'11\"", "6 ft 3 in", "6'0\""], [71 / 12, 6.25, 6]),
    "feet and inches, primes": (
        ["5\u203211″", "6\u20190”", "5\u20326″"],
        [71 / 12, 6, 5.5],
    ),
    "degrees, ordinal signs": (["20º", "25º"], [20, 25]),
    "lakh and crore": (["1.5 Cr", "30 lakh"], [1.5e7, 3e6]),
    "lakh and crore of rupees": (["₹1.5 Cr", "₹30.5 L"], [1.5e7, 3.05e6]),
    "an unknown unit": (["3 beds", "1 bed", "2 beds"], [3, 1, 2]),
    "per 100 km": (["ca. 4,5 l/100km", "7 l/100km", "5,1 l/100km"], [4.5, 7, 5.1]),
    "per thousand": (["4.5 per 1000", "7 per 1000"], [4.5, 7]),
    "another unit in parentheses": (
        ["103 kW (140 PS)", "74 kW (101 PS)", "1.5 kW (2 PS)"],
        [103, 74, 1.5],
    ),
    "feet, and metres in parentheses": (
        ["5 ft 6 in (1.68 m)", "6 ft (1.83 m)"],
        [5.5, 6],
    ),
    "per decilitre": (["80 mg/dL", "95.5 mg/dL"], [80, 95.5]),
    "file sizes": (["1.5 GB", "500 MB", "2 GB"], [1.5, 0.5, 2]),
    "letters behind numbers": (
        ["12.3 b", "14.5", "13.2 bp", "12", "15", "980", "7", ": z", "[c]"],
        [12.3, 14.5, 13.2, 12, 15, 980, 7, NAN, NAN],
    ),
    "limits with letters behind them": (
        ["12.5", "13.5 b", "90+ b", "<0.5 e", "7", "8", "9"],
        [12.5, 13.5, 90, 0.5, 7, 8, 9],
    ),
    "errors and intervals": (
        ["12.3 ± 0.4", "45.2 [40.1\N{EN DASH}50.3]", "13 (12 to 14)", "8 +/- 1"],
        [12.3, 45.2, 13, 8],
    ),
    "powers of ten": (
        ["1.2 x 10^3", "3.4\N{MULTIPLICATION SIGN}10⁻²", "5*10**2"],
        [1200, 0.034, 500],
    ),
    "powers of ten without a sign for them": (
        ["2,5·10−4", "5x10-3", "0,5"],
        [2.5e-4, 5e-3, 0.5],
    ),
    "Fortran": (["0.25D+01", "1.5d-02", "2.0D+00"], [2.5, 0.015, 2]),
    "ISO 8601, years and months": (["P1Y6M", "P0Y3M0DT0H0M0S", "P2Y"], [1.5, 0.25, 2]),
    "debit and credit in German": (
        ["1.234,50 S", "980,00 H", "12,50 S"],
        [-1234.5, 980, -12.5],
    ),
    "seconds and hours": (["90 S", "1.5 H", "2 H"], [0.025, 1.5, 2]),
    "Sweden, no öre": (["12 500:-", "980:-"], [12500, 980]),
    "Italy, Poland, Russia": (["1,2 mln", "500 tys.", "3 млрд"], [1.2e6, 5e5, 3e9]),
    "milliards of euros": (["1,2 Md€", "500 M€"], [1.2e9, 5e8]),
    "Japan, ages": (["35歳", "42歳"], [35, 42]),
    "at least": (["ab 12,99 €", "Ab 5,00 €", "dès 99 €"], [12.99, 5, 99]),
    "about, in words": (["about 12", "circa 5.5", "7"], [12, 5.5, 7]),
    "ages in six languages": (
        ["5 лет", "1 rok", "2 anni", "1 jaar", "1 år", "6 meses", "3 ay"],
        [5, 1, 2, 1, 1, 0.5, 0.25],
    ),
    "durations in Spanish and Russian": (
        ["2 horas 15 minutos", "45 минут", "1 ч 30 мин", "1 hora"],
        [2.25, 0.75, 1.5, 1],
    ),
    "thousands of reais": (
        ["R$ 500 mil", "R$ 1,2 milhão", "R$ 2 milhões"],
        [5e5, 1.2e6, 2e6],
    ),
    "millions in six languages": (
        [
            "3 Millionen",
            "2 milioni",
            "5 millones",
            "1 миллион",
            "4 million",
            "2 Tausend",
        ],
        [3e6, 2e6, 5e6, 1e6, 4e6, 2e3],
    ),
    "degrees without a blank": (["36.0C", "37.5C", "38.1C"], [36, 37.5, 38.1]),
    "flags without a blank": (
        ["12.3H", "4.5L", "7.1", "8.2", "9.3", "8.8", "8.1"],
        [12.3, 4.5, 7.1, 8.2, 9.3, 8.8, 8.1],
    ),
    "latitudes": (["50.1N", "3.5S", "7N"], [50.1, -3.5, 7]),
    "longitudes": (["12.5°W", "3.5 °E", "7 W"], [-12.5, 3.5, -7]),
    "newtons": (["50.1N", "3.5N"], [50.1, 3.5]),
    "years and months, one letter": (["5y 3m", "6y", "2y 9m"], [5.25, 6, 2.75]),
    "weeks and days": (["38w1d", "40w 0d", "2 weeks 7 days"], [38 + 1 / 7, 40, 3]),
    # five habits of spreadsheets
    "accounting": (["(1,234.50)", "5.50", "($7)"], [-1234.5, 5.5, -7]),
    "trailing minus": (["1,234.50-", "5.50", "7.00-"], [-1234.5, 5.5, -7]),
    "trailing minus behind a blank": (["5.50 -", "7.00", "3.00 -"], [-5.5, 7, -3]),
    "small and other hyphens": (
        ["\ufe635.5", "7", "\u20103", "\u20122"],
        [-5.5, 7, -3, -2],
    ),
    "trailing minus, currency": (["95.30- USD", "12.00- USD"], [-95.3, -12]),
    "trailing minus, sign": (["95,30-€", "7,10 €"], [-95.3, 7.1]),
    "#N/A and #DIV/0!": (["1.5", "#N/A", "#DIV/0!", "2.5"], [1.5, NAN, NAN, 2.5]),
    "a dash for zero": (["1,200", "-", "300"], [1200, NAN, 300]),
    "per cent and shares": (["20 %", "0.5", "5 %"], [0.2, 0.5, 0.05]),
    "scientific": (["1.5E+03", "2E-02"], [1500, 0.02]),
    # exports
    "Excel in German": (["1,5", "#WERT!", "#ZAHL!", "2"], [1.5, NAN, NAN, 2]),
    "a pivot table": (["1.5", "(blank)", "2"], [1.5, NAN, 2]),
    "World Bank": (["1.5", "..", "2"], [1.5, NAN, 2]),
    "Eurostat": (["1.5", ":", "2"], [1.5, NAN, 2]),
    "C": (["1.5", "1.#QNAN", "-1.#IND", "2"], [1.5, NAN, NAN, 2]),
    "R": (["1.5", "NA", "2"], [1.5, NAN, 2]),
    "pandas": (["1.5", "<NA>", "nan", "2"], [1.5, NAN, NAN, 2]),
    "Campbell": ([*"0123456789", "NAN"], [*range(10), NAN]),
    "SAS": (["1.5", ".", "2"], [1.5, NAN, 2]),
    "MySQL": (["1.5", r"\N", "NULL", "2"], [1.5, NAN, NAN, 2]),
    "SAP": (["1.234,50-", "7,25", "980,00"], [-1234.5, 7.25, 980]),
    "French, Spanish and Polish": (
        ["1,5", "(vide)", "(en blanco)", "#ARG!", "2"],
        [1.5, NAN, NAN, NAN, 2],
    ),
    "ratings and words for missing": (
        [*"0123456701234567", "(unknown)", "k. A.", "not determined", "brak"],
        [*range(8), *range(8), NAN, NAN, NAN, NAN],
    ),
    "ratings and words for missing in other scripts": (
        [*"0123456701234567", "н/д", "нет данных", "不明", "bilinmiyor"],
        [*range(8), *range(8), NAN, NAN, NAN, NAN],
    ),
    "laboratories, and missing of Stata": (
        [*"0123456701234567", "n.n.", "<LOQ", "< LOD", ".a"],
        [*range(8), *range(8), NAN, NAN, NAN, NAN],
    ),
    "serial numbers of Excel": (["45000.25", "45001"], [45000.25, 45001]),
    "PostgreSQL, interval": (["1 day 02:00:00", "00:30:00"], [26, 0.5]),
    "pandas, timedelta": (["1 days 02:00:00", "0 days 00:30:00"], [26, 0.5]),
}
DATES = {
    "France, day first": (
        ["31/12/2023", "01/02/2024"],
        [day(2023, 12, 31), day(2024, 2, 1)],
    ),
    "United States, month first": (
        ["12/31/2023", "02/01/2024"],
        [day(2023, 12, 31), day(2024, 2, 1)],
    ),
    "United States, short year": (
        ["12/31/23", "2/1/24"],
        [day(2023, 12, 31), day(2024, 2, 1)],
    ),
    "United States, afternoon": (
        ["12/31/2023 3:30 PM", "2/1/2024 12:00 AM"],
        [day(2023, 12, 31, 15, 30), day(2024, 2, 1)],
    ),
    "Germany": (["31.12.2023", "1.2.2024"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "Germany, in words": (
        ["31. März 2023", "1. Mai 2024"],
        [day(2023, 3, 31), day(2024, 5, 1)],
    ),
    "Germany, with time": (
        ["31.12.2023 18:00", "01.02.2024 06:00 Uhr"],
        [day(2023, 12, 31, 18), day(2024, 2, 1, 6)],
    ),
    "United Kingdom, in words": (
        ["29 Feb 2024", "1st March 2024"],
        [day(2024, 2, 29), day(2024, 3, 1)],
    ),
    "United States, in words": (
        ["Feb 29, 2024", "March 1, 2024"],
        [day(2024, 2, 29), day(2024, 3, 1)],
    ),
    "Spain, in words": (
        ["29 de febrero de 2024", "1 de enero de 2024"],
        [day(2024, 2, 29), day(2024, 1, 1)],
    ),
    "Netherlands": (["31-12-2023", "01-02-2024"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "Sweden": (["2023-12-31", "2024-02-01"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "Japan": (["2023年12月31日", "2024年2月1日"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "Korea": (
        ["2023년 12월 31일", "2024년2월1일", "2024년 3월"],
        [day(2023, 12, 31), day(2024, 2, 1), day(2024, 3, 1)],
    ),
    "JSON of .NET": (
        ["/Date(1703980800000)/", "/Date(1706745600000+0200)/", "/Date(-86400000)/"],
        [day(2023, 12, 31), day(2024, 2, 1), day(1969, 12, 31)],
    ),
    "digits, and one with dashes": (
        ["20231231", "20240201", "2024-03-05", "20240229"],
        [day(2023, 12, 31), day(2024, 2, 1), day(2024, 3, 5), day(2024, 2, 29)],
    ),
    "China": (["2023/12/31", "2024/2/1"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "Hungary": (["2023.12.31", "2024.02.01"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "ISO with zones": (
        ["2024-02-29T06:00:00Z", "2024-02-29T06:00:00+06:00"],
        [day(2024, 2, 29, 6), day(2024, 2, 29)],
    ),
    "XML, dates with zones": (
        ["2024-01-05+01:00", "2024-07-08+02:00", "2024-07-09Z"],
        [day(2024, 1, 5), day(2024, 7, 8), day(2024, 7, 9)],
    ),
    "ISO weeks": (["2024-W05", "2024-W06-3"], [day(2024, 1, 29), day(2024, 2, 7)]),
    "months": (["2024-02", "2024-03"], [day(2024, 2, 1), day(2024, 3, 1)]),
    "Excel, short month": (["Jan-24", "Feb-24"], [day(2024, 1, 1), day(2024, 2, 1)]),
    "quarters": (["2024Q1", "2024Q3"], [day(2024, 1, 1), day(2024, 7, 1)]),
    "Hungary, points": (
        ["2023.12.31.", "2024. 02. 01."],
        [day(2023, 12, 31), day(2024, 2, 1)],
    ),
    "Poland, in words": (
        ["31 grudnia 2023", "1 lutego 2024"],
        [day(2023, 12, 31), day(2024, 2, 1)],
    ),
    "Poland, a long name": (
        ["1 października 2023", "1 lutego 2024"],
        [day(2023, 10, 1), day(2024, 2, 1)],
    ),
    "births in two digits": (
        ["01.05.48", "03.07.52", "13.11.75", "14.12.81"],
        [day(1948, 5, 1), day(1952, 7, 3), day(1975, 11, 13), day(1981, 12, 14)],
    ),
    "loans in two digits": (
        ["05/23/98", "01/03/35"],
        [day(1998, 5, 23), day(2035, 1, 3)],
    ),
    "the end of a day": (
        ["2024-02-28 24:00:00", "2024-02-28 12:00:00"],
        [day(2024, 2, 29), day(2024, 2, 28, 12)],
    ),
    "the time first": (
        ["10:30 15/01/2024", "12:00:00 1/2/2024"],
        [day(2024, 1, 15, 10, 30), day(2024, 2, 1, 12)],
    ),
    "the United States, zones": (
        ["2024-01-15 10:00 EST", "2024-01-15 10:00 PST"],
        [day(2024, 1, 15, 15), day(2024, 1, 15, 18)],
    ),
    "Europe, zones": (
        ["15.01.2024 10:00 CET", "15.07.2024 10:00 MESZ"],
        [day(2024, 1, 15, 9), day(2024, 7, 15, 8)],
    ),
    "Google Forms": (
        [
            "2024/03/02 10:05:00 AM GMT+1",
            "2024/03/03 2:30:00 PM GMT-11",
            "2024/03/03 5:30:00 PM GMT+5:30",
        ],
        [day(2024, 3, 2, 9, 5), day(2024, 3, 4, 1, 30), day(2024, 3, 3, 12)],
    ),
    "France, in words": (
        ["1er août 2023", "31 déc. 2023"],
        [day(2023, 8, 1), day(2023, 12, 31)],
    ),
    "weekdays that begin as months do": (
        ["mardi 6 juin 2023", "mar. 6 juin 2023", "maandag 8 mei 2023"],
        [day(2023, 6, 6), day(2023, 6, 6), day(2023, 5, 8)],
    ),
    "Norway and Spain, in words": (
        ["3. des. 2021", "5 de mayo del 2020"],
        [day(2021, 12, 3), day(2020, 5, 5)],
    ),
    "Russia and Ukraine": (
        ["31 декабря 2023 г.", "1 мая 2023", "01.02.2024 г.", "1 грудня 2023 р."],
        [day(2023, 12, 31), day(2023, 5, 1), day(2024, 2, 1), day(2023, 12, 1)],
    ),
    "Turkey": (
        ["31 Aralık 2023", "1 Şubat 2024", "15.Ağu.23"],
        [day(2023, 12, 31), day(2024, 2, 1), day(2023, 8, 15)],
    ),
    "Greece": (
        ["31 Δεκεμβρίου 2023", "1 Μαΐου 2024", "3 Ιουνίου 2024", "3 Ιουλίου 2024"],
        [day(2023, 12, 31), day(2024, 5, 1), day(2024, 6, 3), day(2024, 7, 3)],
    ),
    "Czechia": (
        ["31. prosince 2023", "1. února 2024", "3. června 2023", "3. července 2023"],
        [day(2023, 12, 31), day(2024, 2, 1), day(2023, 6, 3), day(2023, 7, 3)],
    ),
    "Finland": (
        ["31.12.2023 klo 18.00", "5. marraskuuta 2023", "1. maaliskuuta 2024"],
        [day(2023, 12, 31, 18), day(2023, 11, 5), day(2024, 3, 1)],
    ),
    "Hungary and Romania, in words": (
        ["2023. december 31.", "2024. február 1.", "3 noiembrie 2023"],
        [day(2023, 12, 31), day(2024, 2, 1), day(2023, 11, 3)],
    ),
    "Roman months": (
        ["31 XII 2023", "1.II.2024", "5-V-2024"],
        [day(2023, 12, 31), day(2024, 2, 1), day(2024, 5, 5)],
    ),
    "signs before a time": (
        ["31/12/2023 - 18:00", "13/02/2024 @ 6:00 AM", "2024-03-05 / 12:00"],
        [day(2023, 12, 31, 18), day(2024, 2, 13, 6), day(2024, 3, 5, 12)],
    ),
    "Japan, a time": (
        ["2023年12月31日 18時00分", "2024/2/1 6:00"],
        [day(2023, 12, 31, 18), day(2024, 2, 1, 6)],
    ),
    "months of statistics offices": (
        ["2023M12", "2024M02", "2024m5"],
        [day(2023, 12, 1), day(2024, 2, 1), day(2024, 5, 1)],
    ),
    "quarters of Norway and France": (
        ["2023K4", "T1 2024"],
        [day(2023, 10, 1), day(2024, 1, 1)],
    ),
    "Croatia": (["31.12.2023.", "1.2.2024."], [day(2023, 12, 31), day(2024, 2, 1)]),
    "Korea and Japan, halves of the day": (
        ["2024-01-15 오후 3:00:00", "2024/1/15 午前10:00", "2024-01-15 오후 12:05"],
        [day(2024, 1, 15, 15), day(2024, 1, 15, 10), day(2024, 1, 15, 12, 5)],
    ),
    "China, halves of the day": (
        ["2024年1月15日 下午3时05分", "2024/1/15 上午10:00"],
        [day(2024, 1, 15, 15, 5), day(2024, 1, 15, 10)],
    ),
    "halves of the day before a time": (
        ["2024-01-15 PM 3:00", "15.01.2024 ÖS 3:00", "2024.01.15. de. 9:00"],
        [day(2024, 1, 15, 15), day(2024, 1, 15, 15), day(2024, 1, 15, 9)],
    ),
    "weeks of pandas": (
        ["2024-01-01/2024-01-07", "2024-01-08/2024-01-14"],
        [day(2024, 1, 1), day(2024, 1, 8)],
    ),
    "words before a time": (
        ["31/12/2023 à 18h00", "01/02/2024 kl. 06:00", "13/02/2024 às 12:00"],
        [day(2023, 12, 31, 18), day(2024, 2, 1, 6), day(2024, 2, 13, 12)],
    ),
    "Spain, afternoon": (
        ["31/12/2023 6:00:00 p. m.", "01/02/2024 12:00:00 a.\N{NO-BREAK SPACE}m."],
        [day(2023, 12, 31, 18), day(2024, 2, 1)],
    ),
    "Taiwan, short year": (
        ["23-12-01", "23-12-28", "23-12-31"],
        [day(2023, 12, 1), day(2023, 12, 28), day(2023, 12, 31)],
    ),
    "Java": (
        ["2024-02-29T06:00+01:00[Europe/Oslo]", "2024-03-01T12:00Z"],
        [day(2024, 2, 29, 5), day(2024, 3, 1, 12)],
    ),
    "digits": (["20231231", "20240201"], [day(2023, 12, 31), day(2024, 2, 1)]),
    "digits of day, month and year": (
        [f"{i:02}122023" for i in range(1, 16)],
        [day(2023, 12, i) for i in range(1, 16)],
    ),
    "digits of months": (
        [f"2023{i:02}" for i in range(1, 13)],
        [day(2023, i, 1) for i in range(1, 13)],
    ),
    "seconds since 1970": (
        [f"{1_700_000_000 + 21_600 * i}.0" for i in range(15)],
        [day(2023, 11, 14, 22, 13, 20) + i / 4 for i in range(15)],
    ),
    "digits as floats": (
        [*(f"202401{i:02}.0" for i in range(1, 9)), "unknown", ".."],
        [*(day(2024, 1, i) for i in range(1, 9)), NAN, NAN],
    ),
    "digits and -1": (
        ["20231231", "20240201", "-1"],
        [day(2023, 12, 31), day(2024, 2, 1), NAN],
    ),
    "fractions of seconds since 1970": (
        [f"{1_700_000_000 + 21_600 * i}.25" for i in range(15)],
        [day(2023, 11, 14, 22, 13, 20, 250_000) + i / 4 for i in range(15)],
    ),
    "Oracle": (
        ["31-DEC-23", "01-FEB-24 06.00.00.000000 PM"],
        [day(2023, 12, 31), day(2024, 2, 1, 18)],
    ),
    "Db2": (
        ["2024-02-29-06.00.00.000000", "2024-03-01-00.00.00.000000"],
        [day(2024, 2, 29, 6), day(2024, 3, 1)],
    ),
    "SQL Server": (
        ["Feb 29 2024  6:00PM", "Mar  1 2024 12:00AM"],
        [day(2024, 2, 29, 18), day(2024, 3, 1)],
    ),
    "SAS, date9": (["29FEB2024", "01MAR2024"], [day(2024, 2, 29), day(2024, 3, 1)]),
    "Apache": (
        ["29/Feb/2024:06:00:00 +0600", "01/Mar/2024:12:00:00 +0000"],
        [day(2024, 2, 29), day(2024, 3, 1, 12)],
    ),
    "git": (
        ["Thu Feb 29 06:00:00 2024 +0600", "Fri Mar 1 12:00:00 2024 +0000"],
        [day(2024, 2, 29), day(2024, 3, 1, 12)],
    ),
    "Go": (
        ["2024-02-29 06:00:00.5 +0600 NOVT", "2024-03-01 12:00:00 +0000 UTC"],
        [day(2024, 2, 29, 0, 0, 0, 500_000), day(2024, 3, 1, 12)],
    ),
    "months and years in digits": (
        ["12-2023", "02.2024", "03/2024"],
        [day(2023, 12, 1), day(2024, 2, 1), day(2024, 3, 1)],
    ),
    "weeks, the year behind": (
        ["CW01/2024", "W06 2024", "Week 7, 2024", "2024 KW 8"],
        [day(2024, 1, 1), day(2024, 2, 5), day(2024, 2, 12), day(2024, 2, 19)],
    ),
    "quarters of fiscal years": (
        ["FY2023-Q4", "Q1 FY24", "FY24 Q2", "Q3, 2024"],
        [day(2023, 10, 1), day(2024, 1, 1), day(2024, 4, 1), day(2024, 7, 1)],
    ),
    "weekdays behind": (
        ["2024-01-15 Monday", "16.01.2024 Di.", "17/01/2024, mer"],
        [day(2024, 1, 15), day(2024, 1, 16), day(2024, 1, 17)],
    ),
    "weekdays behind, China, Japan and Korea": (
        [
            "2024年1月15日 星期一",
            "2024年1月16日\uff08火\uff09",
            "2024년 1월 17일 수요일",
        ],
        [day(2024, 1, 15), day(2024, 1, 16), day(2024, 1, 17)],
    ),
    "Japan, eras": (
        ["令和6年1月15日", "令和元年5月1日", "平成30年4月5日", "昭和64年1月7日"],
        [day(2024, 1, 15), day(2019, 5, 1), day(2018, 4, 5), day(1989, 1, 7)],
    ),
    "milliseconds since 1970, one in seconds": (
        [*(str(1_704_067_200_000 + 864 * 10**5 * i) for i in range(20)), "1704067200"],
        [*(day(2024, 1, 1 + i) for i in range(20)), NAN],
    ),
    "mail": (
        ["Thu, 29 Feb 2024 06:00:00 +0000", "Fri, 01 Mar 2024 00:00:00 +0000"],
        [day(2024, 2, 29, 6), day(2024, 3, 1)],
    ),
    "C": (
        ["Thu Feb 29 06:00:00 2024", "Fri Mar  1 00:00:00 2024"],
        [day(2024, 2, 29, 6), day(2024, 3, 1)],
    ),
}
# Categories: the cells, those that come out, and a part of the reason.
CATEGORIES = {
    "zip codes": (["01234", "90210"], ["01234", "90210"], "begin with a zero"),
    "ICD-9": (["007.1", "038.10", "250.00"], None, "'007.1' begin with a zero"),
    "flats": (["2E10", "3E11"], None, "'2E10' have a letter E"),
    "half-years of two digits": (["1H23", "2H23"], None, "'1H23' have a letter H"),
    "words before a time that may be halves of the day": (
        ["2024-01-15 nm. 3:00", "2024-01-16 vm. 9:00"],
        None,
        "",
    ),
    "sizes in feet": ([f"{i} x {i + 1}" for i in range(25)], None, "the numbers in"),
    "wards": (["4N", "4S", "5N", "5S"], None, ""),
    "drafts": (["1.0a", "1.0b", "2.0a", "2.0b"], None, "numbers, but also words"),
    "blood pressures": (
        [f"{100 + i}/{60 + i}" for i in range(25)],
        None,
        "the numbers in cells such as '100/60' are not read",
    ),
    "yes and no in Polish": (["tak", "nie"], None, ""),
    "yes and no in Spanish": (["S", "N", "s"], ["S", "N", "S"], ""),
    "shelves": (["2E10", "3E11", "5D2"], None, "words such as '5D2'"),
    "versions": (["1.1", "1.10", "2.0"], None, "differ in the zeros at the end"),
    "card numbers": (["4111111111111111", "4111111111111112"], None, "sixteen digits"),
    "negative numbers": (["-4111111111111112", "-4111111111111113"], None, "sixteen"),
    "minutes or hours": (["45", "1:30", "2:05"], None, "words such as '45'"),
    "crowns of two countries": (["5 SEK", "7 kr"], None, "'SEK' and 'kr' do not"),
    "milli and mega": (["5 mV", "7 MV"], None, "words such as"),
    "telephones": (["+49 170 1234567", "+49 170 1234568"], None, "plus sign"),
    "kilograms and degrees": (["5 kg", "7 °C"], None, "'kg' and '°C' do not convert"),
    "dollars and euros": (["5 $", "7 €"], None, "'$' and '€' do not convert"),
    "blanks and case": (
        ["Pro", "free", "Pro", "PRO "],
        ["Pro", "free", "Pro", "Pro"],
        "'PRO' is read as 'Pro'",
    ),
    "school grades": (["1+", "2-", "3"], None, ""),
    "accents as signs of their own, and blanks of no width": (
        ["Zürich", "Zürich", "Zu\u0308rich", "Genf", "Genf", "Genf\u200b"],
        ["Zürich", "Zürich", "Zürich", "Genf", "Genf", "Genf"],
        "is read as",
    ),
    "dashes and apostrophes": (
        ["18-25", "18-25", "18\N{EN DASH}25", "O\u2019Neil", "O'Neil", "O'Neil"],
        ["18-25", "18-25", "18-25", "O'Neil", "O'Neil", "O'Neil"],
        "is read as",
    ),
    "letters of full width": (
        ["ABC", "ABC", "\uff21\uff22\uff23", "x"],
        ["ABC", "ABC", "ABC", "x"],
        "is read as 'ABC'",
    ),
    "accents and underscores": (
        ["Malaga", "Málaga", "New_York"],
        None,
        "'Malaga' and 'Málaga' may be one category",
    ),
    "quotes": (['"red"', "red", "blue"], None, "'\"red\"' and 'red' may be one"),
    "signs of one length": (["A+", "A-", "B+"], None, ""),
    "codes that begin as about and from do": (["ab3", "ca7", "ab12"], None, ""),
    "alleles": (["AA", "Aa", "aa", "Aa"], None, "'AA' and 'Aa' may be one"),
    "elements": (["CO", "Co", "NO", "No", "O2"], None, "'CO' and 'Co' may be one"),
    "blood groups": (["MM", "Mm", "mm", "MN"], None, "'MM' and 'Mm' may be one"),
    "one word in two cases": (["Oslo", "OSLO"], None, "'OSLO' and 'Oslo' may be"),
    "words of three letters": (
        ["red", "Red", "RED", "red", "blue"],
        ["red"] * 4 + ["blue"],
        "is read as 'red'",
    ),
    "a full stop behind a category": (
        ["<=50K", ">50K", "<=50K.", ">50K."],
        None,
        "'<=50K' and '<=50K.' may be one category",
    ),
    "one letter": (["M", "m"], None, "'M' and 'm' may be one category"),
    "yes and no": (["Yes", "Yes", "no", "Y"], ["Yes", "Yes", "no", "Yes"], ""),
    "vowels whose case matters": (["hAd", "had"], None, "'hAd' and 'had' may be one"),
    "two sides of a limit": (["<=50K", ">50K"], None, ""),
    "five or more": (["2", "3", "5more"], None, "words such as '5more'"),
    "carburettors": (["2bbl", "mpfi", "idi"], None, ""),
    "signs": (["+", "-"], ["+", "-"], ""),
    "house numbers": (["12a", "14b", "7c"], None, ""),
    "ranges": (["20-29", "30-39"], None, ""),
    "sizes": (["10 x 20", "20 x 30"], None, ""),
    "addresses": (["192.168.1.10", "192.168.1.11"], None, ""),
    "addresses of three digits": (
        ["192.168.100.101", "192.168.100.155", "192.168.100.200"],
        None,
        "'192.168.100.101' are addresses",
    ),
    "lots": (["Lot 12-05-2024", "Lot 13-05-2024"], None, ""),
    "days without a year": (["Jan 05", "Feb 12", "Dec 31"], None, "without a year"),
    "counts of 100": ([f"{i} x 100" for i in range(25)], None, "the numbers in"),
    "counts and shares": (["45 (12.3%)", "33 (9.1%)"], None, ""),
    "sizes of screens": (["10 x 2000", "5 X 1024"], None, ""),
    "licence plates": (["AB 1234", "AB 980"], None, ""),
    "half-years": (["2023H1", "2023H2"], None, ""),
    "minutes and seconds, primes": (["3'25\"", "4'10\"", "2'30\""], None, ""),
    "dates and counters": (["2024-01-05-12", "2024-01-08-07"], None, ""),
    "dates and words": (["2024-01-05 late", "2024-01-08 due"], None, ""),
    "seasons": (["2008/09", "2009/10", "2010/11"], None, "seasons of two years"),
    "Spanish": (["VERDADERO", "FALSO", "Falso"], ["VERDADERO", "FALSO", "FALSO"], ""),
    "German": (["ja", "nein", "nie"], None, ""),
    "Turkish": (["EVET", "HAYIR"], None, ""),
    "scores": (["3-1", "2-2"], None, ""),
    "fractions": (["1/2", "3/4", "1/8"], None, ""),
    "few numbers and a word": (["1", "2", "2", "often"], None, "words such as 'often'"),
}
MEASURED = [f"{20 + 0.37 * i:.2f}" for i in range(200)]
DAYS = [str(np.datetime64("2020-01-01") + i) for i in range(200)]
THOUSANDS = [f"{i + 1},{37 * i % 1000:03}" for i in range(200)]
FRACTIONS = [f"{1 + i % 9}.{(37 * i + 22) % 1000:03}" for i in range(200)]
# A few odd cells: those of a column, those that replace its last, what the first of
# both are read as, None if the column is a category, and a part of the reason.
ODD = {
    "a zero": (MEASURED, ["05.20"], [20, 5.2], "'05.20' is read as 5.2"),
    "code": (MEASURED, ["007"] * 9, [20, 7], "'007' is read as 7"),
    "two zeros": (MEASURED, ["00"], [20, 0], "'00' is read as 0"),
    "telephone": (MEASURED, ["+49 170 123456"], [20, NAN], "become missing (1)"),
    "long": (MEASURED, ["1234567890123456"], [20, 1234567890123456], "is read as 1.2"),
    "footnote": (MEASURED, ["83.15*"], [20, 83.15], "'83.15*' is read as 83.15"),
    "flag": (MEASURED, ["44.8 p"], [20, 44.8], "'44.8 p' is read as 44.8"),
    "flags": (MEASURED, ["44.8 p"] * 12, [20, 44.8], "'44.8 p' is read as 44.8"),
    "flags that are units": (
        MEASURED,
        ["3.2 L", "4.1 H"],
        [20, 4.1],
        "'3.2 L' is read",
    ),
    "A, B and C": (
        [str(i % 99) for i in range(200)],
        [f"{i} {'ABC'[i % 3]}" for i in range(12)],
        [0, 11],
        "'10 B' is read as 10",
    ),
    "billions": ([str(i) for i in range(200)], ["5 B"], [0, 5e9], "is read as 5000000"),
    "another unit": (
        [str(150 + i % 40) for i in range(200)],
        ["1.51 m"] * 9,
        [150, NAN],
        "such as '1.51 m' become missing (9)",
    ),
    "the same unit": (
        [str(150 + i % 40) for i in range(200)],
        ["151 cm"] * 12,
        [150, 151],
        "'151 cm' is read as 151",
    ),
    "amounts and words": (
        [f"{i} €" for i in range(200)],
        ["VB"] * 15,
        None,
        "numbers, but also words such as 'VB'",
    ),
    "letters among fractions": (MEASURED, [*"xFT"] * 9, [20, NAN], "become missing"),
    "two units": (MEASURED, ["3.2 kg", "4.1 g"], [20, NAN], "become missing (2)"),
    "words": (MEASURED, ["pending"] * 12, None, "words such as 'pending' (12)"),
    "words among dates": (DAYS, ["open"] * 12, None, "dates, but also words such as"),
    "a decimal": (THOUSANDS, ["1,5"], [1000, NAN], "which is a guess"),
    "a comma": (THOUSANDS, ["5,"], [1000, NAN], "which is a guess"),
    "a date": (FRACTIONS, ["31/12/2024"], [1.022, NAN], "which is a guess"),
    "a range": (FRACTIONS, ["10-20"], [1.022, NAN], "which is a guess"),
    "one of a padded code": (
        [str(50 * (i % 99) + 10_000) for i in range(200)],
        ["09999"],
        None,
        "'09999' begin",
    ),
}


def fitted(cells, name="x", n=None):
    """Return a cleaner fitted to cells that repeat, beside another column."""
    n = n or max(30, 2 * len(cells))
    cells = (cells * n)[:n]
    return TableCleaner().fit(pd.DataFrame({name: cells, "k": ["a", "b"] * (n // 2)}))


def cleaned(cleaner, cells, name="x"):
    X = pd.DataFrame({name: cells, "k": "a"})
    return cleaner.transform(X).drop(columns="k")


@pytest.mark.parametrize("kind", [int, str])
def test_ten_digits_are_seconds_unless_their_name_is_that_of_an_id(kind):
    cells = [kind(1_700_000_000 + 3600 * i) for i in range(30)]
    X = pd.DataFrame({"seen": cells, "order_id": cells})
    assert TableCleaner().fit(X).kinds_ == {"seen": "datetime", "order_id": "drop"}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    cells, expected = NUMBERS[name]
    cleaner = fitted(cells)
    decision = cleaner.decisions_["x"]
    assert decision.kind == "number", decision
    np.testing.assert_allclose(cleaned(cleaner, cells)["x"], expected, rtol=1e-15)
    for cell, number in zip(cells, expected):
        np.testing.assert_allclose(cleaned(cleaner, [cell])["x"], [number], rtol=1e-15)


@pytest.mark.parametrize("name", DATES)
def test_dates(name):
    cells, expected = DATES[name]
    cleaner = fitted(cells)
    decision = cleaner.decisions_["x"]
    has_hours = any(value % 1 > 0 for value in expected)
    assert decision.kind == ("datetime" if has_hours else "date"), decision
    first = np.nanmin(expected)
    for some in (cells, *([cell] for cell in cells)):
        found = cleaned(cleaner, some)["x_days"] + first
        np.testing.assert_allclose(
            found, expected if len(some) > 1 else [expected[cells.index(some[0])]]
        )


@pytest.mark.parametrize("name", CATEGORIES)
def test_categories(name):
    cells, expected, reason = CATEGORIES[name]
    cleaner = fitted(cells)
    decision = cleaner.decisions_["x"]
    assert decision.kind == "category", decision
    assert reason in decision.reason
    assert cleaned(cleaner, cells)["x"].tolist() == (expected or cells)


@pytest.mark.parametrize("cells", ["030 1234{}", "5f{}a", "123-45-67{}"])
def test_codes_have_no_numbers_to_read(cells):
    decision = fitted([cells.format(i) for i in range(10, 35)]).decisions_["x"]
    assert (decision.kind, decision.reason) == ("category", "")


@pytest.mark.parametrize("name", ODD)
def test_few_odd_cells(name):
    cells, odd, expected, reason = ODD[name]
    cells = [*cells[: -len(odd)], *odd]
    cleaner = fitted(cells, n=len(cells))
    decision = cleaner.decisions_["x"]
    assert reason in decision.reason
    assert decision.kind == ("category" if expected is None else "number"), decision
    if expected is not None:
        found = cleaned(cleaner, [cells[0], cells[-1]])["x"]
        np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["1.2", "1.10", "2.0"], "'1.10' is read as 1.1"),
        (["1.20", "1.10", "2.00"], ""),
        ([*map(str, range(100)), "1.5", "1.50"], "'1.50' is read as 1.5"),
        (["8:30", "09:00:36"], "'8:30' is read as 8.5, which is a guess"),
        (["1.200 lei", "980 lei"], "'1.200 lei' is read as 1.2, which is a guess"),
        ([5, 7, -999], "-999 may stand for a missing cell (10)"),
        ([5, -7, -999], ""),
        ([5, 7.5, 999.9], "999.9 may stand for a missing cell (10)"),
        ([5, 0, -999.25], "-999.25 may stand for a missing cell (10)"),
        ([5, 0, 1e20], "1e+20 may stand for a missing cell (10)"),
        ([5, 7, 8888], "8888 may stand for a missing cell (10)"),
        ([5, 70, 99], ""),
        ([5, 7, 9000], ""),
        ([-5, 7, 9999], ""),
        ([*range(-5, 9), -99], "-99 may stand for a missing cell (2)"),
        ([*range(-5, 9), 999.9], "999.9 may stand for a missing cell (2)"),
        ([1, 2, 3, 97, 98, 99], "97, 98, 99 may stand for missing cells (15)"),
        ([10, 20, -88, -99], "-99, -88 may stand for missing cells (14)"),
        ([*range(-5, 30), 99], "99 may stand for a missing cell (2)"),
        ([*range(-5, 60), 99], ""),
        ([99, 99, 99, *range(30)], "99 may stand for a missing cell (6)"),
        (["1.5", "2", "n/a"], ""),
        ([1.5, "2", "3", "n/a"], ""),
        (
            ["4.11111E+15", "4.2E+15"],
            "'4.11111E+15' may be a code that a spreadsheet has rounded",
        ),
    ],
)
def test_what_numbers_may_mean_instead(cells, reason):
    decision = fitted(cells).decisions_["x"]
    assert (decision.kind, decision.reason) == ("number", reason)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["2024-02-29", "2024-03-01"], ""),
        (
            ["1900-01-01", "2024-02-29", "2024-03-01"],
            "1900-01-01 may stand for a missing cell (10)",
        ),
        (
            ["2024-02-29", "2024-03-01", "2099-12-31"],
            "2099-12-31 may stand for a missing cell (10)",
        ),
        (["1970-01-01", "1969-12-30", "1970-01-03"], ""),
        (["2024-02-29 18:00:00", "2024-03-01 00:00:00"], ""),
        (["01.03.2024", "29.02.2024"], "'01.03.2024' is read as 2024-03-01"),
        (
            ["01/02/2567", "31/12/2566"],
            "'01/02/2567' is read as 2567-02-01, day first, "
            "which may be of another calendar",
        ),
        (
            ["1402-10-11", "1402-11-12"],
            "'1402-10-11' is read as 1402-10-11, which may be of another calendar",
        ),
    ],
)
def test_what_is_told_of_dates(cells, reason):
    assert fitted(cells).decisions_["x"].reason == reason


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (["12,5", "7,25"], 1234),
        (["1.234,50 €", "7,00 €"], 1234),
        (["12,5", "31.12.23"], 1234),
        (["12.5", "7.25"], 1.234),
        (["31.12.23", "01.02.24"], 1.234),
        ([12.5, 7.25], 1.234),
        (["word", "1,2"], 1234),
    ],
)
@pytest.mark.parametrize("given", [None, {"x": "number"}])
def test_other_columns_show_whether_points_separate_thousands(others, expected, given):
    thousands = ["1.234", "12.500", "7.250"] * 10
    X = pd.DataFrame({"x": thousands, "other": others * 15})
    cleaner = TableCleaner(given).fit(X)
    assert cleaner.transform(X[:1])["x"].tolist() == [expected]
    reason = "as given" if given else "which is a guess"
    assert reason in cleaner.decisions_["x"].reason


def test_columns_that_do_not_agree_on_the_decimal_sign_show_nothing():
    columns = {"x": ["1.234", "12.500"], "b": ["1,5", "2,5"], "c": ["1.5", "2.5"]}
    X = pd.DataFrame({name: cells * 15 for name, cells in columns.items()})
    assert TableCleaner().fit_transform(X)["x"][0] == 1.234


@pytest.mark.parametrize("cells", [["980", "1200", "3400"], [980, 1200, 3400]])
def test_points_in_a_later_batch_of_whole_numbers_are_told(cells):
    cleaner = fitted(cells)
    with pytest.warns(UserWarning, match=r"'1\.200' is read as 1\.2, which is a guess"):
        later = cleaned(cleaner, ["1.200", "1,300", "7", "1.234.567"])
    np.testing.assert_array_equal(later["x"], [1.2, 1300, 7, NAN])
    cleaned(cleaner, ["1.5", "0.250", "7"])  # without a warning
    cleaned(fitted(["980.5", "1.200"]), ["1.200"])
