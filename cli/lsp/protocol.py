"""JSON-RPC that answers every request: an unreadable, unknown or late one gets an error.

pygls logs such messages and continues, so that an editor waits for ever.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

_INVALID_REQUEST, _INVALID_PARAMS = -32600, -32602
_WITHOUT_ANSWER = "answered already"


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol of pygls, with an answer where it has none."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message, or answer that it cannot be read."""
        if "jsonrpc" not in data:
            return data
        try:
            return super().structure_message(data)
        except JsonRpcInvalidParams:
            return self._refused(data, _INVALID_PARAMS, "the parameters are not those of this method")
        except Exception as error:
            return self._refused(data, _INVALID_PARAMS, f"the message cannot be read: {error}")

    def handle_message(self, message: Any) -> None:
        """Answer a message; one that is no message, or comes after the end, gets an error where it is a request."""
        if message is _WITHOUT_ANSWER:
            return
        if isinstance(message, dict) or not hasattr(message, "jsonrpc"):
            self._refused(message if isinstance(message, dict) else {"id": None}, _INVALID_REQUEST, "no JSON-RPC 2.0")
            return
        method = getattr(message, "method", "")
        if self._shutdown and method and method != types.EXIT and hasattr(message, "id"):
            self._refused({"id": message.id}, _INVALID_REQUEST, "the server is shutting down")
            return
        super().handle_message(message)

    def _refused(self, data: dict[str, Any], code: int, text: str) -> str:
        """Answer a request with an error; a notification has no answer."""
        if "id" in data and ("method" in data or len(data) == 1):
            number = data["id"] if isinstance(data["id"], int | str) else None
            self._send_data(types.ResponseErrorMessage(number, types.ResponseError(code, text)))
        return _WITHOUT_ANSWER
