"""Meta's ARE: an environment with the apps of a personal assistant, its event loop running.

Opened: a scenario made and initialised, its apps registered with a new `Environment`, whose thread is started, and the
list of the agent's tools. The world at hand is opened by the scenario's `soft_reset`, in a new environment: nothing is
made again. Read and written: one mail and one contact, of a thousand characters each, by the tools that an agent is
given, called as Python objects. There is no step that parses an action and none that makes an observation: what an
agent reads is the text that its own loop makes of the results.
"""

from __future__ import annotations

from typing import Any

from are.simulation.apps.agent_user_interface import AgentUserInterface
from are.simulation.apps.calendar import CalendarApp
from are.simulation.apps.contacts import Contact, ContactsApp
from are.simulation.apps.email_client import Email, EmailClientApp, EmailFolderName
from are.simulation.apps.messaging import MessagingApp
from are.simulation.apps.system import SystemApp
from are.simulation.environment import Environment, EnvironmentConfig
from are.simulation.scenarios.scenario import Scenario

RECORD_SIZE = 1_000
RECORDS = 100  # of each of the two apps: a world of 200 kB


class _Assistant(Scenario):
    scenario_id = "assistant"

    def init_and_populate_apps(self, *args: Any, **kwargs: Any) -> None:
        """Make the apps, with mails and contacts that the seed tells apart."""
        mails, contacts = EmailClientApp(), ContactsApp()
        for number in range(RECORDS):
            text = f"{self.seed} {number} ".ljust(RECORD_SIZE, "x")
            name = f"person{number}"
            mail = Email(sender=f"{name}@example.com", subject=name, content=text, email_id=f"mail-{number}")
            mails.add_email(mail, EmailFolderName.INBOX)
            contacts.add_contact(Contact(first_name=name, last_name="Doe", contact_id=name, description=text))
        self.apps = [AgentUserInterface(), SystemApp(), mails, contacts, CalendarApp(), MessagingApp()]


class AreSession:
    """A session in an environment of its own; the world's number is the scenario's seed."""

    def __init__(self, world: int) -> None:
        self._scenario = _Assistant(seed=world)
        self._scenario.initialize()
        self._open()

    def again(self) -> None:
        """Put the scenario's apps back to their first state."""
        self.close()
        self._scenario.soft_reset()
        self._open()

    def read(self) -> None:
        """Read a mail."""
        assert self._tools["EmailClientApp__get_email_by_id"](email_id="mail-50").email_id == "mail-50"

    def write(self, number: int) -> None:
        """Change what is known of a contact."""
        updates = {"description": f"{number:05d} ".ljust(RECORD_SIZE, "x")}
        assert "success" in self._tools["ContactsApp__edit_contact"](contact_id="person50", updates=updates)

    def close(self) -> None:
        """Stop the event loop; its thread ends within a second."""
        self._environment.stop()

    def _open(self) -> None:
        self._environment = Environment(EnvironmentConfig(duration=None, verbose=False))
        self._environment.run(self._scenario, wait_for_end=False)
        self._tools = {tool.name: tool for tool in self._environment.get_tools()}
