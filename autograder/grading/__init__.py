"""From a class's submissions to its gradebook."""
