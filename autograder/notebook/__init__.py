"""What a reader sees in a notebook: `check`, `hint`, `solution`, `progress`."""
