"""Whether the Hugging Face hub answers, asked once before its libraries ask for anything.

By themselves they ask six times within half a minute, and print a line about each.
"""

from __future__ import annotations

from functools import cache

OFFLINE = "HF_HUB_OFFLINE is set"


@cache
def unreachable() -> str | None:
    """Say why the hub cannot be reached, or None where it can.

    Where it cannot, the libraries are told so, and take what they need from their caches. Where it
    answers, whatever it says, they download with their own time limits and retries.

    A connection that is refused, or a name that is not known, shows at once; a network that
    swallows what is sent shows only when the time limit of the libraries is over, which must not be
    shorter for the sake of slow networks.
    """
    import httpx2
    from huggingface_hub import constants
    from huggingface_hub.utils import get_session

    if constants.HF_HUB_OFFLINE:
        return OFFLINE
    try:
        get_session().head(constants.ENDPOINT, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    except httpx2.TransportError as error:
        constants.HF_HUB_OFFLINE = True
        return f"{constants.ENDPOINT}: {error}"
    return None


def remedy() -> str:
    """Say how to get at what the cache lacks."""
    reach = "unset HF_HUB_OFFLINE" if unreachable() == OFFLINE else "connect to the hub"
    return (
        f"{reach}, or load it on a machine that reaches the hub, copy its cache here and set "
        "HF_HOME to that"
    )
