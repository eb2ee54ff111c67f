Params: TypeAlias = Union[list[Any], dict[str, Any], None]
"""The params of a call, by position or by name."""

_StreamForm: TypeAlias = dict[str, str]


class RpcError(Exception):
    """An error that the server has answered with."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class TransportError(Exception):
    """A failure to call: no connection, or an answer that is not JSON-RPC 2.0."""


class Transport(Protocol):
    """A connection to a server."""

    def call(self, method: str, params: Params = None) -> Any:
        """Calls a method and returns its result."""

    def notify(self, method: str, params: Params = None) -> None:
        """Sends a notification, which has no answer."""

    def stream(self, method: str, params: Params, form: _StreamForm) -> Iterator[Any]:
        """Returns the items of a stream, which is opened for the first item."""

    def listen(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        """Calls a function with the params of each notification of this name.

        Returns a function that ends these calls.
        """

    def close(self) -> None:
        """Ends the connection."""


class AsyncTransport(Protocol):
    """A connection to a server for asyncio."""

    async def call(self, method: str, params: Params = None) -> Any:
        """Calls a method and returns its result."""

    async def notify(self, method: str, params: Params = None) -> None:
        """Sends a notification, which has no answer."""

    def stream(
        self, method: str, params: Params, form: _StreamForm
    ) -> AsyncIterator[Any]:
        """Returns the items of a stream, which is opened for the first item."""

    def listen(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        """Calls a function with the params of each notification of this name.

        Returns a function that ends these calls.
        """

    async def close(self) -> None:
        """Ends the connection. Pending calls fail."""


class HttpTransport:
    """Sends each call as an HTTP request; threads may share it."""

    def __init__(
        self, url: str, headers: dict[str, str] | None = None, timeout: float = 60
    ) -> None:
        """Creates a transport; `timeout` is in seconds."""
        self._url = url
        self._headers = headers or {}
        self._timeout = timeout
        self._ids = itertools.count(1)

    def call(self, method: str, params: Params = None) -> Any:
        id = next(self._ids)
        with self._send(_request(id, method, params)) as response:
            return _result(_message(response.read()), id)

    def notify(self, method: str, params: Params = None) -> None:
        with self._send(_request(None, method, params)) as response:
            response.read()

    def stream(self, method: str, params: Params, form: _StreamForm) -> Iterator[Any]:
        if form["form"] == "subscription":
            raise TransportError("a subscription needs a WebSocket")
        id = next(self._ids)
        if form["form"] == "partialResults":
            params = _with_token(params, id)
        accept = "text/event-stream, application/json"
        with self._send(_request(id, method, params), accept) as response:
            for text in _events(response):
                message = _message(text)
                if "id" in message:
                    result = _result(message, id)
                    yield from result if isinstance(result, list) else []
                    return
                yield from _pushed(message)[1]
        raise TransportError("the response ended before the answer")

    def listen(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        raise TransportError("notifications of the server need a WebSocket")

    def close(self) -> None:
        """Does nothing: each request has its connection."""

    def _send(self, text: str, accept: str = "application/json") -> Any:
        request = urllib.request.Request(
            self._url,
            text.encode(),
            {**self._headers, "Content-Type": "application/json", "Accept": accept},
        )
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            if error.headers.get_content_type() == "application/json":
                return error
            raise TransportError(f"{self._url} answered with {error.code}") from error
        except OSError as error:
            raise TransportError(f"no answer from {self._url}: {error}") from error


class WebSocketTransport:
    """Sends all calls over one WebSocket; for one thread at a time.

    Notifications are received while a call waits for its answer or a stream for an item.
    """

    def __init__(self, url: str, **options: Any) -> None:
        """Connects; the options are those of `websockets.sync.client.connect`."""
        websockets = importlib.import_module("websockets.sync.client")
        self._open = contextlib.ExitStack()
        try:
            self._socket: Any = self._open.enter_context(
                websockets.connect(url, **options)
            )
        except OSError as error:
            raise TransportError(f"cannot connect to {url}: {error}") from error
        self._ids = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._streams: dict[str, _Items] = {}
        self._receivers = _Receivers()

    def call(self, method: str, params: Params = None) -> Any:
        id = next(self._ids)
        self._socket.send(_request(id, method, params))
        while id not in self._answers:
            self._receive()
        return _result(self._answers.pop(id), id)

    def notify(self, method: str, params: Params = None) -> None:
        self._socket.send(_request(None, method, params))

    def stream(self, method: str, params: Params, form: _StreamForm) -> Iterator[Any]:
        id = next(self._ids)
        items = _Items(id, form)
        self._streams[items.key] = items
        try:
            self._socket.send(_request(id, method, items.params(params)))
            while True:
                if items.needs_credit():
                    self.notify("rpc.credit", {"id": id, "n": items.grant()})
                while not items.waiting and not items.ended:
                    if id in self._answers:
                        items.answered(self._answers.pop(id))
                        self._streams[items.key] = items
                    else:
                        self._receive()
                if not items.waiting:
                    items.check()
                    return
                yield items.waiting.popleft()
        finally:
            self._streams.pop(items.key, None)
            stop = items.stop()
            if stop:
                self._socket.send(_request(next(self._ids), *stop))

    def listen(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        return self._receivers.add(method, receiver)

    def close(self) -> None:
        self._open.close()

    def _receive(self) -> None:
        try:
            message = _message(self._socket.recv())
        except (EOFError, OSError) as error:
            raise TransportError("the connection has ended") from error
        except Exception as error:
            if type(error).__name__.startswith("ConnectionClosed"):
                raise TransportError("the connection has ended") from error
            raise
        if "method" in message:
            key, pushed, error_object = _pushed(message)
            if key in self._streams:
                self._streams[key].add(pushed, error_object)
            for receive in self._receivers.of(message):
                receive(message.get("params"))
        elif isinstance(message.get("id"), int):
            self._answers[message["id"]] = message


class AsyncHttpTransport:
    """Sends each call as an HTTP request in a thread."""

    def __init__(
        self, url: str, headers: dict[str, str] | None = None, timeout: float = 60
    ) -> None:
        """Creates a transport; `timeout` is in seconds."""
        self._transport = HttpTransport(url, headers, timeout)

    async def call(self, method: str, params: Params = None) -> Any:
        return await asyncio.to_thread(self._transport.call, method, params)

    async def notify(self, method: str, params: Params = None) -> None:
        await asyncio.to_thread(self._transport.notify, method, params)

    async def stream(
        self, method: str, params: Params, form: _StreamForm
    ) -> AsyncIterator[Any]:
        items = self._transport.stream(method, params, form)
        end = object()
        while (item := await asyncio.to_thread(next, items, end)) is not end:
            yield item

    def listen(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        raise TransportError("notifications of the server need a WebSocket")

    async def close(self) -> None:
        """Does nothing: each request has its connection."""


class AsyncWebSocketTransport:
    """Sends all calls over one WebSocket, which is opened for the first call."""

    def __init__(self, url: str, **options: Any) -> None:
        """Creates a transport; the options are those of `websockets.connect`."""
        self._url = url
        self._options = options
        self._ids = itertools.count(1)
        self._lock = asyncio.Lock()
        self._socket: Any = None
        self._reader: asyncio.Task[None] | None = None
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._subscribing: dict[int, _Items] = {}
        self._streams: dict[str, _Items] = {}
        self._receivers = _Receivers()

    async def call(self, method: str, params: Params = None) -> Any:
        id = next(self._ids)
        return _result(await self._ask(id, method, params), id)

    async def notify(self, method: str, params: Params = None) -> None:
        await self._send(_request(None, method, params))

    async def stream(
        self, method: str, params: Params, form: _StreamForm
    ) -> AsyncIterator[Any]:
        id = next(self._ids)
        items = _Items(id, form)
        self._streams[items.key] = items
        self._subscribing[id] = items
        try:
            await self._send(_request(id, method, items.params(params)))
            while True:
                if items.needs_credit():
                    await self.notify("rpc.credit", {"id": id, "n": items.grant()})
                while not items.waiting and not items.ended:
                    items.changed.clear()
                    await items.changed.wait()
                if not items.waiting:
                    items.check()
                    return
                yield items.waiting.popleft()
        finally:
            self._subscribing.pop(id, None)
            self._streams.pop(items.key, None)
            stop = items.stop()
            if stop:
                await self._send(_request(next(self._ids), *stop))

    def listen(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        return self._receivers.add(method, receiver)

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await self._reader

    async def _ask(self, id: int, method: str, params: Params) -> dict[str, Any]:
        answer: asyncio.Future[dict[str, Any]] = (
            asyncio.get_running_loop().create_future()
        )
        self._answers[id] = answer
        try:
            await self._send(_request(id, method, params))
            return await answer
        finally:
            self._answers.pop(id, None)

    async def _send(self, text: str) -> None:
        async with self._lock:
            if self._socket is None:
                websockets = importlib.import_module("websockets")
                try:
                    self._socket = await websockets.connect(self._url, **self._options)
                except OSError as error:
                    raise TransportError(f"cannot connect to {self._url}") from error
                self._reader = asyncio.create_task(self._read())
        if self._reader is None or self._reader.done():
            raise TransportError("the connection has ended")
        await self._socket.send(text)

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                self._receive(_message(text))
        except Exception:
            pass  # the calls report that the connection has ended
        lost = TransportError("the connection has ended")
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(lost)
        for items in self._streams.values():
            items.end(lost)

    def _receive(self, message: dict[str, Any]) -> None:
        if "method" in message:
            key, pushed, error = _pushed(message)
            if key in self._streams:
                self._streams[key].add(pushed, error)
            for receive in self._receivers.of(message):
                # a failure of the receiver must not end the connection
                asyncio.get_running_loop().call_soon(receive, message.get("params"))
            return
        id = message.get("id")
        if not isinstance(id, int):
            return
        items = self._subscribing.pop(id, None)
        answer = self._answers.get(id)
        if items is not None:
            items.answered(message)
            self._streams[items.key] = items  # before the next message is read
        elif answer is not None and not answer.done():
            answer.set_result(message)


class _Receivers:
    """The functions that receive notifications."""

    def __init__(self) -> None:
        self._all: dict[str, list[Callable[[Params], object]]] = {}

    def add(
        self, method: str, receiver: Callable[[Params], object]
    ) -> Callable[[], None]:
        receivers = self._all.setdefault(method, [])
        receivers.append(receiver)

        def end() -> None:
            if receiver in receivers:
                receivers.remove(receiver)

        return end

    def of(self, message: dict[str, Any]) -> list[Callable[[Params], object]]:
        return list(self._all.get(str(message.get("method")), []))


class _Items:
    """The received items of a stream."""

    _CREDIT = 256  # the items that the server may send before the first are consumed

    def __init__(self, id: int, form: _StreamForm) -> None:
        self._id = id
        self._form = form
        self._credit = 0
        self._subscription: Any = None
        self._answer: BaseException | None = None
        self.key = f"token {id}" if form["form"] == "partialResults" else f"call {id}"
        self.waiting: collections.deque[Any] = collections.deque()
        self.ended = False
        self.changed = asyncio.Event()

    def params(self, params: Params) -> Params:
        partial = self._form["form"] == "partialResults"
        return _with_token(params, self._id) if partial else params

    def needs_credit(self) -> bool:
        return self._form["form"] == "call" and self._credit == 0 and not self.ended

    def grant(self) -> int:
        self._credit = self._CREDIT
        return self._credit

    def add(self, items: list[Any], error: dict[str, Any] | None) -> None:
        self.waiting.extend(items)
        self._credit = max(0, self._credit - len(items))
        self.changed.set()
        if error is not None:
            self.end(_error(error) if error.get("code") != 0 else None)

    def answered(self, message: dict[str, Any]) -> None:
        try:
            result = _result(message, self._id)
        except (RpcError, TransportError) as error:
            self.end(error)
            return
        if self._form["form"] == "subscription":
            self._subscription = result
            self.key = f"{self._form['notification']} {json.dumps(result)}"
        else:
            self.waiting.extend(result if isinstance(result, list) else [])
            self.end(None)

    def end(self, error: BaseException | None) -> None:
        self.ended = True
        self._answer = error
        self.changed.set()

    def check(self) -> None:
        if self._answer is not None:
            raise self._answer

    def stop(self) -> tuple[str, Params] | None:
        """Returns the call that ends the stream; None if it has ended."""
        if self.ended:
            return None
        if self._form["form"] == "subscription":
            return (self._form["unsubscribe"], [self._subscription])
        return ("rpc.cancel", {"id": self._id})


def connect(url: str) -> Transport:
    """Returns a connection to an `http:`, `https:`, `ws:` or `wss:` URL."""
    if url.startswith("ws:") or url.startswith("wss:"):
        return WebSocketTransport(url)
    return HttpTransport(url)


def connect_async(url: str) -> AsyncTransport:
    """Returns a connection to an `http:`, `https:`, `ws:` or `wss:` URL."""
    if url.startswith("ws:") or url.startswith("wss:"):
        return AsyncWebSocketTransport(url)
    return AsyncHttpTransport(url)


def _request(id: int | None, method: str, params: Params) -> str:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        message["id"] = id
    if params is not None:
        message["params"] = params
    return json.dumps(message)


def _message(text: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except ValueError as error:
        raise TransportError("the answer is not JSON") from error
    if not isinstance(message, dict):
        raise TransportError("the answer is not a JSON-RPC message")
    return message


def _error(error: dict[str, Any]) -> RpcError:
    return RpcError(error.get("code", 0), error.get("message", ""), error.get("data"))


def _result(message: dict[str, Any], id: int) -> Any:
    if message.get("error") is not None:
        raise _error(message["error"])
    if message.get("id") != id or "result" not in message:
        raise TransportError("the answer does not belong to the call")
    return message["result"]


def _pushed(
    message: dict[str, Any],
) -> tuple[str, list[Any], dict[str, Any] | None]:
    """Returns the stream of a notification, its items, and the error that ends it."""
    method = message.get("method")
    params = message.get("params")
    if not isinstance(params, dict):
        return ("", [], None)
    if method == "rpc.items":
        return (f"call {params.get('id')}", params.get("items", []), None)
    if method == "$/progress":
        value = params.get("value")
        items = value if isinstance(value, list) else []
        return (f"token {params.get('token')}", items, None)
    key = f"{method} {json.dumps(params.get('subscription'))}"
    if "error" in params:
        return (key, [], params["error"])
    return (key, [params.get("result")], None)


def _with_token(params: Params, token: int) -> Params:
    members = params if isinstance(params, dict) else {}
    return {**members, "partialResultToken": token}


def _events(response: Any) -> Iterator[str]:
    """Yields the data of server-sent events, or the whole of another response."""
    if response.headers.get_content_type() != "text/event-stream":
        yield response.read().decode()
        return
    data: list[str] = []
    for line in response:
        text = line.decode().rstrip("\r\n")
        if text.startswith("data:"):
            data.append(text[5:].removeprefix(" "))
        elif not text and data:
            yield "\n".join(data)
            data = []


def _positional(*args: Any) -> list[Any]:
    """Returns arguments in JSON; trailing ones that are None are left out."""
    given = list(args)
    while given and given[-1] is None:
        given.pop()
    return [_write(each) for each in given]


def _received(params: Params, names: list[str]) -> list[Any]:
    """Returns the params of a notification in the order of their names."""
    if isinstance(params, dict):
        return [params.get(name) for name in names]
    args = params or []
    return args + [None] * (len(names) - len(args))


def _named(args: dict[str, Any]) -> dict[str, Any]:
    """Returns arguments in JSON by name without those that are None."""
    return {name: _write(each) for name, each in args.items() if each is not None}


def _write(value: Any) -> Any:
    """Returns a value in JSON."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        written = {}
        for each in dataclasses.fields(value):
            member = getattr(value, each.name)
            if member is not None or each.default is dataclasses.MISSING:
                written[each.metadata.get("json", each.name)] = _write(member)
        return written
    if isinstance(value, (list, tuple)):
        return [_write(each) for each in value]
    if isinstance(value, dict):
        return {name: _write(each) for name, each in value.items()}
    return value


