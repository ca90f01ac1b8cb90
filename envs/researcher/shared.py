"""What two of Nora's sessions both know: which toolkit of 04 and 12, and which place of 07 and 19, plays which part."""

from typing import Any

KITS = ("bosun", "capstan", "fathom", "gunwale", "jetsam", "leeward", "thwart")
SUMMER_PARTS = ("clash", "refused", "rich", "guided", "open", "middling")


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """Names and versions of the toolkits in the order of 04's parts, and the parts of the places in the order of these.

    Both follow from what is drawn of her, and nothing from the stream.
    """
    cast, turn = preferences.persona.kit_cast, preferences.persona.summer_cast
    places = [(cast + part * (cast // 7 % 6 + 1)) % len(KITS) for part in range(len(KITS))]
    return {
        "kits": [(KITS[at], (at % 3 + 1, (cast * 2 + at * 5) % 9 + 1, (cast + at * 3) % 6)) for at in places],
        "summer_parts": [SUMMER_PARTS[(at + turn) % len(SUMMER_PARTS)] for at in range(len(SUMMER_PARTS))],
    }
