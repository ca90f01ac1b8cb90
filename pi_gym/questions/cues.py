"""The wordings that ask, and those that only look like it.

Every predicate takes the masked, lower-case text of one sentence (`Sentence.plain`). Agents write what these patterns
run over, so they run in google-re2, in linear time.
"""

from __future__ import annotations

import re2


def _word_set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_WH = r"(?:which|what|what's|whats|how|where|when|who|whom|whose|whether|why)"
_PREPOSED = r"(?:in|at|by|on|with|for|under|from|to|until|till|into|after) (?:which|what|whom|when|how many)"
_INVERTED = (
    r"(?:(?:should|shall|must|may|can|could|do|will|am) (?:i|we)|(?:do|would|could|can|will|did|are|have) you"
    r"|(?:should|does|do|is|are|must|can|could|would|will|shall) "
    r"(?:the|it|this|that|they|there|these|those|your|my|all|each|any)|is it|are there)"
)
_ASKS_WHICH = re2.compile(rf"(?i)^\W*(?:and |but |so )?(?:{_PREPOSED}|{_WH})\b")
_START = rf"(?:{_PREPOSED}|{_WH}|{_INVERTED})"
_OPENING = (
    r"(?:(?:for|in|on|before|with|about|regarding|as for|given|since|if|when|one|quick"
    r"|last)\b[^,:]{1,60}[,:] (?:\(?[0-9a-h]\) )?)?"
    r"(?:(?:and|so|but|also|then|ok|okay|first|second|third|next|finally|well|now"
    r"|or)[,:]? )*"
)

_STARTS = re2.compile(rf"^\W*{_OPENING}{_START}\b")
_INVERTED_ANYWHERE = re2.compile(rf"^\W*{_OPENING}(?:(?:{_PREPOSED}|{_WH})\b.{{0,60}}?\b)?{_INVERTED}\b")
_SUBORDINATE = re2.compile(rf"^\W*{_OPENING}(?:when|where|why|how|whether|what) (?:the|i|we|it|this|that|they|to|you) ")
_NARRATES = re2.compile(
    r"^\W*(?:what|how|where|when|why) (?:i|we|it|this|changed|happened|was|were|is|to|you get|you'll)\b"
)
SPLIT = re2.compile(
    rf"(?:[,;]\s*(?:(?:and|but|also|plus|then|&)\s+)*(?:\(?[0-9a-h]\)\s*)?|\s(?:and|plus|&)\s+(?:also\s+|then\s+|please\s+)?"
    rf"|[,;:]?\s\(?[0-9a-h]\)\s*)({_START}|if (?:you|i|we|it|the|they|there)|please|tell me|let me know)\b"
)

#: A further question whose thing has no article ("…, and do mean and spread stand in one cell?").
AND_SPLIT = re2.compile(r",\s*and\s+((?:do|does|did|should|shall|is|are) [a-z]+ (?:[a-z]+ )+)")
#: The parts of a question in brackets: "which form (CSV or LaTeX; file name; how many decimals)".
PARTS = re2.compile(r"\([^()]*;[^()]*;[^()]*\)")
PART_SPLIT = re2.compile(r";\s*([^\s;()])")

