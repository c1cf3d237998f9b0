"""Language models, by counting and by recurrence."""
