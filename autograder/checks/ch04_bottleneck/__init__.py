"""The bottleneck."""

ORDER = (
    "accuracy_by_length",
    "position_probe",
    "gradient_map",
)
