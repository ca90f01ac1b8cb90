"""The Pare family: a person, their phone, and an agent that watches, proposes, and acts where it may."""
