"""The words of cells: for missing, true and false, units, currencies and months."""


def _split(words):
    return frozenset(words.split())


def groups(words):
    """Return the first word and the others of each group between semicolons."""
    return [(first, others) for first, *others in map(str.split, words.split(";"))]


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
    "true t yes y on 1 ja j oui o vrai v wahr si sí sì sim s да verdadero verdadeiro"
    " vero evet tak ano igen kyllä da ναι はい 是"
)
FALSE_WORDS = _split(
    "false f no n off 0 nein non faux falsch não nee нет falso nej hayir hay\u0131r"
    " ne nem ei nu όχι いいえ 否"
)

# {family: units, in groups that begin with their factor}. Case counts where a unit is
# written in upper case: "mw" is read for all that is no "mW". Months and years are
# those of the calendar on average. "m" is a month in a column without shorter times.
COUNT, SHARE, TIME, CALENDAR = "count", "share", "time", "days or more"
_DAYS_OR_MORE = (
    "86400 d day tag tage jour día dia giorno giorni dag dagen dagar gün dzień dni день"
    " дня дней; 604800 w wk week woche wochen semaine semana hafta;"
    "2629800 mo mth month monat monate mois mes meses mês mese mesi maand maanden månad"
    " månader ay miesiąc miesiące miesięcy месяц месяца месяцев;"
    "31557600 y yr year jahr jahre an année año ano anno anni jaar år yıl rok lata lat"
    " год года лет"
)
UNITS = {
    COUNT: "1e3 k tsd tausend thousand mila mille tys тыс тысяч;"
    "1e4 万 萬; 1e5 lac lakh;"
    "1e6 M mn mio million millionen millón millone milioni milione milhão milhõe mln"
    " milyon млн миллион миллионов; 1e7 cr crore; 1e8 亿 億;"
    "1e9 B bn mrd billion milliard milliarden miliardi bilhão bilhõe mld milyar млрд"
    " миллиард; 1e12 trillion",
    SHARE: "1e-2 % percent pct prozent; 1e-3 ‰",
    "length": "1e-6 nm; 1e-3 µm um; 1 mm; 10 cm; 100 dm; 1e3 m meter metre; 1e6 km;"
    "25.4 in inch inche \"; 304.8 ft feet '; 914.4 yd; 1609344 mi mile",
    "mass": "1e-6 µg ug mcg; 1e-3 mg; 1 g gram; 1e3 kg kilo; 1e6 t;"
    "28.349523125 oz; 453.59237 lb",
    TIME: "1e-3 ms; 1 s sec second sek;"
    "60 m min minute minuten minuto minuti мин минут;"
    "3600 h hr hour std stunde stunden heure hora ora ore uur saat ч час;"
    + _DAYS_OR_MORE,
    CALENDAR: f"2629800 m;{_DAYS_OR_MORE}",
    "volume": "1e-3 µl; 1 ml; 10 cl; 100 dl; 1e3 l liter litre; 1e5 hl; 1e6 m³ m3",
    "area": "1 mm²; 1e2 cm²; 1e6 m² m2 qm sqm ㎡; 1e10 ha; 1e12 km² km2;"
    "92903.04 ft² sqft",
    "bytes": "1 b; 1e3 kb; 1e6 mb; 1e9 gb; 1e12 tb; 1024 kib; 1048576 mib;"
    "1073741824 gib",
    "speed": "3.6 m/s; 1 km/h kmh kph; 1.609344 mph",
    "power": "1e-3 mW; 1 w; 1e3 kw; 1e6 mw; 1e9 gw",
    "energy": "1e-3 mJ; 1 j; 1e3 kj; 1e6 mj; 3.6 mWh; 3600 wh; 3.6e6 kwh; 3.6e9 mwh;"
    "4.184 cal; 4184 kcal",
    "frequency": "1e-3 mHz; 1 hz; 1e3 khz; 1e6 mhz; 1e9 ghz",
    "pressure": "1e-3 mPa; 1 pa; 1e2 hpa mbar; 1e3 kpa; 1e5 bar; 1e6 mpa",
    "temperature in °C": "1 °c ℃ °celsius",
    "temperature in °F": "1 °f ℉",
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
# The names of time zones, in groups that begin with their offset.
ZONES = (
    "+0000 z utc gmt wet; +0100 west bst cet mez; +0200 cest mesz eet sast;"
    "+0300 eest msk; +0530 ist; +0800 hkt sgt awst; +0900 jst kst; +1000 aest;"
    "+1100 aedt; +1200 nzst; +1300 nzdt; -0300 brt; -0400 edt; -0500 est cdt;"
    "-0600 cst mdt; -0700 mst pdt; -0800 pst akdt; -0900 akst; -1000 hst"
)
