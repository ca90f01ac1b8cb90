"""One server, several clients, none with many connections."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack

from support.served_roles import config

from pi_gym.models.client_pool import PLACES, ClientPool


async def _taken() -> tuple[Counter, list, list]:
    """Clients of requests at one time, then of one request at a time, then after the pool was closed."""
    pool = ClientPool(config("http://127.0.0.1:9/v1"))
    with ExitStack() as stack:
        together = Counter(id(stack.enter_context(pool.client())) for _ in range(2 * PLACES + 1))
    alone = []
    for _ in range(3):
        with pool.client() as client:
            alone.append(client)
    await pool.close()
    with pool.client() as client:
        later = [client]
    await pool.close()
    return together, alone, later


def test_requests_at_one_time_share_clients_up_to_their_places():
    together, _, _ = asyncio.run(_taken())
    assert list(together.values()) == [PLACES, PLACES, 1]


def test_requests_one_after_the_other_use_one_client_until_it_is_closed():
    together, alone, later = asyncio.run(_taken())
    assert {id(client) for client in alone} == {next(iter(together))}
    assert alone[0].is_closed()
    assert later[0] is not alone[0]
