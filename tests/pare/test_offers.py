"""Acts as proposals name them."""

from __future__ import annotations

import re

import pytest

from pi_gym.pare.facts import plain_text
from pi_gym.pare.offers import find_offer, mended

TOLD = {"message.send", "mail.send"}


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Do you want me to submit the order for your tent?", [{"order.place"}]),
        ("Proposal: check out the cart with SPRING, saving 25 %.", [{"order.place"}]),
        ("Shall I pass the two numbers on to Viktor?", [TOLD]),
        ("Shall I pass the mail on to Viktor?", [{"mail.forward"}]),
        ("Shall I write a note with the numbers?", [{"note.add", "note.change"}]),
        ("Shall I write Nora a note with the numbers?", [TOLD]),
        ("Would you like me to drop Mill Lane from your shortlist?", [{"listing.remove"}]),
        ("Shall I take Mill Lane off the saved list?", [{"listing.remove"}]),
        ("Shall I take 15 percent off your order with SPRING?", []),
        ("The apartment is too dear now. Shall I remove it?", [{"listing.remove"}]),
        ("The cab is late. Shall I cancel it and tell Ada?", [{"ride.cancel"}, TOLD]),
        ("Shall I move the dinner and let Ada know?", [{"event.change"}, TOLD]),
        ("Shall I move the dinner and send Ada a reply?", [{"event.change"}, TOLD]),
        ("Shall I move the dinner and tell Ada by e-mail?", [{"event.change"}, {"mail.send"}]),
        ("May I remvoe Mill Lane from the saved apartments?", [{"listing.remove"}]),
        ("I can add the ride to your calendar.", [{"event.add"}]),
        ("I can book a cab, and place the order now.", [{"ride.book"}, {"ride.book"}]),
        ("The dinner moved to Sunday. What would you like me to change?", []),
        ("The ride is late, and I can cancel it if you confirm.", [{"ride.cancel"}]),
    ],
)
def test_an_offer_names_these_acts(text: str, acts: list[set[str]]) -> None:
    things = {"event": re.compile(r"\bdinner\b")}
    assert list(find_offer(mended(plain_text(text)), things).acts) == acts
