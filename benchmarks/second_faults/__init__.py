"""Programs of ours with a fault that checks reach and one that they do not, and how many patches of them are held back."""
