"""Makes questions about a function or class that someone wrote: from its code, small inputs and a seed, and of notebooks it knows nothing."""
