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
    r"|actually|wait|yeah|and|so|now|then|again|also|just|sigh|honestly|however|unfortunately"
    r"|(?:can|could|would|will) you|let's|you (?:should|must|need to)|i(?:'d like| want| need) you to)"
    r"[\s,.:!…—–-]+)*"
)
_FINE = (
    r"thank|thx|that(?:'s| is| was) (?:all|it|fine|ok|okay|good|great|right|correct|everything)|looks? "
    r"|all good|go (?:on|ahead)|continue|proceed|nothing|it(?:'s| is) (?:all )?(?:fine|ok|good)"
    r"|i(?:'m| am) (?:good|fine|ok|done)|(?:problem|worries|rush|need)\b"
)
_REFUSALS = (
    r"no(?:pe)?\b(?=\s*$|\s*[,.!;:…—–]|\s+-|\s+(?:that|this|it|you|i|not|no|don't|do|the|use|please"
    r"|stop|wait|leave|keep|undo|revert|just|we|they|still|put)\b)"
    rf"(?![\s,.!;:…—–-]*(?:{_FINE}))",
    r"(?:undo|revert|roll ?back)(?=\s*$|[,!]|\.(?!\w)"
    r"|\s+(?:that|this|it|those|these|them|all|everything|your|what you|my|please"
    r"|to (?:the )?(?:previous|old|original|before|how)"
    r"|the (?:last|latest|previous|change|edit|commit))\b)",
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
    r"(?:fail(?:s|ed|ing)?|broken?|breaks|crash(?:es|ed|ing)?|hangs|throws|errors out"
    r"|does(?:n't| not) (?:work|compile|build|run|help|fix|pass|start)"
    r"|did(?:n't| not) (?:work|help|fix|change|pass)|not (?:working|fixed|passing)"
    r"|won't (?:work|compile|build|run|start)|(?:is|are) not (?:working|fixed)|isn't (?:working|fixed))\b"
)
_BE = r"(?:'s| is| are|'re| was| were| looks| seems)?"
_COMPLAINTS = (
    rf"(?:that|this|it|which|these|those){_BE}{_STILL} (?:wrong|incorrect|useless|nonsense)\b",
    r"(?:that|this|it)(?:'s not| is not|'s still not| isn't| was not| wasn't|'s not at all)"
    r" (?:right|correct|what|how|it\b|the|true|good|enough|quite)",
    r"(?:wrong|incorrect)(?=\s*$|[,.!]|\s+(?:file|folder|directory|branch|function|one|approach|way"
    r"|place|line|answer|version|repo|method|class|test|name|thing|model|table|column)\b)",
    rf"{_SUBJECT}{_BE}{_STILL} {_FAILS}",
    r"(?:still|not working|doesn't work|does not work|didn't work|did not work)(?=\s*$|[,.!]"
    r"| (?:fail|broken|not |doesn't|does not|wrong|crash|the same|getting|nothing|no |for me|either))",
    r"(?:still )?(?:getting |i get |i'm getting )?(?:the )?(?:exact )?same"
    r" (?:error|problem|issue|failure|result)",
    r"not what i (?:asked|wanted|meant|said|need)",
    r"you(?:'ve| have)? (?:(?:deleted|removed|changed|edited|picked|used) the wrong"
    r"|broke|broken|forgot|forgotten|missed|misunderstood|misread|ignored|messed"
    r"|made (?:a|another) mistake|did(?:n't| not)(?! (?:need|have) to)|should(?:n't| not) have"
    r"|were(?:n't| not) supposed|still (?:haven't|didn't))\b",
    r"why (?:did|would|have) you"
    r" (?:not|delete|remove|change|break|touch|rewrite|revert|rename|overwrite|drop|do (?:that|this))",
    r"i (?:said(?! (?:thank|yes|ok))|told you|meant|asked (?:for|you)|wanted(?! to)"
    r"|(?:did(?:n't| not)|never) (?:ask|want|say|mean))\b",
)
_BEGINNINGS = "|".join((*_REFUSALS, *_COMPLAINTS))
_CORRECTION = re.compile(rf"(?:\A|[.!?;\n]\s+|,? but |\s[—–-]\s){_LEAD_IN}(?:{_BEGINNINGS})", re.IGNORECASE)


def is_correction(text: str) -> bool:
    """Whether the user takes back or refuses what was done."""
    return _CORRECTION.search(text[:_START].replace("’", "'")) is not None
