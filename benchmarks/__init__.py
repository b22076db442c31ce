"""What Swamp costs, as ratios to what the same machine charges for the bare work in the same minute."""
