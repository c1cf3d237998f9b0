"""The probes of chapter 3: what is asked of a student's code. They hold no answers."""
