"""`bookbuilder book …`: inspect, change, compare and convert books."""
