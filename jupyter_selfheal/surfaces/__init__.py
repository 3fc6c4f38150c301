"""Everything beside the engine that a person or a program meets: each surface shows heals and takes decisions, none heals by itself."""
