"""An extension of griffe, which reads docstrings for the reference: roles of Sphinx become code."""

import re

import griffe

# Of ":meth:`fit <softmargin.SVC.fit>`" the text, of ":func:`~softmargin.fit`" the name.
_ROLE = re.compile(r":(?:class|func|meth|mod|attr):`~?([^`<]+?)(?:\s*<[^`>]*>)?`")


class Roles(griffe.Extension):
    """Writes ``name`` for every role in docstrings."""

    def on_object(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Change the docstring of an object before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(r"`\1`", obj.docstring.value)
