"""The words of cells: for missing, true and false, units, currencies and months."""


def _split(words):
    return frozenset(words.split())


# Case matters: "none" in lower case is a category ("pain: none"), not missing.
MISSING_WORDS = {"", "(en blanco)"} | _split(
    "NA N/A n/a NaN nan null NULL None ? #N/A #NA #NV <NA> NaT . n.d. N.D. n.a. N.A."
    r" (null) [NULL] [null] <null> <NULL> (blank) (leer) (vide) (vuoto) \N -nan"
    " nan(ind) -nan(ind) 1.#IND -1.#IND 1.#QNAN -1.#QNAN #DIV/0! #VALUE! #REF! #NAME?"
    " #NUM! #NULL! #N/D #ERROR! #WERT! #BEZUG! #ZAHL! #VALEUR! #NOMBRE! #NOM? #VALOR!"
    " #¡VALOR! #ARG! #\u041d/Д"
)
# Of no width: a space, a byte order mark, a hyphen, and marks of the direction.
NO_WIDTH = "\u200b\ufeff\xad\u200e\u200f"
# Missing, unless "+" is a category of the column too.
DASHES = _split("- -- --- \N{EN DASH} \N{EM DASH}")
# Missing among numbers and dates, in any case and in brackets, as are signs such as
# ".." and ":"; elsewhere they are categories.
MISSING_AMONG_NUMBERS = _split(
    "na na. n.a nan null none nil nul unknown unk unbekannt missing empty blank error"
    " tbd tba"
    " n/d s/d k.a. n.v. n.b. s.d. inf infinity -inf -infinity nd lod bdl"
    " inconnu desconocido onbekend неизвестно nsp nodata"
    " н/д нд 不明 無回答 b.d. bilinmiyor nr ns n.c. n.r."
    " fehlt fehlend manquant faltante mancante brak saknas mangler ontbreekt"
    # below what a laboratory can detect or quantify
    " n.n. loq bql blq bloq blod <mdl <mrl <rl <bg <nwg"
) | {
    *("not detected", "nicht nachweisbar"),
    *("not available", "not applicable", "not known", "not recorded", "not measured"),
    *("not tested", "not determined", "no data", "keine angabe", "k. a.", "n. a."),
    *("sin dato", "sin datos", "no aplica", "non disponible"),
    *("brak danych", "нет данных", "не указано"),
}

TRUE_WORDS = _split(
    "true t yes y on 1 ja j oui o vrai wahr si sí sim да verdadero vero evet"
)
FALSE_WORDS = _split(
    "false f no n off 0 nein non faux falsch não nee нет falso nej hayir hay\u0131r"
)

