"""Cards: the words of each bundled dataset's, and that `datasets` takes them.

To renew the files after a change of content: CONTRAPAR_RENEW=1 python -m pytest tests/test_card.py
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from contrapar.builder.build import build
from contrapar.builder.families import FAMILIES, TEMPLATE_MODELS
from contrapar.builder.release.card import card
from contrapar.builder.release.configs import write_configs
from contrapar.builder.sources import bundled_datasets, read_sources
from contrapar.builder.tables import read_rows

CARDS = Path(__file__).parent / "cards"
# what follows from the rows, which are counted here; the files hold the words
_COUNTED = re.compile(r"((?:num_bytes|num_examples|download_size|dataset_size|\(sha256\)): |size_categories:\n- ).*")

pytest.importorskip("datasets", reason="datasets is not installed")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", bundled_datasets())
def test_the_card_of_a_bundled_dataset(name: str, tmp_path: Path) -> None:
    """Its words are the golden file's, its figures those of the rows; `datasets` takes its configurations."""
    from contrapar.builder.release.hub import features_yaml
    from datasets import Features
    from datasets.utils.metadata import MetadataConfigs

    sources = read_sources(name, TEMPLATE_MODELS)
    built = build(name, tmp_path / "built")
    configs = write_configs(built.folder, {}, tmp_path / "subsets")
    rows = read_rows(built.folder)
    features = features_yaml(rows.schema)
    text = card(sources, built.manifest, built.folder, configs, features, f"owner/{name}", "# Changes\n\n## 0.1.0\n")

    front = yaml.safe_load(text.split("---\n")[1])
    MetadataConfigs.from_dataset_card_data(front)
    assert front["license"] == "cc-by-4.0"
    for info in front["dataset_info"]:
        assert Features._from_yaml_list(info["features"]) == Features.from_arrow_schema(rows.schema)
    assert front["dataset_info"][0]["splits"][0]["num_examples"] == rows.num_rows
    assert str(built.manifest["canary"]) in text

    group, kind = getattr(FAMILIES[sources.dataset.model.family], "COUNTED", ("axis", "stereotype"))
    for found, part in rows.select([group, kind]).to_pandas().groupby(group)[kind]:
        assert f"| {found} | {len(set(part) - {''}):,} | {len(part):,} |" in text
    assert f"| `default` | {rows.num_rows:,} | everything |" in text
    stereotypes = built.manifest["stereotypes"]
    assert f"gave {rows.num_rows:,} rows{f' about {stereotypes:,} stereotypes' if stereotypes else ''}, with" in text
    assert f"`{built.manifest['content_sha256']}`" in text

    text = _COUNTED.sub(r"\1...", text)
    text = re.sub(r"(?m)^(\|.*|Family.*)$", lambda line: re.sub(r"\b\d[\d,]*\b", "...", line[0]), text)
    text = re.sub(r"with contrapar [\w.+]+;", "with contrapar;", text)
    golden = CARDS / f"{name}.md"
    if os.environ.get("CONTRAPAR_RENEW"):
        CARDS.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == text, "renew it where the content was meant to change"
