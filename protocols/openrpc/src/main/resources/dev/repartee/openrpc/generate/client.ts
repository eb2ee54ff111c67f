/** The params of a call, by position or by name. */
export type Params = readonly unknown[] | { readonly [name: string]: unknown };

/** The form of a stream of items on the wire. */
export type StreamForm =
  | { readonly form: 'call' | 'partialResults' }
  | {
      readonly form: 'subscription';
      readonly notification: string;
      readonly unsubscribe: string;
    };

/** An error that the server has answered with. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** A failure to call: no connection, or an answer that is not JSON-RPC 2.0. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
}

/** A connection to a server. */
export interface Transport {
  /** Calls a method and resolves with its result. */
  call(method: string, params?: Params): Promise<unknown>;

  /** Sends a notification, which has no answer. */
  notify(method: string, params?: Params): Promise<void>;

  /** Opens a stream of items when the first item is asked for. */
  stream(method: string, params: Params | undefined, form: StreamForm): AsyncGenerator<unknown>;

  /**
   * Calls a function with the params of each notification of this name that the server sends.
   * Returns a function that ends these calls.
   */
  listen(method: string, receiver: (params?: Params) => void): () => void;

  /** Ends the connection. Pending calls fail. */
  close(): void;
}

/** Returns a connection to a server at an `http:`, `https:`, `ws:` or `wss:` URL. */
export function connect(url: string): Transport {
  return /^wss?:/.test(url) ? new WebSocketTransport(url) : new HttpTransport(url);
}

/** Sends each call as an HTTP request with `fetch`. */
export class HttpTransport implements Transport {
  #lastId = 0;
  readonly #open = new Set<AbortController>();

  constructor(
    readonly url: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async call(method: string, params?: Params): Promise<unknown> {
    const id = ++this.#lastId;
    const text = await this.#send({ jsonrpc: '2.0', id, method, params }, 'application/json', (r) =>
      r.text(),
    );
    return resultOf(parsed(text), id);
  }

  async notify(method: string, params?: Params): Promise<void> {
    await this.#send({ jsonrpc: '2.0', method, params }, 'application/json', (r) => r.text());
  }

  async *stream(
    method: string,
    params: Params | undefined,
    form: StreamForm,
  ): AsyncGenerator<unknown> {
    if (form.form === 'subscription') {
      throw new TransportError('a subscription needs a WebSocket');
    }
    const id = ++this.#lastId;
    const sent = form.form === 'call' ? params : withToken(params, id);
    const abort = new AbortController();
    this.#open.add(abort);
    try {
      const request = { jsonrpc: '2.0', id, method, params: sent };
      const accept = 'text/event-stream, application/json';
      const response = await this.#fetch(request, accept, abort.signal);
      const events = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
        ? eventsOf(response)
        : [await response.text()];
      for await (const event of events) {
        const message = parsed(event);
        if ('id' in message) {
          const result = resultOf(message, id);
          yield* Array.isArray(result) ? (result as unknown[]) : [];
          return;
        }
        yield* itemsOf(message, id);
      }
      throw new TransportError('the response ended before the answer');
    } finally {
      this.#open.delete(abort);
      abort.abort();
    }
  }

  listen(): () => void {
    throw new TransportError('notifications of the server need a WebSocket');
  }

  close(): void {
    this.#open.forEach((each) => each.abort());
  }

  async #send<T>(
    message: object,
    accept: string,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const abort = new AbortController();
    this.#open.add(abort);
    try {
      return await read(await this.#fetch(message, accept, abort.signal));
    } finally {
      this.#open.delete(abort);
    }
  }

  async #fetch(message: object, accept: string, signal: AbortSignal): Promise<Response> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', accept },
      body: JSON.stringify(message),
      signal,
    });
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok && !type.startsWith('application/json')) {
      throw new TransportError(`${this.url} answered with the status ${response.status}`);
    }
    return response;
  }
}