_SAYING_SO = r"\bsay (?:so|yes|the word),? and i\b"
_CONFIRM = re2.compile(
    r"^\W*(?:is (?:that|this|it) |all )?(?:right|correct|ok|okay|agreed|yes|fine|true|(?:shall|should|may|can) i)"
    r"(?:, or (?:\w+ ?){1,3})?\W*$"
)
_OFFER = re2.compile(
    rf"\b(?:shall|should|may|can|could) i\b|\b(?:do|would) you (?:want|like) me to\b|\bwant me to\b|{_SAYING_SO}"
)
_SEVERAL = re2.compile(
    r"\b(?:them|both|these(?: two| three)?|those|(?:the|your|my) (?:two|three)|in each|each of them"
    r"|all (?:of them|of these|three)|(?:the|these) (?:entries|changes|corrections)|the two \w+)\b"
    r"|\(?\b[a1]\)? to \(?[b-e2-5]\b"
)
_ONE = re2.compile(r"\b(?:it|that|this|her|him)\b")
#: Words that an offer has of its own beside those that say nothing: "Shall I put them right, too?" has one.
MAX_OFFER_WORDS = 3
_OFFERED = {"two", "three", "pages", "files", "lines", "places", "notes", "new", "name"}
#: Things that an assistant offers to do, joined in one question ("Shall I tick the list, and tell Tomasz?").
_ACT = (
    r"(?:(?:add|ask|cancel|correct|delete|enter|fix|inform|mend|move|put|remind|remove|reply|send|strike|take|tell|tick"
    r"|update|write)\b|(?:answer|book|change|draft|drop|give|let|mail|mark|note|order|post|set|text)"
    r" (?:the|a|an|it|them|him|her|your?|this|these|those|some|all|both)\b)"
)
_OFFERS_ACTS = re2.compile(
    rf"^\W*{_OPENING}(?:(?:shall|should|may|can|could) i|(?:do you|would you)? ?(?:want|like) me to)\b"
)
ACT_SPLIT = re2.compile(rf"(?:,\s*|\s)(?:and|then)\s+(?:also\s+|then\s+)?({_ACT})")
_BEGINS_WITH_ACT = re2.compile(rf"^{_ACT}")

