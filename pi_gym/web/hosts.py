"""The machines that may be asked: public ones only, unless the caller allows others."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# Addresses that carry an IPv4 address within, which is what the packets reach in the end.
_TRANSLATED = IPv6Network("64:ff9b::/96")


class HostRefused(ValueError):
    """A host is unknown, or not one that may be asked."""


def resolve(host: str, port: int, *, allow_private: bool) -> str:
    """The address of a host, to connect to: checked and used are then the same, whatever a second look-up would say.

    Args:
        host: a name or an address.
        port: where to connect.
        allow_private: whether loopback, private, link-local and reserved addresses are fine.

    Raises:
        HostRefused: the name is not known, or one of its addresses is not public.
    """
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HostRefused(f"The host {host!r} cannot be found ({error}).") from error
    found = [str(info[4][0]).partition("%")[0] for info in infos]
    if not found:
        raise HostRefused(f"The host {host!r} has no address.")
    if not allow_private and not all(map(is_public, found)):
        raise HostRefused(f"The host {host!r} is not on the public internet; such addresses are not fetched.")
    return found[0]


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet.

    >>> [is_public(address) for address in ("8.8.8.8", "10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False, False]
    """
    parsed: IPv4Address | IPv6Address = ip_address(address)
    if isinstance(parsed, IPv6Address):
        within = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if within is None and parsed in _TRANSLATED:
            within = IPv4Address(int(parsed) & 0xFFFFFFFF)
        if within is not None:
            return is_public(str(within))
        if parsed.is_site_local:  # which Python counts as global
            return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved
