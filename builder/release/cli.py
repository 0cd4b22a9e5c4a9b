"""`contrapar diff` and `contrapar publish`."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("before")
@click.argument("after")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How it is told.")
def diff(before: str, after: str, form: str) -> int:
    """Tell what lies between two versions, and which number follows.

    Each is a dataset's sources, a built folder, or a published version such as owner/name@v1.2.0.
    """
    from .diff import difference, lines
    from .locate import built

    with built(before) as old, built(after) as new:
        found = difference(old, new)
        if form == "json":
            click.echo(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
        else:
            for line in lines(found):
                click.echo(line)
    return 0


@click.command()
@click.argument("dataset")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="The dataset's repository on the Hub.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
@click.option("--private", is_flag=True, help="The repository is made private; refused where it is public.")
@click.option("--gated", is_flag=True, help="People agree to the content warning before they get the files.")
def publish(dataset: str, repo: str, dry_run: bool, private: bool, gated: bool) -> int:
    """Release a dataset's version on the Hugging Face Hub: one commit, one tag.

    The version is that of dataset.yaml, and must follow from what changed since the last one. Refused before
    anything is sent: findings, uncommitted sources, a version that is there, a missing licence or warning.
    Interrupted, repeat it: it is the same release, once.
    """
    from ...cli import Bar
    from .hub import Repository
    from .publish import check_name, prepared
    from .publish import publish as run

    check_name(dataset)
    repository = Repository(repo)
    if dry_run:
        with prepared(dataset, repository, repository.head(), Bar(f"building {dataset}")) as release:
            click.echo(f"would release {repo}@{release.tag}:")
            for line in release.listing():
                click.echo(line)
        return 0
    done = run(
        dataset,
        repository,
        private=private,
        gated=gated,
        progress=Bar(f"building {dataset}"),
        notice=lambda text: click.echo(f"contrapar: {text}", err=True),
    )
    click.echo(done)
    return 0
