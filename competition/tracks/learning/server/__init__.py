"""The wire protocol of the reference's learning clients, and a server that speaks it (learning, 5)."""
