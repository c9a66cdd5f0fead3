"""MkDocs hook that converts formulas to MathML when the site is built.

``pymdownx.arithmatex`` marks ``$...$`` and ``$$...$$``. Browsers render MathML without scripts, so
the pages work offline. An unsupported LaTeX command fails the build.
"""

import html
import re
from xml.etree import ElementTree

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
_LIMITS = {"min", "max", "argmin", "∑"}

ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")


def _mathml(match: re.Match[str]) -> str:
    is_block = match[1] == "div"
    latex = html.unescape(match[2]).strip()
    formula = ElementTree.fromstring(convert(latex, display="block" if is_block else "inline"))
    for element in formula.iter():
        if "\\" in (element.text or ""):
            raise ValueError(f"{element.text} is not supported in the formula {latex}")
        name = element.tag.rpartition("}")[2]
        # In a displayed formula, the variable of a minimum or a sum is below the operator.
        if is_block and name == "msub" and element[0].text in _LIMITS:
            element.tag = element.tag.replace("msub", "munder")
    text = ElementTree.tostring(formula, encoding="unicode")
    return f'<div class="formula">{text}</div>' if is_block else text


def on_page_content(content: str, **kwargs: object) -> str:
    """Replace the formulas of a page."""
    return _FORMULA.sub(_mathml, content)
