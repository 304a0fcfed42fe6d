"""Whether a user's words take back or refuse what an agent did, in English.

A sentence counts by how it begins, after words that only lead in ("hm, sorry, but …"): a refusal, an order to
put something back, a complaint that it is wrong or still fails. Anything else does not: "no problem", a new
task that mentions "undo", a question. Wrong both ways at times; it never looks at what the agent said.
"""

from __future__ import annotations

import re

_START = 600  # characters of a message in which a correction stands
_LEAD_IN = (
    r"""[\s"'(>*_-]*(?:(?:h+m+|um+|uh+|ugh+|a+r+gh+|oh|ok|okay|well|sorry|but|though|please|pls|hey"""
    r"|actually|wait"
    r"|yeah|and|so|now|then|again|also|just|sigh|honestly|however|unfortunately|(?:can|could|would"
    r"|will) you|let's"
    r"|you (?:should|must|need to)|i(?:'d like| want| need) you to)[\s,.:!…—–-]+)*"
)
_FINE = (
    r"thank|thx|that(?:'s| is| was) (?:all|it|fine|ok|okay|good|great|right|correct|everything)|looks? "
    r"|all good"
    r"|go (?:on|ahead)|continue|proceed|nothing|it(?:'s| is) (?:all )?(?:fine|ok|good)|i(?:'m"
    r"| am) (?:good|fine|ok|done)"
    r"|(?:problem|worries|rush|need)\b"
)
_REFUSALS = (
    rf"no(?:pe)?\b(?=\s*$|\s*[,.!;:…—–]|\s+-|\s+(?:that|this|it|you|i|not|no|don't|do|the|use|please"
    rf"|stop|wait|leave"
    rf"|keep|undo|revert|just|we|they|still|put)\b)(?![\s,.!;:…—–-]*(?:{_FINE}))",
    r"(?:undo|revert|roll ?back)(?=\s*$|[,!]|\.(?!\w)|\s+(?:that|this|it|those|these|them|all|everything|your"
    r"|what you|my"
    r"|please|to (?:the )?(?:previous|old|original|before|how)|the (?:last|latest|previous|change|edit"
    r"|commit))\b)",
    r"(?:put|bring|get|change|set) (?:it|that|this|them|those|the \w+(?: \w+)?) back\b",
    r"(?:restore|bring back) (?:it|that|the (?:old|original|previous|deleted))\b",
    r"leave (?:it|that|this|them) (?:as|like|how|alone)\b",
    r"(?:don't|do not|never) (?:do (?:that|this|it)|ever)\b",
    r"stop(?=\s*$|[,.!]|\s+(?:that|this|it|doing|changing|deleting|adding|using|trying|making|please|now)\b)",
    r"try again(?=\s*$|[,.!])",
)
_SUBJECT = r"(?:it|this|that|they|these|those|everything|the (?:\w+ ){0,2}\w+|tests?|(?:my|your|our) \w+)"
_STILL = r"(?: (?:still|now|just|again|also|clearly|completely|totally|plain|all|really|simply|even))*"
_FAILS = (
    r"(?:fail(?:s|ed|ing)?|broken?|breaks|crash(?:es|ed|ing)?|hangs|throws|errors out|does(?:n't"
    r"| not) (?:work|compile"
    r"|build|run|help|fix|pass|start)|did(?:n't| not) (?:work|help|fix|change|pass)|not (?:working"
    r"|fixed|passing)"
    r"|won't (?:work|compile|build|run|start)|(?:is|are) not (?:working|fixed)|isn't (?:working|fixed))\b"
)
_BE = r"(?:'s| is| are|'re| was| were| looks| seems)?"
_COMPLAINTS = (
    rf"(?:that|this|it|which|these|those){_BE}{_STILL} (?:wrong|incorrect|useless|nonsense)\b",
    r"(?:that|this|it)(?:'s not| is not|'s still not| isn't| was not| wasn't|'s not at all) (?:right"
    r"|correct|what|how|it\b|the"
    r"|true|good|enough|quite)",
    r"(?:wrong|incorrect)(?=\s*$|[,.!]|\s+(?:file|folder|directory|branch|function|one|approach|way"
    r"|place|line|answer"
    r"|version|repo|method|class|test|name|thing|model|table|column)\b)",
    rf"{_SUBJECT}{_BE}{_STILL} {_FAILS}",
    r"(?:still|not working|doesn't work|does not work|didn't work|did not work)(?=\s*$|[,.!]| (?:fail"
    r"|broken|not |doesn't"
    r"|does not|wrong|crash|the same|getting|nothing|no |for me|either))",
    r"(?:still )?(?:getting |i get |i'm getting )?(?:the )?(?:exact )?same (?:error|problem|issue"
    r"|failure|result)",
    r"not what i (?:asked|wanted|meant|said|need)",
    r"you(?:'ve| have)? (?:(?:deleted|removed|changed|edited|picked|used) the wrong"
    r"|broke|broken|forgot|forgotten|missed|misunderstood|misread|ignored|messed"
    r"|made (?:a|another)"
    r" mistake|did(?:n't| not)(?! (?:need|have) to)|should(?:n't| not) have|were(?:n't| not) supposed"
    r"|still (?:haven't|didn't))\b",
    r"why (?:did|would|have) you (?:not|delete|remove|change|break|touch|rewrite|revert|rename"
    r"|overwrite|drop|do (?:that|this))",
    r"i (?:said(?! (?:thank|yes|ok))|told you|meant|asked (?:for|you)|wanted(?! to)|(?:did(?:n't| not)"
    r"|never) (?:ask|want"
    r"|say|mean))\b",
)
_BEGINNINGS = "|".join((*_REFUSALS, *_COMPLAINTS))
_CORRECTION = re.compile(rf"(?:\A|[.!?;\n]\s+|,? but |\s[—–-]\s){_LEAD_IN}(?:{_BEGINNINGS})", re.IGNORECASE)


def is_correction(text: str) -> bool:
    """Whether the user takes back or refuses what was done."""
    return _CORRECTION.search(text[:_START].replace("’", "'")) is not None
