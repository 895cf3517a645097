"""Formulas are rendered when the site is built, by KaTeX inside this process.

A page needs no script and no other host for its formulas, and they carry MathML for screen readers.
katex.min.js stands beside this file; its style and fonts, of the same version, are in _static/katex.
"""

from functools import cache
from pathlib import Path

from py_mini_racer import JSEvalException, MiniRacer
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)


@cache
def _engine() -> MiniRacer:
    engine = MiniRacer()
    engine.eval(Path(__file__).with_name("katex.min.js").read_text(encoding="utf-8"))
    return engine


@cache
def render(formula: str, display: bool) -> str:
    """HTML and MathML of one formula; a formula that KaTeX cannot read is an error."""
    options = {"displayMode": display, "throwOnError": True, "strict": "ignore"}
    return _engine().call("katex.renderToString", formula, options)


def _rendered(translator, node, display: bool) -> str:
    formula = node.astext().strip()
    if display and r"\\" in formula and r"\begin" not in formula:
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    # Numbers come from Sphinx; a numbered environment would print a second one.
    for name in ("align", "equation", "gather"):
        formula = formula.replace(f"{{{name}}}", f"{{{name}*}}")
    try:
        return render(formula, display)
    except JSEvalException as error:
        logger.warning("KaTeX cannot read %r: %s", formula, str(error).splitlines()[0], location=node)
        return translator.encode(formula)


def visit_math(translator, node) -> None:
    translator.body.append(f'<span class="math notranslate nohighlight">{_rendered(translator, node, False)}</span>')
    raise _skip()


def visit_displaymath(translator, node) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="formula">{_rendered(translator, node, True)}</div></div>\n')
    raise _skip()


def _skip() -> Exception:
    from docutils.nodes import SkipNode

    return SkipNode()


def setup(app) -> dict:
    app.add_html_math_renderer("static_katex", (visit_math, None), (visit_displaymath, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
