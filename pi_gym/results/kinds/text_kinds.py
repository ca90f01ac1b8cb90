"""Texts, programs and what is said to the user."""

from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Facet
from pi_gym.results.file_facets import FILE_FACETS
from pi_gym.results.tokens import TEXT_ASPECTS

KINDS = {
    "text": "A file of prose: notes, letters, pages, LaTeX.",
    "code": "A program or a script.",
    "reply": "What is said to the user.",
}
FACETS: tuple[Facet, ...] = (*TEXT_ASPECTS, *FILE_FACETS, *DEMANDS)
