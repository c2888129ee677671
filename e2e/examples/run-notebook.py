"""Runs the code cells of a notebook in order, and prints the value of each last expression as a notebook would choose it."""

import ast
import json
import sys
from pathlib import Path
from typing import Any

REPRESENTATIONS = ("_repr_png_", "_repr_jpeg_", "_repr_html_")


def describe(value: Any) -> str:
    for name in REPRESENTATIONS:
        shown = getattr(value, name, lambda: None)()
        if shown is not None:
            return f"{name} {len(shown)}"
    return repr(value)


def run(cell: str, namespace: dict[str, Any], name: str) -> None:
    tree = ast.parse(cell, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
        if value is not None:
            print(f"{name}: {describe(value)}")


notebook = json.loads(Path(sys.argv[1]).read_text())
namespace: dict[str, Any] = {"__name__": "__main__"}
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        run("".join(cell["source"]), namespace, cell["id"])
