"""Griffe extension that shows Sphinx roles in docstrings as code in the API reference."""

import re

import griffe

# Matches the text of ":meth:`fit <softmargin.SVC.fit>`" and the name of ":func:`~softmargin.fit`".
_ROLE = re.compile(r":(?:class|func|meth|mod|attr):`~?([^`<]+?)(?:\s*<[^`>]*>)?`")


class Roles(griffe.Extension):
    """Replaces every role in a docstring by its text as code."""

    def on_object(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Replace the roles in the docstring of an object before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(r"`\1`", obj.docstring.value)
