"""The modules of the package import each other in one direction."""

import ast
from pathlib import Path
from typing import Dict, List, Set

SOURCE = Path(__file__).parents[1] / "src" / "atelier_client"


def imports_of(path: Path) -> Set[str]:
    """Relative imports, also those that only a type checker reads."""
    found: Set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            found.update([node.module] if node.module else [alias.name for alias in node.names])
    return found


def test_no_module_imports_itself_through_others() -> None:
    imports: Dict[str, Set[str]] = {path.stem: imports_of(path) for path in SOURCE.glob("*.py")}
    assert imports["_client"] >= {"_core", "_output"}

    def visit(name: str, path: List[str]) -> None:
        assert name not in path, " -> ".join([*path, name])
        for other in imports.get(name, set()):
            visit(other, [*path, name])

    for name in imports:
        visit(name, [])