_COMES_FIRST = (
    r"(?:^\W*|[;:(]\s*|\s-+\s+|^(?:before|if|when|once|for|to|in|as|since|on|with|also|one|next|first"
    r"|finally)\b[^,]*,\s*"
    r"|\b(?:please|pls|plz|kindly|do|just|simply|(?:can|could|would|will) you|you to|me to"
    r"|you (?:could|must|should|need to|have to)|please to)\s+(?:also |just |please |kindly |quickly )*)"
)
_TELL = (
    r"(?:tell (?:me|us)|let (?:me|us) know|advise(?: me)?|inform me|remind me|drop me a (?:line|word)"
    r"|say (?:which|whether|if|how|what|when|where|who))"
)
_DECIDE = (
    r"(?:specify|confirm|indicate|clarify|choose|pick|select|decide|state|name|settle|share|answer|provide"
    r"|give me|send me)"
)
_OBJECT = (
    r"(?:which|what|whether|if|how|where|when|who|whom|whose|the|your|a|an|one|between|on|about|that|this"
    r"|from|by|in"
    r"|for|it|me|both|any|either|preferred|with)"
)
_I_NEED = (
    r"(?:^\W*|^\W*(?:before|after|for|to|first|now|in)\b.*?\s|[,;:(]\s*|\s-+\s+|\b(?:and|so|but|then|still"
    r"|here|only|that)\s+)(?:i|we)(?:'d| would)?\s+"
    r"(?:also |still |just |only |really |first |do |will |'ll )*(?:need|want|like|love|have|must|prefer|wish)"
)
_NEEDED = (
    r"(?:(?: you)? to (?:know|ask|hear|be told|have your)\b| (?:know|ask)\b|(?: that)? you(?: to)? (?:tell"
    r"|say|choose"
    r"|decide|pick|specify|confirm)\b"
    r"|(?: to)? (?:check|confirm|clarify|understand|be sure|verify|settle|make sure)\b.*\b(?:you|your)\b"
    r"|(?: \w+){0,3} (?:decision|answer|choice|preference|input|word|call|opinion|steer|approval"
    r"|guidance) (?:on|about|for|whether|which)\b"
    r"|[^,;]* from you\b)"
)
_UNSURE = (
    r"(?:(?:i'm|i am|im|we're|we are|it's|it is|it isn't|still|remains?|one thing)\s+(?:still |also |just "
    r"|quite |a (?:bit|little) )*"
    r"(?:not (?:yet )?(?:sure|clear|certain|know)|unsure|unclear|uncertain|undecided|wondering|curious"
    r"|open)(?: to me| yet| about| as to| of| is)*,?:?"
    r"|\bi (?:still |also )?(?:don't|do not|cannot|can't|couldn't|could not) (?:yet )?(?:know|tell|see"
    r"|find(?: out)?)"
    r"|\bi (?:still )?wonder|\bquestions?(?: for you| is| left| remains)*\s?[:-]|\b(?:would|'d) (?:help"
    r"|be \w+)(?: me)?(?: to know| to hear| if you (?:told|said))"
    rf"|\bdepends on)\s+(?:{_WH}|{_PREPOSED}|if|your)\b"
)
_AWAITS = (
    r"\b(?:missing|lack|lacking|await|awaiting|waiting for|need) your (?:decision|answer|choice|preference"
    r"|input|word|call)\b"
    r"|\b(?:appreciate|grateful|glad|great|helpful)\b.*\byou (?:told|tell|could tell|said|could say|confirmed|let) "
)
_IMPERATIVE = re2.compile(
    rf"(?:{_COMES_FIRST}(?:{_TELL}\b|{_DECIDE}\b(?:\s*:\s*|\s+){_OBJECT}\b)"
    rf"|\b(?:and|so|then|but|or)\s+{_TELL}\s+(?:{_WH}|{_PREPOSED}|if|your|the)\b|{_I_NEED}{_NEEDED}|{_UNSURE}"
    rf"|\b(?:please|kindly|pls)\s+{_DECIDE}\b|{_SAYING_SO}|{_AWAITS}"
    # An offer that waits for a word: "I could also strike it; just say so."
    r"|\bi (?:can|could) .*\b(?:(?:just )?say (?:so|the word|if you (?:want|like|wish)\b.*)|give me the word)\W*$)"
)
_SAY_SO = re2.compile(_SAYING_SO)
_NOT_IMPERATIVE = re2.compile(
    r"feel free|next steps?:|to-?do:"
    r"|don't hesitate|do not hesitate|, so i\b|, so we\b|no need to|(?:didn't|did not|don't|do not) need"
    r"|\bif you (?:did not|didn't) mean (?:that|this|it|so)\b"
    r"|^\W*(?:that is to say|say,|let's say|needless to say|i (?:asked|will ask|would ask))|(?:asked|told) me to"
)
_KNOWS = re2.compile(r"\b(?:know|heard|aware|been told)\b")
_PROMISE = re2.compile(r",? (?:and|then|so) (?:i'll|i will|i can|that i)\b.*$")
_BY_VERB = re2.compile(rf"^\W*{_OPENING}{_INVERTED}\b")
_CHOICE = re2.compile(
    r"(?:your (?:call|choice|pick|decision|preference)|up to you|you (?:choose|decide|pick|say|tell me)"
    r"|take your pick"
    r"|(?:which|what|who)ever (?:one )?you (?:prefer|like|want)|as you (?:prefer|like|wish)"
    r"|just say(?: which| so)?|say which|say the word"
    r"|(?:let|tell) me(?: know)?(?: please| which)?|which(?: one)?|either (?:works|is fine))\W*$"
    r"|^\W*(?:your (?:call|choice|pick)|up to you|you (?:choose|decide|pick)|pick one|choose one)\s?[:,-]"
)
_MAY_ASK = re2.compile("|".join(f"(?:{cue.pattern})" for cue in (_CHOICE, _IMPERATIVE, _STARTS)))
_JOINS = re2.compile(r"\b(?:and|plus|also|as well|then)\b|[&+,;/]|\?\W*\w")
_OFFERS = re2.compile(r"\bor\b|\beither\b|\boptions?\b|\bversus\b|\bvs\b")
_LEADS_TO_OPTIONS = re2.compile(
    r"\b(?:options?|choose|choice|pick|prefer|alternatives|either|which|rather|ways|possibilit\w+|select"
    r"|reply with|one of)\b"
)
_LEADS_TO_ASKS = re2.compile(
    r"(?:\b(?:few|two|three|four|five|some|my|following|open|quick|more|these)|(?:^|[\s(])[0-9])"
    r" (?:\w+ ){0,2}(?:questions?|things|points|decisions|details)\b"
    r"|^\W*(?:\w+ )?questions?\b|\bquestions? (?:for you|before|first)|\bhave (?:\w+ )?questions?\b"
    r"|\bneed(?:ed)? from you|\bneed your|\bunclear\b|\bunsure\b|\bnot sure\b"
    r"|\bclarif|\bdecisions? (?:needed|for you)|\b(?:need|like|want|have) (?:you )?to (?:know|ask|confirm"
    r"|clarify|tell me)"
    r"|\b(?:please|kindly|could you|can you) (?:tell|confirm|specify|clarify|let me know|answer|give"
    r"|send|say)|^\W*(?:tell me|let me know|confirm|specify)"
    r"|\b(?:just|or|please) (?:just )?(?:say|tell me)(?: \w+){0,3}:\W*$"
)
#: What comes before a question in its sentence and is no part of it ("One thing stands nowhere: which …?").
_LEAD_IN = re2.compile(
    r"^[^?]*(?:\b(?:one|two|three|a few|only|last|just|single) (?:\w+ ){0,3}(?:things?|questions?|points?)\b"
    r"|\bstands? nowhere\b|\b(?:is|are|left|still|remains) open\b|\bonly you\b|\bi (?:have|need|am)\b|\bi've\b)"
    rf"[^?]*?:\s+(?:{_OPENING}){_START}\b"
)
#: A sentence that only says that questions follow ("I need two answers from you.").
_ANNOUNCES_QUESTIONS = re2.compile(
    r"^\W*(?:(?:and|so|but|now|first|then|before .{1,40},) )?"
    r"(?:i (?:still |only |just )?(?:need|have|want|'d like)|there are|here are)? ?(?:only |just )?"
    r"(?:an?|one|two|three|four|five|a few|some|my|[0-9]) (?:\w+ ){0,2}"
    r"(?:answers?|questions?|decisions?|things?|points?|words?)"
    r"(?: (?:from|for|to|of) (?:you|me)| (?:that )?only you can \w+| (?:is|are) (?:yours?|left|open)(?: to \w+)?"
    r"| (?:before|first|now|then|left|please)(?: i \w+)?)*\W*$"
)
#: A question that only leads to those listed below it ("How did you settle them?").
_LEADS_BACK = re2.compile(
    r"\b(?:how|what|which) (?:did|do|was|were|is|are|had|have|would|should|shall)(?: \w+){1,2} "
    r"(?:settle|agree|decide|choose|want|like|have|handle|do)[a-z]*"
    r"(?: (?:them|it|these|those|there|then|before|here))*\W*$"
    r"|\b(?:how|what|which) (?:did|was|were|had)(?: \w+){1,2} (?:settle|agree|decide|choose|do|handle)[a-z]*"
    r"(?: (?:for|in|on|with) (?:the )?\w+)?\W*$"
)
#: An introduction of what the agent reports ("Three things to know:"), but for what it asks ("that I need to know").
_INFORMS = re2.compile(
    r"\b(?:to (?:know|note|remember|be aware of|keep in mind)|worth (?:knowing|noting|a look)"
    r"|you (?:\w+ ){0,3}(?:know|note|remember|be aware of))\W*$"
)
_ASKER_KNOWS = re2.compile(
    r"\b(?:i|we)(?:'d| would)?(?: (?:still|also|only|just|first|do|really))* (?:need|want|like|have) to "
)
#: A line of a report, with a question word for its label ("Until when, in our time: April 3").
_LABELLED = re2.compile(rf"^\W*{_START}\b[^:?]{{0,40}}:[*_]*\s+\S")

