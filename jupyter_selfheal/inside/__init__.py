"""Everything that runs inside a kernel, the user's or a trial's: standard library only, sent there as text where the package is missing."""
