"""Untrusted programs in processes of their own: started, isolated, called, timed and monitored from outside."""