@functools.cache
def _kind(text: str) -> Any:
    """Returns the type of an annotation in this module."""
    return eval(text, globals())


def _resolved(kind: Any) -> Any:
    while isinstance(kind, (str, ForwardRef)):
        kind = _kind(kind if isinstance(kind, str) else kind.__forward_arg__)
    return kind


def _read(kind: Any, value: Any) -> Any:
    """Returns a JSON value as a type; ValueError if it does not fit."""
    kind = _resolved(kind)
    origin = get_origin(kind)
    if kind is Any:
        return value
    if not _fits(kind, value, False):
        raise ValueError(f"expected {getattr(kind, '__name__', kind)}, got {value!r}")
    if origin is list:
        return [_read(get_args(kind)[0], each) for each in value]
    if origin is dict:
        return {name: _read(get_args(kind)[1], each) for name, each in value.items()}
    if origin is Union or origin is types.UnionType:
        kinds = get_args(kind)
        exact = [each for each in kinds if _fits(each, value, True)]
        some = exact or [each for each in kinds if _fits(each, value, False)]
        return _read(some[0], value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if dataclasses.is_dataclass(kind):
        members = {}
        for each in dataclasses.fields(kind):
            name = each.metadata.get("json", each.name)
            if name in value:
                members[each.name] = _read(each.type, value[name])
        return cast(Any, kind)(**members)
    return value


def _fits(kind: Any, value: Any, exact: bool) -> bool:
    """Returns whether the form of a value fits a type, without a look at its parts.

    In an exact fit no member of an object is unknown.
    """
    kind = _resolved(kind)
    origin = get_origin(kind)
    if kind is Any:
        return True
    if kind is None or kind is type(None):
        return value is None
    if origin is Literal:
        return value in get_args(kind)
    if origin is Union or origin is types.UnionType:
        return any(_fits(each, value, exact) for each in get_args(kind))
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return any(value == each.value for each in kind)
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            return False
        names = set()
        for each in dataclasses.fields(kind):
            name = each.metadata.get("json", each.name)
            names.add(name)
            constant = str(each.type).startswith("Literal[")
            if name not in value:
                if each.default is dataclasses.MISSING or constant:
                    return False
            elif constant and not _fits(each.type, value[name], exact):
                return False
        return not exact or names.issuperset(value)
    return isinstance(value, origin or kind)
