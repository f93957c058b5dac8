"""The planning contest: its rules, plan and seeds, and the runner that plays the plan."""
