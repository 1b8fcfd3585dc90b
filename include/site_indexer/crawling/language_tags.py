"""Language tags (BCP 47) as pages state them."""

from __future__ import annotations

# Two letters are a language only if they are on this list (ISO 639-1): pages often state a country
# in their place (cz, dk, gr, jp, ua).
_ISO_639_1 = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy"
    " da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu"
    " hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb"
    " lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om"
    " or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv"
    " sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh"
    " zu"
)
_TWO_LETTERS = frozenset(_ISO_639_1.split())
_OLD = {"iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro"}
# Not languages: undetermined, none, several, private use.
_NONE = frozenset({"und", "zxx", "mul", "mis"})


def primary_language(tag: str | None) -> str:
    """The primary subtag of a language tag in lower case (BCP 47).

    "" for none, for several, and for what is no language: a country's code, a word.
    """
    primary = (tag or "").strip().replace("_", "-").partition("-")[0].lower()
    primary = _OLD.get(primary, primary)
    if len(primary) == 2:
        return primary if primary in _TWO_LETTERS else ""
    is_language = len(primary) == 3 and primary.isascii() and primary.isalpha()
    return primary if is_language and primary not in _NONE else ""
