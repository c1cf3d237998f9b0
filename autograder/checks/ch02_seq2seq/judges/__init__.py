"""The judges of chapter 2: what is right, and what is said when it is not."""
