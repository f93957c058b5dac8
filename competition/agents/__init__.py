"""A stranger's program in a process of its own: started, isolated, asked, timed and watched from outside."""
