"""What tests of Swamp, and of what stands on it, use: a fake world, faulty stores, and the interleaving explorer."""
