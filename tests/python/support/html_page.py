"""An HTML page, parsed by the standard library."""

from html.parser import HTMLParser

_VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """Elements with their attributes and texts; start and end tags must match."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self._open = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "text": "", **dict(attrs)}
        element["inside"] = [of["tag"] for of in self._open]
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag):
        assert self._open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data

    def all(self, tag, **attributes):
        found = [element for element in self.elements if element["tag"] == tag]
        return [of for of in found if attributes.items() <= of.items()]
