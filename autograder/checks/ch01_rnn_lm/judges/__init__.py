"""The judges of chapter 1: what is right, and what is said when it is not."""
