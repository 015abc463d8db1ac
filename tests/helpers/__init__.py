"""What several tests need: tables, references computed by hand, peers."""
