"""What people write for the family `lexical`: a question on the words of a country."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from .schema import Listed, Template, Words


class LexicalTemplate(Template):
    """A question on what a country says: whether it uses a word (yes_no), or which words (choice)."""

    judged: ClassVar[bool] = False

    format: Literal["yes_no", "choice"]
    question: Words
    answers: Annotated[Listed, Field(max_length=2)] = []
