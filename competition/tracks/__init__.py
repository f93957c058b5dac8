"""Competitions besides the planning track; each is a package with its own rules, entries and pages."""