# {family: units, each with its factor}. Case counts where a unit is written in upper
# case: "mw" is read for all that is no "mW". Months and years are those of the calendar
# on average. "m" is a month in a column without shorter times.
COUNT, SHARE, TIME, CALENDAR = "count", "share", "time", "days or more"
_DAYS_OR_MORE = (
    " d 86400 day 86400 tag 86400 w 604800 wk 604800 week 604800 mo 2629800"
    " mth 2629800 month 2629800 monat 2629800 y 31557600 yr 31557600 year 31557600"
    " jahr 31557600 tage 86400 woche 604800 wochen 604800 monate 2629800 jahre 31557600"
    " jour 86400 día 86400 semaine 604800 semana 604800 mois 2629800 mes 2629800"
    " meses 2629800 an 31557600 année 31557600 año 31557600"
    " dia 86400 mês 2629800 ano 31557600"
    " giorno 86400 giorni 86400 mese 2629800 mesi 2629800 anno 31557600 anni 31557600"
    " dag 86400 dagen 86400 dagar 86400 maand 2629800 maanden 2629800 jaar 31557600"
    " månad 2629800 månader 2629800 år 31557600 gün 86400 hafta 604800 ay 2629800"
    " yıl 31557600 dzień 86400 dni 86400 miesiąc 2629800 miesiące 2629800"
    " miesięcy 2629800 rok 31557600 lata 31557600 lat 31557600"
    " день 86400 дня 86400 дней 86400 месяц 2629800 месяца 2629800 месяцев 2629800"
    " год 31557600 года 31557600 лет 31557600"
)
UNITS = {
    COUNT: "k 1e3 tsd 1e3 thousand 1e3 M 1e6 mn 1e6 mio 1e6 million 1e6"
    " B 1e9 bn 1e9 mrd 1e9 billion 1e9 trillion 1e12 lac 1e5 lakh 1e5 cr 1e7 crore 1e7"
    " 万 1e4 萬 1e4 亿 1e8 億 1e8 mln 1e6 mld 1e9 mila 1e3 tys 1e3 milyon 1e6"
    " milyar 1e9 тыс 1e3 млн 1e6 млрд 1e9",
    SHARE: "% 1e-2 percent 1e-2 pct 1e-2 prozent 1e-2 ‰ 1e-3",
    "length": "nm 1e-6 µm 1e-3 um 1e-3 mm 1 cm 10 dm 100 m 1e3 meter 1e3 metre 1e3"
    " km 1e6 in 25.4 inch 25.4 inche 25.4 \" 25.4 ft 304.8 feet 304.8 ' 304.8 yd 914.4"
    " mi 1609344 mile 1609344",
    "mass": "µg 1e-6 ug 1e-6 mcg 1e-6 mg 1e-3 g 1 gram 1 kg 1e3 kilo 1e3 t 1e6"
    " oz 28.349523125 lb 453.59237",
    TIME: "ms 1e-3 s 1 sec 1 second 1 sek 1 m 60 min 60 minute 60 minuten 60"
    " h 3600 hr 3600 hour 3600 std 3600 stunde 3600 stunden 3600 heure 3600 hora 3600"
    " ora 3600 ore 3600 uur 3600 saat 3600 ч 3600 час 3600 minuto 60"
    " minuti 60 мин 60 минут 60" + _DAYS_OR_MORE,
    CALENDAR: "m 2629800" + _DAYS_OR_MORE,
    "volume": "µl 1e-3 ml 1 cl 10 dl 100 l 1e3 liter 1e3 litre 1e3 hl 1e5 m³ 1e6"
    " m3 1e6",
    "area": "mm² 1 cm² 1e2 m² 1e6 m2 1e6 qm 1e6 sqm 1e6 ha 1e10 km² 1e12 km2 1e12"
    " ㎡ 1e6 ft² 92903.04 sqft 92903.04",
    "bytes": "b 1 kb 1e3 mb 1e6 gb 1e9 tb 1e12 kib 1024 mib 1048576 gib 1073741824",
    "speed": "m/s 3.6 km/h 1 kmh 1 kph 1 mph 1.609344",
    "power": "w 1 kw 1e3 mW 1e-3 mw 1e6 gw 1e9",
    "energy": "j 1 mJ 1e-3 kj 1e3 mj 1e6 wh 3600 mWh 3.6 kwh 3.6e6 mwh 3.6e9"
    " cal 4.184 kcal 4184",
    "frequency": "mHz 1e-3 hz 1 khz 1e3 mhz 1e6 ghz 1e9",
    "pressure": "mPa 1e-3 pa 1 hpa 1e2 mbar 1e2 kpa 1e3 bar 1e5 mpa 1e6",
    "temperature in °C": "°c 1 ℃ 1 °celsius 1",
    "temperature in °F": "°f 1 ℉ 1",
}
# Each begins with its code; a crown may be of three countries.
CURRENCIES = (
    "USD $ us$ dollar; EUR € euro; GBP £; CHF fr fr. sfr sfr. franken; JPY ¥ 円;"
    "CNY 元 cn¥; INR ₹ rs rs.; BRL r$; CAD c$ ca$; AUD a$ au$; NZD nz$; MXN mx$;"
    "SGD s$; HKD hk$; RUB ₽; KRW ₩ 원; TRY ₺ tl; PLN zł; CZK kč; HUF ft; ILS ₪; THB ฿;"
    "UAH ₴; crowns kr kr.; SEK; NOK; DKK; ZAR; AED; IDR rp rp.; TWD nt$; MYR rm;"
    "RON lei; PHP; NGN; VND; COP; ARS; CLP; KES ksh"
)
# The names of the weekdays; those of two letters do not begin the name.
WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch"
    " donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi"
    " samedi dimanche lunes martes miércoles miercoles jueves viernes sábado sabado"
    " domingo lunedì lunedi martedì martedi mercoledì mercoledi giovedì giovedi venerdì"
    " venerdi sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag"
    " zondag segunda terça quarta quinta sexta poniedziałek wtorek środa czwartek pt"
    " piątek sobota niedziela пн понедельник вторник среда чт четверг пт пятница"
    " \u0441\u0431 суббота вс воскресенье"
)
# What may stand behind a year, as a pattern.
YEAR = r"(?: ?[гр]\.| года?| року)?"
ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"]
# The beginnings of the names of the months without accents, January first.
MONTHS = (
    "jan ene gen sty янв ocak led ιαν ian січ tam; feb fev lut фев şub uno φεβ лют hel;"
    "mar mrz maa mrt мар bre μαρ бер; apr avr abr kwi апр nis dub απρ квi huh;"
    "may mai mei mag maj май мая kve μαι тра tou;"
    "jun juin giu cze июн haz cervn cerven ιουν iun чер kes;"
    "jul juil lug lip июл лип tem cervenc ιουλ iul hei;"
    "aug aou ago sie авг agu srp αυγ сер elo; sep set wrz сен eyl zar σεπ sze вер syy;"
    "oct okt ott out paz окт eki rij οκτ жов lok;"
    "nov lis ноя kas νοε noi marras; dec des dez dic gru дек гру ara pro δεκ jou"
)
# The names of time zones, and their offsets.
ZONES = (
    "z +0000 utc +0000 gmt +0000 wet +0000 west +0100 bst +0100 cet +0100 cest +0200"
    " mez +0100 mesz +0200 eet +0200 eest +0300 msk +0300 sast +0200 ist +0530"
    " hkt +0800 sgt +0800 awst +0800 jst +0900 kst +0900 aest +1000 aedt +1100"
    " nzst +1200 nzdt +1300 brt -0300 est -0500 edt -0400 cst -0600 cdt -0500"
    " mst -0700 mdt -0600 pst -0800 pdt -0700 akst -0900 akdt -0800 hst -1000"
)
