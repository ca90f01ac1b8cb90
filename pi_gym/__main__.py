"""`python -m pi_gym` is `pi-gym`."""

from pi_gym.cli.main import main

if __name__ == "__main__":
    main()
