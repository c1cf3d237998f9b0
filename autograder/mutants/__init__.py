"""How strict the checks are: mutants of the reference solutions that they let pass."""
