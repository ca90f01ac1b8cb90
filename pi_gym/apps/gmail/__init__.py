"""Gmail: e-mail in threads, with drafts, labels and attachments."""
