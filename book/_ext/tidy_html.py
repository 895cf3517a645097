"""Small repairs of the HTML that the builder writes, for screen readers and for the line's end."""

from docutils import nodes

# A formula with at most this many characters of source is narrow enough, on a phone too, to be kept on one line with
# the punctuation behind it. A browser may break a line between a formula and its full stop otherwise.
SHORT = 40
CLOSING = ".,;:!?)]’”"

REPAIRS = (
    # Both roles are refused or deprecated in ARIA 1.2, and the list holds more than its items.
    (' role="list" class="citation-list"', ' class="citation-list"'),
    (' class="citation-list" role="list"', ' class="citation-list"'),
    (' role="doc-biblioentry"', ""),
    # The name of a hidden cell is what stands on it, "Show the solution".
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
)


def keep_punctuation(app, doctree, docname) -> None:
    for formula in list(doctree.findall(nodes.math)):
        if len(formula.astext()) > SHORT or isinstance(formula.parent, nodes.caption):
            continue
        after = formula.next_node(descend=False, siblings=True)
        if not isinstance(after, nodes.Text):
            continue
        text = after.astext()
        rest = text.lstrip(CLOSING)
        if rest == text:
            continue
        kept = nodes.inline("", "", classes=["unbroken"])
        parent = formula.parent
        parent.replace(after, nodes.Text(rest))
        parent.replace(formula, kept)
        kept += [formula, nodes.Text(text[: len(text) - len(rest)])]


def repair(app, pagename, templatename, context, doctree) -> None:
    for before, after in REPAIRS:
        context["body"] = context.get("body", "").replace(before, after)


def setup(app) -> dict:
    app.connect("doctree-resolved", keep_punctuation)
    app.connect("html-page-context", repair)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