/** A call without an answer, or the items of a stream. */
interface Receiver {
  answer(result: unknown): void;
  fail(error: Error): void;
}

/** Sends all calls over one WebSocket, which also carries subscriptions. */
export class WebSocketTransport implements Transport {
  /** The items that the server may send before the first are consumed. */
  static readonly #credit = 256;

  readonly #socket: WebSocket;
  readonly #opened: Promise<void>;
  readonly #pending = new Map<unknown, Receiver>();
  readonly #streams = new Map<string, Items>();
  readonly #receivers = new Map<string, Set<(params?: Params) => void>>();
  #lastId = 0;

  /** @param socket a URL, or a socket whose messages nothing else receives */
  constructor(socket: string | WebSocket) {
    this.#socket = typeof socket === 'string' ? new WebSocket(socket) : socket;
    this.#opened = new Promise((resolve, reject) => {
      if (this.#socket.readyState === 1) {
        resolve();
      }
      this.#socket.addEventListener('open', () => resolve());
      this.#socket.addEventListener('close', () => {
        const lost = new TransportError('the connection has ended');
        reject(lost);
        this.#pending.forEach((each) => each.fail(lost));
        this.#streams.forEach((each) => each.end(lost));
        this.#pending.clear();
        this.#streams.clear();
      });
    });
    this.#opened.catch(() => undefined); // each call reports it
    this.#socket.addEventListener('message', (event: MessageEvent) => {
      this.#receive(String(event.data));
    });
  }

  async call(method: string, params?: Params): Promise<unknown> {
    await this.#opened;
    return new Promise((answer, fail) => {
      this.#request(++this.#lastId, method, params, { answer, fail });
    });
  }

  async notify(method: string, params?: Params): Promise<void> {
    await this.#opened;
    this.#write({ method, params });
  }

  async *stream(
    method: string,
    params: Params | undefined,
    form: StreamForm,
  ): AsyncGenerator<unknown> {
    await this.#opened;
    const id = ++this.#lastId;
    const items = new Items();
    let key = form.form === 'call' ? `call ${id}` : `token ${id}`;
    let stop = (): void => this.#write({ method: 'rpc.cancel', params: { id } });
    if (form.form !== 'subscription') {
      this.#streams.set(key, items);
    }
    this.#request(id, method, form.form === 'partialResults' ? withToken(params, id) : params, {
      answer: (result) => {
        if (form.form === 'subscription') {
          key = `${form.notification} ${JSON.stringify(result)}`;
          this.#streams.set(key, items); // before the next message is received
          stop = () => this.#request(++this.#lastId, form.unsubscribe, [result], ignored);
        } else {
          (Array.isArray(result) ? (result as unknown[]) : []).forEach((each) => items.add(each));
          items.end();
        }
      },
      fail: (error) => items.end(error),
    });
    try {
      let granted = 0;
      for (;;) {
        if (form.form === 'call' && granted === 0) {
          granted = WebSocketTransport.#credit;
          this.#write({ method: 'rpc.credit', params: { id, n: granted } });
        }
        const item = await items.next();
        if (item.done) {
          return;
        }
        granted--;
        yield item.value;
      }
    } finally {
      this.#streams.delete(key);
      if (!items.ended) {
        stop();
      }
    }
  }

  listen(method: string, receiver: (params?: Params) => void): () => void {
    const receivers = this.#receivers.get(method) ?? new Set<(params?: Params) => void>();
    this.#receivers.set(method, receivers.add(receiver));
    return () => void receivers.delete(receiver);
  }

  close(): void {
    this.#socket.close();
  }

  #request(id: number, method: string, params: Params | undefined, receiver: Receiver): void {
    if (this.#socket.readyState === 1) {
      this.#pending.set(id, receiver);
      this.#write({ id, method, params });
    } else {
      receiver.fail(new TransportError('the connection has ended'));
    }
  }

  #write(message: object): void {
    if (this.#socket.readyState === 1) {
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    }
  }

  #receive(text: string): void {
    let message: Message;
    try {
      message = parsed(text);
    } catch {
      return; // no call can be found for it
    }
    if (typeof message.method === 'string') {
      this.#notified(message.method, message);
      return;
    }
    const receiver = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    try {
      receiver?.answer(resultOf(message, message.id));
    } catch (error) {
      receiver?.fail(error as Error);
    }
  }

  #notified(method: string, message: Message): void {
    const params = (message.params ?? {}) as Record<string, unknown>;
    if (method === 'rpc.items') {
      const stream = this.#streams.get(`call ${String(params['id'])}`);
      itemsOf(message, params['id']).forEach((each) => stream?.add(each));
    } else if (method === '$/progress') {
      const stream = this.#streams.get(`token ${String(params['token'])}`);
      itemsOf(message, params['token']).forEach((each) => stream?.add(each));
    } else {
      const stream = this.#streams.get(`${method} ${JSON.stringify(params['subscription'])}`);
      const error = params['error'] as ErrorObject | undefined;
      if (error === undefined) {
        stream?.add(params['result']);
      } else {
        stream?.end(error.code === 0 ? undefined : errorOf(error));
      }
      const sent = message.params as Params | undefined;
      this.#receivers.get(method)?.forEach((each) => each(sent));
    }
  }
}

