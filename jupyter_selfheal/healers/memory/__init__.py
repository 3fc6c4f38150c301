"""What was approved before, as templates: the first and cheapest healer."""
