"""What a run comes to: tokens, verdicts, figures, service, and the trace it is saved as."""
