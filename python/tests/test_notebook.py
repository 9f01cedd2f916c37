"""What notebooks show."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import eaves

VOID = {"br", "hr", "img", "input", "link", "meta", "path", "rect", "line", "circle", "col"}


class Outline(HTMLParser):
    """Elements that are open, attributes that were seen, and texts outside style."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.styles: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data):
        (self.styles if self.open and self.open[-1] == "style" else self.texts).append(data)


def outline(html: str) -> Outline:
    parsed = Outline()
    parsed.feed(html)
    parsed.close()
    assert parsed.open == []
    return parsed


@pytest.fixture
def shown(example):
    recording = eaves.read(example("training"))
    report = recording.report()
    return {
        "report": report,
        "section": report["kernels"],
        "table": next(iter(report["kernels"].tables.values())),
        "model": recording.kernels,
        "roofline": recording.roofline(),
    }


def test_fragments_stand_alone_and_touch_nothing_else(shown):
    for name, thing in shown.items():
        parsed = outline(thing._repr_html_())
        assert [tag for tag, _ in parsed.seen][:2] == ["div", "style"], name
        assert parsed.seen[0][1]["class"] == "eaves-output"
        for tag, attributes in parsed.seen:
            assert tag not in ("script", "link", "iframe", "object", "base"), name
            for value in (attributes.get("src"), attributes.get("href")):
                assert value is None or value.startswith("#") or value.startswith("data:"), (name, value)
            assert not any(attribute.startswith("on") for attribute in attributes)
        assert outermost_rules(parsed.styles[0]) == ".eaves-output", name


def outermost_rules(style: str) -> str:
    """What stands outside of all braces: one rule that holds all others reaches nothing outside its element."""
    assert "url(" not in style and "@import" not in style
    depth, outside = 0, ""
    for letter in style:
        depth += letter == "{"
        outside += letter if depth == 0 else ""
        depth -= letter == "}"
    return outside.strip()


def test_a_compile_report_touches_nothing_else_and_takes_the_colours_around_it():
    one = eaves.CompileBreak(reason="a < b", suggestion="c & d", file="train.py", line=3, hints=["e > f"])
    parsed = outline(eaves.CompileReport(graph_breaks=[one], recommendations=["g"])._repr_html_())
    assert parsed.seen[0] == ("div", {"class": "eaves-compile"})
    assert outermost_rules(parsed.styles[0]) == ".eaves-compile"
    # Neither text nor ground have a colour, so that both are those of the notebook, be it light or dark.
    assert "background" not in parsed.styles[0] and "color" not in parsed.styles[0].replace("border-", "")
    texts = " ".join(parsed.texts)
    assert all(text in texts for text in ("a < b", "c & d", "e > f", "train.py:3", "g"))


def test_a_report_shows_its_findings_and_an_overview(shown):
    texts = " ".join(outline(shown["report"]._repr_html_()).texts)
    for finding in shown["report"].findings[:3]:
        assert finding.claim.split("`")[0].strip() in texts
    assert "Findings" in texts
    assert len(shown["report"]._repr_html_()) < 400_000


def test_a_table_shows_its_rows(shown):
    parsed = outline(shown["model"]._repr_html_())
    assert [tag for tag, _ in parsed.seen].count("tr") == 51
    assert f"The first 50 of {len(shown['model'])} rows" in " ".join(parsed.texts)
    names = set(shown["model"]["name"][:50])
    assert all(name in parsed.texts for name in names)
    short = outline(shown["table"]._repr_html_())
    assert [tag for tag, _ in short.seen].count("tr") == 1 + min(50, len(shown["table"]))


def test_pictures_are_pages_of_their_own(example):
    recording = eaves.read(example("host-bound"))
    for picture in (recording.flame(), recording.timeline()):
        parsed = outline(picture._repr_html_())
        ((tag, attributes),) = parsed.seen
        assert tag == "iframe" and attributes["title"]
        # The page inside has no right to reach the notebook around it.
        assert "allow-same-origin" not in attributes["sandbox"]
        page = attributes["srcdoc"]
        assert page.lower().startswith("<!doctype html>")
        assert page == picture.to_html()
