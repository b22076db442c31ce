"""What a step can call: models with named methods, and how a method of each type of model is carried out."""
