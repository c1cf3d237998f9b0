"""The probes of this chapter: what is asked of a student's code. They hold no answers."""
