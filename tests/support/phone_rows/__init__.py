"""What lies in the apps of the phone of the tests, one module an app."""
