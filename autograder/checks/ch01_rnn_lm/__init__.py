"""Language models and recurrence."""
