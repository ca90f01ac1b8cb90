"""The simulated apps: each a folder with its tables and operations, found by the folder's name."""

from pi_gym.apps.accounts import sign_out_everywhere
from pi_gym.apps.catalog import all_tools, app_names, apps_of, load_app, operations
from pi_gym.apps.columns import SIGNED_IN, Column, TableSpec
from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk
from pi_gym.apps.document import document

__all__ = [
    "SIGNED_IN", "App", "Column", "Desk", "TableSpec", "all_tools", "app_names", "apps_of", "document", "load_app",
    "operations", "sign_out_everywhere",
]  # fmt: skip
