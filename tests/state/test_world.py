from __future__ import annotations

import pickle

from pi_gym.state import Database, Table, Workspace, World

ROWS = {key: {"text": f"row {key}" * 20} for key in range(1_000)}


class Origin:
    def world(self) -> World:
        return World(Workspace({"a.md": b"x" * 50_000}), {"mail": Database({"mails": Table(ROWS)})}, origin=self)


def test_a_pickle_holds_the_origin_and_the_changes_only() -> None:
    world = Origin().world().fork()
    world.workspace.write("b.md", b"new")
    mails = world.apps["mail"].table("mails").update(3, text="changed").delete(4).insert(2_000, {"text": "new"})
    world.put_app("mail", world.apps["mail"].put("mails", mails).put("drafts", Table({1: {"text": "d"}})))
    data = pickle.dumps(world)
    assert len(data) < 2_000
    copy = pickle.loads(data)
    assert copy.state_hash() == world.state_hash()
    assert dict(copy.apps["mail"].table("mails").rows()) == dict(mails.rows())
    assert copy.apps["mail"].table("drafts").get(1) == {"text": "d"}
    assert copy.workspace.read("a.md") == b"x" * 50_000
    again = pickle.loads(pickle.dumps(copy))
    assert again.state_hash() == world.state_hash()
    assert len(pickle.dumps(copy)) < 2_000


def test_a_table_with_another_base_is_pickled_whole() -> None:
    world = Origin().world()
    world.put_app("mail", Database({"mails": Table({7: {"text": "seven"}})}))
    copy = pickle.loads(pickle.dumps(world))
    assert dict(copy.apps["mail"].table("mails").rows()) == {7: {"text": "seven"}}


def test_restore_undoes_files_and_apps_for_every_holder() -> None:
    world = Origin().world()
    workspace, before = world.workspace, world.fork()
    mark, state = workspace.mark(), world.state_hash()
    workspace.write("b.md", b"new")
    world.put_app("mail", Database())
    world.restore(before)
    assert world.workspace is workspace
    assert world.state_hash() == state
    assert not workspace.changes(mark)


def test_forks_do_not_see_each_other() -> None:
    world = Origin().world()
    fork = world.fork()
    fork.workspace.write("b.md", b"new")
    fork.put_app("phone", Database())
    assert world.workspace.blob("b.md") is None
    assert "phone" not in world.apps
