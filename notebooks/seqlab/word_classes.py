"""Classes of words by which embeddings are measured: months, number words and countries, all of which occur in the speeches."""

_MONTHS = """
january february march april june july august september october november december
"""
_NUMBERS = """
two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred
"""
_COUNTRIES = """
france mexico russia japan cuba spain germany england china britain italy chile peru brazil korea vietnam iraq iran egypt turkey israel nicaragua
colombia venezuela honduras guatemala austria poland denmark sweden portugal belgium netherlands greece canada india pakistan afghanistan haiti
"""
CLASSES = {"months": _MONTHS.split(), "numbers": _NUMBERS.split(), "countries": _COUNTRIES.split()}
"""By name. *May* is not among the months: in the speeches it is nearly always the verb."""
