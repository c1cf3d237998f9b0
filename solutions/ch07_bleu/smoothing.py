"""The smoothing methods of sacreBLEU, under its names; the chapter shows this function exactly as it is here."""

import math
from collections.abc import Sequence


def smoothed_bleu(
    matches: Sequence[int],
    totals: Sequence[int],
    penalty: float,
    smooth_method: str,
    effective_order: bool,
) -> float:
    """BLEU from its counts, (4,) each, smoothed by one of sacreBLEU's methods."""
    if not any(matches):
        return 0.0
    precisions, share = [], 1.0
    for n, (match, total) in enumerate(zip(matches, totals, strict=True), start=1):
        above, below = float(match), total
        if smooth_method == "add-k" and n > 1:  # k is 1
            above, below = above + 1, below + 1
        if below == 0:
            break
        if above == 0 and smooth_method == "exp":
            share /= 2
            above = share
        if above == 0 and smooth_method == "floor":
            above = 0.1
        precisions.append(above / below)
    order = len(precisions) if effective_order else 4
    if 0 in precisions or len(precisions) < order:
        return 0.0
    return 100 * penalty * math.exp(sum(map(math.log, precisions)) / order)
