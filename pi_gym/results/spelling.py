"""British and American spelling: telling words, and which of the two a text keeps to."""

from __future__ import annotations

from collections import Counter

from pi_gym.predicates.text import words

#: Beginnings of words, British and American.
_PAIRS = tuple(
    pair.split("/")
    for line in """
        analyse/analyze analysing/analyzing analysed/analyzed behaviour/behavior catalogue/catalog centre/center
        centred/centered characteris/characteriz colour/color defence/defense emphasis/emphasiz favour/favor fibre/fiber
        generalis/generaliz grey/gray honour/honor initialis/initializ labelled/labeled labelling/labeling labour/labor
        licence/license litre/liter maximis/maximiz metre/meter minimis/minimiz modelled/modeled modelling/modeling
        neighbour/neighbor normalis/normaliz optimis/optimiz organis/organiz penalis/penaliz practise/practice
        prioritis/prioritiz programme/program quantis/quantiz realis/realiz recognis/recogniz regularis/regulariz
        specialis/specializ summaris/summariz synchronis/synchroniz tokenis/tokeniz travelled/traveled
        travelling/traveling utilis/utiliz visualis/visualiz""".splitlines()
    for pair in line.split()
)
_BEGINNINGS = tuple(one for pair in _PAIRS for one in pair)
# Words that only look like one of these: "emphasis" itself is spelled alike on both sides.
_ALIKE = frozenset(
    word
    for line in """
        emphasis analyses realism optimism optimist optimistic license licensed organism organisms minimis licensing
        practice practices practical practically program programs programmed programming programmer meter meters
        specialist specialists""".splitlines()
    for word in line.split()
)


def spelling_counts(text: str) -> Counter[str]:
    """The number of telling words of a text that are British, and of those that are American."""
    found: Counter[str] = Counter()
    for word in words(text).split():
        # Hardly a word tells anything: one look at all beginnings spares most words the pairs.
        if not word.startswith(_BEGINNINGS) or word in _ALIKE:
            continue
        for british, american in _PAIRS:
            if word.startswith(british):
                found["British"] += 1
            elif word.startswith(american):
                found["American"] += 1
    return found


def spelling_of(text: str) -> str:
    """The spelling: "British", "American", "both", or "" where nothing tells.

    >>> spelling_of("We analyse the behaviour."), spelling_of("The center's color is gray."), spelling_of("Fine.")
    ('British', 'American', '')
    """
    found = spelling_counts(text)
    return "both" if len(found) > 1 else next(iter(found), "")
