"""Chapter 2: sequence to sequence."""