_RHETORICAL = re2.compile(
    rf"^\W*{_OPENING}(?:who (?:has|have|had|does|did|would|could|is|was|wo|ca|do)n't\b|who (?:knows|cares"
    rf"|needs|wants to|would (?:trust|notice|want|have)|will (?:notice|care)|doesn't|among us)"
    r"|(?:have|haven't) you ever|ever (?:had|wondered|noticed|seen|tried)|did you know|remember (?:when|how"
    r"|the)|guess what|so what\W*$|why not\W*$|why bother|you know what"
    r"|how hard can|how (?:often|many times) (?:have|do|does) (?:we|people|one|somebody|someone|a|the)\b"
    r"|how (?:cool|great|nice) (?:is|was)|what could (?:possibly )?go wrong|what(?: is|'s) the point"
    r"|what(?: is|'s) not to"
    r"|what good is|what more (?:can|could|do)|where would we be|isn't (?:it|that) (?:great|nice|funny|odd"
    r"|ironic|what)|how could (?:anyone|anybody|one)|who (?:likes|enjoys|reads|has time)"
    r"|what(?: else)? is new\W*$)"
    r"|\b(?:one|you|some|they|readers?|reviewers?|people|somebody|someone) (?:might|may|could|will|would"
    r"|often) (?:well )?(?:ask|wonder)"
    r"|\b(?:asked|ask|asking) (?:myself|ourselves|oneself)|\bi (?:first |had |also |then |did )*(?:wondered"
    r"|asked myself)|\b(?:he|she|they|who) (?:once )?asked\b"
)
_SELF = re2.compile(
    rf"^\W*{_OPENING}(?:(?:what|how|why|where|which|when)(?: \w+){{0,2}} (?:did|have|had|was|were) (?:i|we)\b"
    r"|what(?: has|'s| is| was|'ve| else)? (?:changed|new|different|next|left|inside|happened|follows"
    r"|remains|missing|in (?:it|there|the \w+))\W*$"
    r"|what(?:'s| is| was) the (?:result|upshot|takeaway|catch|bottom line|verdict|point|difference|problem"
    r"|issue|reason|conclusion)\b"
    r"|(?:what|why) (?:does|do|did|is) (?:this|that|it|all this|all that|these|they)\b|how (?:does"
    r"|did) (?:it|this|that|they)\b)"
)
_ANSWERS = re2.compile(
    r"^\W*(?:because\b|yes[,.!:;-]|no[,.!:;]|yep\b|nope\b|simpl[ey]\b|easy\b|obviously\b|of course\b"
    r"|(?:the )?(?:short )?answer\b|(?:it )?turns out\b"
    r"|not really\b|not at all\b|not (?:quite|exactly|yet)\W*$|exactly[.!:]|as it (?:happens|turns)"
    r"|(?:nobody|nothing|none|no one)\b(?: \w+){0,2}\W*$)"
)
_FACTUAL = re2.compile(
    r"^\W*(?:so |and |but )?(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|who|why)\b"
)
_ECHO = re2.compile(
    r"^\W*(?:it|they|that|this|he|she|there|i|we) (?:does|do|did|is|are|was|were|has|have|can|could|will"
    r"|would|checked|looked)(?:n't)?\b"
)
_PAST = re2.compile(r"^\W*(?:so |and |but )?(?:how|what|when|where|which|who)(?: \w+)? (?:did|was|were|had)\b")
_TELLS = re2.compile(r"^\W*(?:it|they|he|she|this|that|all|both|each)\b")
_DENIES = re2.compile(r"\b(?:not|no|never|can't|cannot|don't|doesn't|isn't|unclear|unsure)\b")
_ADDRESSES = re2.compile(
    r"\b(?:you|your|yours|(?:should|shall|may|can|could|must|do|would) (?:i|we|the|it)|want|prefer)\b"
)
_CONTINUES = re2.compile(
    r"^\W*(?:e\.g|for example|for instance|like|say|maybe|perhaps|or|as in|i\.e|either|just)\b|\bor\b"
)
_OF_FACTS = re2.compile(
    r"^\W*(?:and |so |but )?(?:did|was|were|has|have|had"
    r"|who(?:'s| is| was| has| does| did| can| could| would| will| said| wrote| made| reads?| cares| never)?"
    r"|when (?:did|was|were|is|will)|why|how (?:did|was|were|long did|long has)|where (?:did|is|was|are|were)|does"
    r"|is there|are there|(?:is|are|does|do|was|has|have|did)n't|nobody|no one|everybody|everyone)\b"
    r"|, (?:is|are|do|does|did|has|have|can|could|will|would|was|were)(?:n't)? (?:it|they|he|she|we|you|there|that)"
    r"\s*\W*$|, right\W*$"
)
_PERSONAL = re2.compile(r"\b(?:your?|i|me|we)\b")

