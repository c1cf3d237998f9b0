"""The judges of chapter 4: what is right, and what is said when it is not."""
