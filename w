one fish
two fish
red fish
