"""Wrong and right answers to the exercises of chapter 8."""