# What an agent says to be polite: an invitation made of these words alone asks for nothing.
_COURTESY = _word_set(
    "a about additional adjust adjusted adjustment adjustments advise again all also alter am an and another any",
    "anything anytime are as assist assistance at back be before can case chance change changed changes",
    "clarification clarify clear comment comments concerns confirm correct corrections could decide did different",
    "differently do done edit edits else everyone everything expect expected feedback feel few fine finished fit",
    "fix for free from further get give go good had happen happens happy have hear hello help here hesitate hi",
    "how i i'd i'll i'm if improve improvements in input into is issue issues it it's just kindly know let like",
    "line look looked looks make makes matches may me minute missing modifications modified modify moment more my",
    "need needed needs next now of off ok okay on once or other otherwise our please pls point problem problems",
    "question questions read reading ready redo refine revise revised right run say see seen send share should",
    "shout so some something soon still suggestions sure tell thanks that that's the them then there there's",
    "these they thing things think this those thoughts through time to touch tweak tweaked tweaks unclear up us",
    "want was way we well what when whenever whether will with word work works would wrong you you'd you're",
    "you've your yours",
)
# Words that say nothing of what a question is about.
FUNCTION_WORDS = _word_set(
    "a about after again all already also always am an and any anything are as at be been before being best",
    "better but by can could d did do does doesnt doing done dont else ever fine first for from get give given",
    "go good got had has have having he her here hers him his how i id if ill im in into is isnt it its ive",
    "just keep know leave left let like ll look m made make may me might mine more most must my need never no",
    "not now of off ok okay on once one ones only or other our ours out over own please prefer preferred put",
    "quite rather re right s same say shall she should since so some still such sure t take tell than that the",
    "their them then there theres these they thing things think this those though to too under up us use used",
    "ve very want was way we well were what when where whether which while who whom whose why will with within",
    "would yes yet you youd your yours",
)
_BARE = _word_set(
    "and are be best better both call case choice choose could decision did do does either for go have",
    "here i in is it just know let like me now of one ones option options or pick please prefer preferred",
    "rather say should so sounds take tell that the then these think this those to trust two up us use",
    "want we what which will with would you your",
)
_POINTS = _word_set(
    "call choice choose either one ones pick prefer rather that which",
)


