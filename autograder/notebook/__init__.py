"""What a reader sees in a notebook: `check`, `hint`, `question`, `solution`, `progress`."""
