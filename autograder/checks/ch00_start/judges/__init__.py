"""The judges of chapter 0: what is right, and what is said when it is not. A student's process never loads them."""