def may_ask(plain: str) -> bool:
    """Whether it can ask without a question mark at all: one search says no for most sentences."""
    return _MAY_ASK.search(plain) is not None


def starts_as_question(plain: str) -> bool:
    """Whether it begins with a question word or an inverted verb ("which …", "should I …")."""
    return _STARTS.search(plain) is not None


def asks_which(plain: str) -> bool:
    """Whether a clause asks with a question word, and not for a yes or no.

    >>> asks_which("Which colour, blue?"), asks_which("And by what date?"), asks_which("Shall I take blue?")
    (True, True, False)
    """
    return _ASKS_WHICH.search(plain) is not None


def asks_to_confirm(plain: str) -> bool:
    """Whether it only asks for a yes to the sentence before ("Right?", "Shall I?")."""
    return _CONFIRM.search(plain) is not None


def offer_for_several(plain: str) -> str:
    """The offer with which a clause points at several things that stand elsewhere; "" where it names what it is about.

    >>> offer_for_several("shall i change them?"), offer_for_several("shall i text ann the days of both lists?")
    ('shall i change them?', '')
    """
    found = _OFFER.search(plain)
    several = _SEVERAL.search(plain, found.start()) if found is not None else None
    if found is None or several is None or " that it " in plain[several.end() :]:
        return ""
    # How it would be done stands behind: "Shall I mend these two, the old figure struck through?".
    offer = plain[found.start() : several.end()] + re2.split(r"[,:(]", plain[several.end() :], maxsplit=1)[0]
    words = [word for word in _words(offer) if word not in FUNCTION_WORDS and word not in _OFFERED and word.strip("x")]
    return offer if len(words) <= MAX_OFFER_WORDS else ""


