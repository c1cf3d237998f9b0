"""The probes of chapter 0: what is asked of a student's code. They hold no answers."""
