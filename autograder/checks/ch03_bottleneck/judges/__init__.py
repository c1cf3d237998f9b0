"""The judges of chapter 3: what is right, and what is said when it is not."""