def points_at_several(plain: str) -> bool:
    """Whether words of it may stand for several things elsewhere ("them", "these two")."""
    return _SEVERAL.search(plain) is not None


def offer_for_one(plain: str) -> bool:
    """Whether a clause offers something about a thing that it only points at.

    >>> offer_for_one("may i hold it (no date)?"), offer_for_one("may i hold the table?")
    (True, False)
    """
    found = _OFFER.search(plain)
    offer = plain[found.start() :].partition(" (")[0] if found is not None else ""
    words = [word for word in _words(offer) if word not in FUNCTION_WORDS]
    return 0 < len(words) <= MAX_OFFER_WORDS and _ONE.search(offer) is not None


def offers_acts(plain: str) -> bool:
    """Whether it offers to do something, or is one more of such things ("tell Tomasz that it lies there")."""
    return _OFFERS_ACTS.search(plain) is not None or _BEGINS_WITH_ACT.search(plain) is not None


def offers_to_act(plain: str) -> bool:
    """Whether the asker offers to do something, other than to ask.

    >>> offers_to_act("shall i tell ann?"), offers_to_act("may i ask for the name?"), offers_to_act("tell me the name.")
    (True, False, False)
    """
    found = _OFFERS_ACTS.search(plain)
    return found is not None and not plain.startswith(" ask ", found.end())


def is_bullet_question(plain: str) -> bool:
    """Whether a list item without a question mark is a question ("- which metric decides")."""
    if not starts_as_question(plain) or (_LABELLED.search(plain) is not None and not offers(plain)):
        return False
    return _NARRATES.search(plain) is None and _SUBORDINATE.search(plain) is None


def is_unmarked_question(plain: str) -> bool:
    """Whether a sentence that ends in a full stop or colon is a question all the same ("Should I sort by name.")."""
    if plain.rstrip(".!").endswith(" please"):
        return _STARTS.search(plain) is not None
    return _INVERTED_ANYWHERE.search(plain) is not None and (" i " in plain or " you " in plain or plain.endswith(":"))


def is_imperative(plain: str) -> bool:
    """Whether it asks by telling or by saying what is not known, and for something of substance."""
    match = _IMPERATIVE.search(plain)
    if match is None or _NOT_IMPERATIVE.search(plain) is not None or _ANNOUNCES_QUESTIONS.search(plain) is not None:
        return False
    say_so = _SAY_SO.search(plain)
    if say_so is not None and has_substance(plain[: say_so.start()]):
        return True
    return has_substance(_PROMISE.sub("", plain[match.start() :]))


def is_relative(part: str, separator: str, word: str) -> bool:
    """Whether `word` opens a relative clause in mid-question ("Should the table, which lists all runs, …")."""
    if separator.strip() != "," or word not in ("which", "who", "whose", "where", "when"):
        return False
    # "What do we compare with: the cream, which is ours, or another?"
    label, _, thing = part.rpartition(": ")
    return _BY_VERB.search(part) is not None or (bool(label) and not starts_as_question(thing))


