"""After pre-training."""
