"""The parts that agents of the phone family share."""
