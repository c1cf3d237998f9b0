"""Questions for a language model: twenty about facts, with the answers that count, and twenty that ask it to write something."""

from __future__ import annotations

import re

FACTS: dict[str, tuple[str, ...]] = {
    "What is the capital of France?": ("Paris",),
    "What is the capital of Japan?": ("Tokyo",),
    "What is the capital of Australia?": ("Canberra",),
    "What is the capital of Canada?": ("Ottawa",),
    "Who wrote Hamlet?": ("Shakespeare",),
    "Who wrote Pride and Prejudice?": ("Austen",),
    "Who painted the Mona Lisa?": ("Leonardo", "da Vinci"),
    "In which year did the Second World War end?": ("1945",),
    "In which year did a human being first walk on the Moon?": ("1969",),
    "Which planet is closest to the Sun?": ("Mercury",),
    "What is the largest planet in the solar system?": ("Jupiter",),
    "What is the chemical symbol for gold?": ("Au",),
    "How many legs does a spider have?": ("eight", "8"),
    "How many minutes are there in an hour?": ("sixty", "60"),
    "What is the square root of 81?": ("nine", "9"),
    "What is seven times eight?": ("fifty-six", "56"),
    "Which gas do plants take from the air?": ("carbon dioxide", "CO2"),
    "What is the longest river in Africa?": ("Nile",),
    "Who was the first president of the United States?": ("Washington",),
    "What is the French word for bread?": ("pain",),
}
"""The questions, and for each the words one of which an answer has to contain. They were chosen before any of them was asked."""

REQUESTS = (
    "Name three colors.",
    "Write one sentence about the sea.",
    "Give me a synonym for happy.",
    "What is the opposite of cold?",
    "Count from one to five.",
    "Write a short greeting.",
    "Name two animals that can fly.",
    "Finish this sentence: The sun rises in the",
    "Write the word 'train' backwards.",
    "Name a fruit that is yellow.",
    "Tell me a joke.",
    "Give me a title for a story about a lost dog.",
    "What should I wear when it rains?",
    "Make this sentence plural: The cat sleeps.",
    "Put this sentence in the past: She walks home.",
    "Translate into French: Good morning.",
    "Write one line of a poem about winter.",
    "How do I boil an egg?",
    "Name a musical instrument with strings.",
    "Explain in one sentence what a library is.",
)
"""Requests, of which it is counted only whether something comes back and whether it ends."""


def is_right(answer: str, accepted: tuple[str, ...]) -> bool:
    """Whether an answer contains one of the accepted words, as a whole word; only "Au" has to have its capital letter."""
    return any(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", answer, 0 if word == "Au" else re.IGNORECASE) for word in accepted
    )
