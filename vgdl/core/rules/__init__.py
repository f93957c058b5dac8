"""The phases of a tick: avatars, sprites, events, terminations, and shared parts."""
