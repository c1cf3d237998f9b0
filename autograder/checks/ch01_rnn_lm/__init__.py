"""Chapter 1: language models and recurrence."""
