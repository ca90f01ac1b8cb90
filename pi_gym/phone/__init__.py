"""The phone: apps with screens, what its owner does on them, what an agent may call, what comes from outside."""
