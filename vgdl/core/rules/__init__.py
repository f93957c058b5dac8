"""What happens in a tick: avatars, sprites, events, terminations, and what they share."""