def is_plan(plain: str) -> bool:
    """Whether an imperative list item speaks to nobody ("- Confirm the totals"): a step of the agent's own plan."""
    return not any(word in f" {plain} " for word in (" you", " please ", " me ", " i ", " kindly "))


def is_choice(plain: str) -> bool:
    """Whether it leaves a choice to the user ("…: your call")."""
    return _CHOICE.search(plain) is not None


def offers(plain: str) -> bool:
    """Whether it names alternatives."""
    return _OFFERS.search(plain) is not None


def leads_to_options(plain: str) -> bool:
    """Whether a list after it holds alternatives to choose from."""
    return _LEADS_TO_OPTIONS.search(plain) is not None


def leads_to_asks(plain: str) -> bool:
    """Whether every item of a list after it is asked for ("I need to know:")."""
    if _INFORMS.search(plain) is not None and _ASKER_KNOWS.search(plain) is None:
        return False
    if not plain.rstrip("*_ ").endswith((":", "?")) and "question" not in plain and _IMPERATIVE.search(plain) is None:
        return False
    return _LEADS_TO_ASKS.search(plain) is not None


def leads_back(plain: str) -> bool:
    """Whether a question above a list of questions has nothing of its own.

    >>> leads_back("how did you settle them?"), leads_back("how do you want the decimals?")
    (True, False)
    """
    return _LEADS_BACK.search(plain) is not None


def lead_in(plain: str) -> int:
    """The length of what a sentence says before its question; 0 where it begins with it.

    >>> lead_in("one thing is open: which line does the group take?"), lead_in("the line: which is it?")
    (19, 0)
    """
    match = _LEAD_IN.match(plain) if ":" in plain else None
    if match is None:
        return 0
    colon = plain.rindex(":", 0, match.end())
    if starts_as_question(plain[:colon]):
        return 0
    return colon + 1 + len(plain[colon + 1 :]) - len(plain[colon + 1 :].lstrip())


def is_rhetorical(plain: str, following: str | None) -> bool:
    """Whether a question expects no answer: by its wording, or because `following`, what comes next, answers it."""
    if _RHETORICAL.search(plain) is not None:
        return True
    if following is None:
        return False
    if _SELF.search(plain) is not None or _ANSWERS.search(following) is not None:
        return True
    if _ADDRESSES.search(plain) is not None:
        return False
    # Whoever asks whether somebody knows of it asks whether to tell them.
    of_facts = _FACTUAL.search(plain) is not None and _KNOWS.search(plain) is None
    if of_facts and (" why " in f" {plain}" or _ECHO.search(following) is not None):
        return True
    past = _PAST.search(plain) is not None and _TELLS.search(following) is not None
    return past and _DENIES.search(following) is None


def asks_of_facts(plain: str) -> bool:
    """Whether a question has the form of one about facts ("Did she sign?"), rather than about what is wanted."""
    return _OF_FACTS.search(plain) is not None


def addresses(plain: str) -> bool:
    """Whether asker or asked stand in it ("do you want", "should I")."""
    return _PERSONAL.search(plain) is not None


def joins(plain: str) -> bool:
    """Whether it may name two things ("the name and the day")."""
    return _JOINS.search(plain) is not None


def continues(plain: str) -> bool:
    """Whether a further question only offers answers to the one before it ("Accuracy or F1?")."""
    return plain.count(" ") < 10 and _CONTINUES.search(plain) is not None and not starts_as_question(plain)


def has_substance(plain: str) -> bool:
    """Whether any word of it is more than courtesy."""
    return any(word not in _COURTESY for word in _words(plain))


def is_bare(plain: str) -> bool:
    """Whether a clause only points at what was said before it ("Which one would that be?")."""
    words = _words(plain)
    return 0 < len(words) <= 12 and _BARE.issuperset(words) and not _POINTS.isdisjoint(words)


def _words(plain: str) -> list[str]:
    return [word for raw in plain.split() if (word := raw.strip("?!.,;:()[]*_-\"'"))]
