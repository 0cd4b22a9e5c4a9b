"""The card of a release: what a person must know before using it, and what the Hub and `datasets` read."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import yaml

from ..families import FAMILIES
from ..schema import Dataset
from ..sources import Sources
from ..tables import row_groups
from .configs import SPLIT, Config

# the Hub's own names of licences; any other is `other` with its name
_LICENCES = {"apache-2.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "cc0-1.0", "mit", "odc-by"}
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))


def card(
    sources: Sources,
    manifest: Mapping[str, Any],
    built: Path,
    configs: Sequence[Config],
    features: list[dict[str, Any]],
    repository: str,
    changelog: str,
) -> str:
    """README.md: front matter, then the text. `features` as `hub.features_yaml` gives them."""
    front = yaml.safe_dump(_front(sources, manifest, configs, features), allow_unicode=True, sort_keys=False, width=110)
    text = "\n".join(_text(sources, manifest, built, configs, repository, changelog))
    return f"---\n{front}---\n\n{text}\n"


def _front(
    sources: Sources, manifest: Mapping[str, Any], configs: Sequence[Config], features: list[dict[str, Any]]
) -> dict[str, Any]:
    dataset = sources.dataset.model
    licence = dataset.licence.lower()
    known = licence in _LICENCES
    surveyed = any(tier.tier is not None for tier in sources.tiers.values())
    rows = int(manifest["rows"])
    return {
        "language": [dataset.language.partition("-")[0]],
        "license": licence if known else "other",
        **({} if known else {"license_name": licence.replace(" ", "-")}),
        "pretty_name": dataset.title,
        "tags": [*_about(sources), "evaluation", "not-for-training", "contrapar", dataset.family],
        "annotations_creators": ["crowdsourced" if surveyed else "no-annotation"],
        "language_creators": ["expert-generated"],
        "source_datasets": ["original"],
        "task_categories": list(FAMILIES[dataset.family].TASKS),
        "size_categories": [next((name for most, name in _SIZES if rows < most), "10M<n<100M")],
        "extra_gated_prompt": dataset.content_warning,
        "configs": [
            {
                "config_name": config.name,
                "data_files": [{"split": SPLIT, "path": list(config.files)}],
                **({"default": True} if number == 0 else {}),
            }
            for number, config in enumerate(configs)
        ],
        "dataset_info": [
            {
                "config_name": config.name,
                "features": features,
                "splits": [{"name": SPLIT, "num_bytes": config.bytes, "num_examples": config.rows}],
                "download_size": config.bytes,
                "dataset_size": config.bytes,
            }
            for config in configs
        ],
    }


def _text(
    sources: Sources,
    manifest: Mapping[str, Any],
    built: Path,
    configs: Sequence[Config],
    repository: str,
    changelog: str,
) -> Iterator[str]:
    dataset = sources.dataset.model
    counted = getattr(FAMILIES[dataset.family], "COUNTED", ("axis", "stereotype"))
    tag = f"v{dataset.version}"
    yield f"# {dataset.title}"
    yield from ("", f"> {_line(dataset.content_warning)}", "")
    yield f"Canary, so that the text can be found in, and kept out of, training data: `{dataset.canary}`"
    yield from ("", _line(dataset.description), "")
    yield from ("## Use", "", _line(dataset.intended_use), "")
    yield from ("```python", "from datasets import load_dataset", "")
    yield f'rows = load_dataset("{repository}", "{configs[0].name}", revision="{tag}", split="{SPLIT}")'
    yield from ("```", "", "```sh", f"contrapar evaluate {repository}@{tag} --model MODEL", "```", "")
    yield from ("## Counts", "", "| configuration | rows | what |", "|---|---|---|")
    for config in configs:
        yield f"| `{config.name}` | {config.rows:,} | {_what(config.name)} |"
    yield from ("", *_counts(built, counted), "")
    yield from ("## Columns", "", "| column | type | what |", "|---|---|---|")
    told = _COLUMNS | FAMILIES[dataset.family].COLUMNS
    for name, kind in manifest["features"].items():
        yield f"| `{name}` | {_type(kind)} | {told.get(name, '')} |"
    yield from ("", "## How it was made", "")
    yield (
        f"Family `{dataset.family}`: {len(manifest['templates'])} templates and their lexicons gave"
        f" {manifest['rows']:,} rows{_stereotypes(manifest)}, with {manifest['tool']}; every"
        " row passed its checks. An id depends on the template and on what fills its slots, never on the wording, so"
        " that two versions can be compared row by row."
    )
    yield from ("", f"Sources (sha256): `{manifest['source_sha256']}`", "")
    yield from (f"Rows (sha256): `{manifest['content_sha256']}`", "")
    yield from ("## What the community says", "", *_survey(sources), "")
    yield from ("## What a score does not mean", "", *_limits(counted[1]), "")
    yield from ("## Licence and citation", "", f"{dataset.licence}. {_line(dataset.citation) or 'No citation given.'}")
    yield from ("", f"By {', '.join(dataset.authors)}. Name the version, `{tag}`, wherever a figure is given.")
    yield from ("", "## Changes", "", changelog.partition("\n")[2].strip().replace("## ", "### "))


def _line(text: str) -> str:
    return " ".join(text.split())


def _what(name: str) -> str:
    return {"default": "everything", "tier1": "stereotypes of tier 1", "tier1_2": "stereotypes of tiers 1 and 2"}.get(
        name, f"rows in `{name}`"
    )


def _about(sources: Sources) -> list[str]:
    return ["bias", "fairness", *(["stereotypes"] if sources.stereotypes else [])]


def _stereotypes(manifest: Mapping[str, Any]) -> str:
    return f" about {manifest['stereotypes']:,} stereotypes" if manifest["stereotypes"] else ""


def _counts(built: Path, counted: tuple[str, str]) -> Iterator[str]:
    found: Counter[tuple[str, str]] = Counter()
    kinds: dict[str, set[str]] = {}
    for rows in row_groups(built, [*counted]):
        for pair in pc.value_counts(pc.binary_join_element_wise(*map(rows.column, counted), "\t")).to_pylist():
            group, _, kind = pair["values"].partition("\t")
            found[group, kind] += pair["counts"]
            kinds.setdefault(group, set()).add(kind)
    yield from (f"| {counted[0]} | {counted[1].removesuffix('_id')}s | rows |", "|---|---|---|")
    for group in sorted(kinds):
        named = len(kinds[group] - {""})
        yield f"| {group} | {named:,} | {sum(found[group, one] for one in kinds[group]):,} |"


def _survey(sources: Sources) -> Iterator[str]:
    tiers = Counter(tier.tier for tier in sources.tiers.values())
    graded = sum(count for tier, count in tiers.items() if tier is not None)
    if not sources.stereotypes:
        yield "These rows state no stereotype that people could judge."
        return
    if not graded:
        yield "No survey has judged these stereotypes yet: they are the authors' choice from documented sources."
        return
    policy = sources.dataset.model.tiers
    cuts = ", ".join(f"tier {number} from {cut:g} %" for number, cut in enumerate(policy.thresholds, 1))
    what = "the share of yes among yes and no" if policy.policy == "share" else "the lower bound of that share"
    yield f"People judged which stereotypes they know and how much each hurts. By {what}: {cuts}, else excluded."
    yield from ("", "| tier | stereotypes |", "|---|---|")
    for tier in (1, 2, 3, 0):
        yield f"| {tier or 'excluded'} | {tiers[tier]:,} |"
    yield f"| none (too few answers, or not asked) | {len(sources.stereotypes) - graded:,} |"
    agreed = sources.folder / "agreement.csv"
    if agreed.is_file():
        yield from ("", "| block | question | Krippendorff's alpha | answers |", "|---|---|---|---|")
        with agreed.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file, delimiter=";"):
                yield f"| {row['block']} | {row['question']} | {row['alpha'] or 'none'} | {row['answers']} |"
    else:
        yield from ("", "How far people agreed (Krippendorff's alpha) was not recorded.")


def _type(kind: str) -> str:
    if kind.startswith("list"):
        return "list of strings" if "string" in kind else "list of numbers"
    return kind


_COLUMNS = {
    "id": "of the row, the same in every version",
    "dataset": "name of the dataset",
    "language": "language code",
    "axis": "kind of bias",
    "stereotype": "the stereotype, by its id",
    "concept": "what joins it to the same idea in other languages",
    "template": "the template, by its id",
    "slots": "what fills the template: slot=id of the entry",
    "tier": "how widely the stereotype is known, 1 widest, 0 excluded; null: not judged",
    "harmfulness": "mean of what people said; null: not judged",
    "source": "where the stereotype or the text comes from",
    "canary": "to find the text in training data",
}


def _limits(unit: str) -> Iterator[str]:
    return (line.replace("UNIT", unit) for line in _LIMITS)


_LIMITS = (
    "- A score says how a model behaves on these sentences, not whether it is fair, safe or fit for a use.",
    "- A low score is no proof of absence: what nobody wrote a template for is not measured.",
    "- Rows of one `UNIT` are not independent: intervals must be clustered by it.",
    "- Figures of different versions are not comparable; nor are figures of different prompts or ways of scoring.",
    "- Nothing that a row says of a group is true of it. Do not train on these rows, and do not judge people by them.",
)


def unfit(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """(key of dataset.yaml, mend) of what a card cannot do without."""
    mends = {
        "licence": "such as licence: CC-BY-4.0",
        "authors": "a list of names",
        "citation": "how to cite the dataset",
        "content_warning": "what in these texts may hurt",
        "intended_use": "what the dataset is for, and what not",
        "description": "what it holds",
        "canary": "`contrapar new dataset` makes one",
    }
    for key, mend in mends.items():
        if not getattr(dataset, key):
            yield key, mend