const ignored: Receiver = { answer: () => undefined, fail: () => undefined };

/** The received items of a stream. */
class Items {
  readonly #items: unknown[] = [];
  #error: Error | undefined;
  #wake: () => void = () => undefined;
  ended = false;

  add(item: unknown): void {
    this.#items.push(item);
    this.#wake();
  }

  end(error?: Error): void {
    this.ended = true;
    this.#error = error;
    this.#wake();
  }

  async next(): Promise<{ done: true } | { done: false; value: unknown }> {
    while (this.#items.length === 0 && !this.ended) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#items.length > 0) {
      return { done: false, value: this.#items.shift() };
    }
    if (this.#error !== undefined) {
      throw this.#error;
    }
    return { done: true };
  }
}

interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: ErrorObject;
}

function errorOf(error: ErrorObject): RpcError {
  return new RpcError(error.code, error.message, error.data);
}

function parsed(text: string): Message {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new TransportError('the answer is not JSON');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new TransportError('the answer is not a JSON-RPC message');
  }
  return message;
}

function resultOf(message: Message, id: unknown): unknown {
  if (message.error !== undefined) {
    throw errorOf(message.error);
  }
  if (message.id !== id || !('result' in message)) {
    throw new TransportError('the answer does not belong to the call');
  }
  return message.result;
}

/** Returns the items in a notification of a stream. */
function itemsOf(message: Message, id: unknown): unknown[] {
  const params = (message.params ?? {}) as Record<string, unknown>;
  const items =
    params['id'] === id ? params['items'] : params['token'] === id ? params['value'] : [];
  return Array.isArray(items) ? (items as unknown[]) : [];
}

function withToken(params: Params | undefined, token: number): Params {
  return { ...(params as Record<string, unknown> | undefined), partialResultToken: token };
}

/** Yields the data of server-sent events. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let data: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    text += value;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) {
        data.push(line.slice(5).replace(/^ /, ''));
      } else if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
  }
}

/** Returns arguments by position; trailing ones that are undefined are left out. */
export function positional(...args: unknown[]): unknown[] {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) {
    count--;
  }
  return args.slice(0, count).map((each) => (each === undefined ? null : each));
}

/** Returns the params of a notification in the order of their names. */
export function received(params: Params | undefined, ...names: string[]): unknown[] {
  const all = params ?? [];
  return Array.isArray(all)
    ? (all as unknown[])
    : names.map((name) => (all as Record<string, unknown>)[name]);
}
