package dev.repartee;

import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.RpcError;
import dev.repartee.stream.Streaming;
import dev.repartee.stream.flow.Demand;
import dev.repartee.stream.flow.Inflow;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A stream that this side receives: the call that opens it, and the items that belong to it. The
 * items of {@link Streaming.Form#CALL} belong to the pending call; the items of the other forms are
 * found by their {@link Key}.
 */
final class ReceivedStream<T> implements Inflow.Wire {
  /*
   * Implementation note. A stream is registered before its first item can be read: partial results
   * before the call is sent, and a subscription when the reader gets its id, before it reads the
   * next frame. The items of a call name the pending call and need no registration. A subscription
   * that is cancelled before its id is known is ended when the id arrives: the subscribe call
   * itself is not cancelled, because its answer would be dropped with the id in it.
   *
   * Credit waits, added up, while the write queue is full: a sender that sends items and reads
   * nothing would fill the memory otherwise.
   *
   * This object guards call, key, cancelled and owed. Calls to the peer run without the lock.
   */

  /** The connection over which the stream comes. */
  interface Source {
    /** Returns the name of the other side, for messages. */
    String remote();

    /**
     * Returns whether messages can refer to a running call, for example to grant items; otherwise
     * the transport controls the flow of items.
     */
    boolean isConnection();

    /** Records that this side receives a stream. */
    void receives();

    /** Registers a stream under its key; returns false if the key is in use. */
    boolean register(Key key, ReceivedStream<?> stream);

    /** Removes a stream; returns false if it was removed before. */
    boolean unregister(Key key, ReceivedStream<?> stream);

    /**
     * Returns whether the write queue has room for a frame. If not, runs the action once when it
     * does. True after the end of the connection.
     */
    boolean hasRoom(Runnable again);

    /** Grants the other side more items of a call. Throws nothing, and does not wait. */
    void grant(long id, long items);

    /** Reports to the listener that the other side broke the protocol. */
    void violation(String what);
  }

  /** The calls that open and end the stream. */
  interface Calls {
    /**
     * Sends the call that opens the stream.
     *
     * @param token the token of partial results, null for other forms
     */
    CallFuture<Json> open(ReceivedStream<?> stream, @Nullable Json token);

    /** Ends a subscription. May wait until there is room to send. */
    void unsubscribe(Json params);
  }

  /** The name of the notifications with the items of a call. */
  static final String ITEMS = "rpc.items";

  /** The name of the notification that grants items. */
  static final String CREDIT = "rpc.credit";

  /** The name of the notifications with partial results. */
  static final String PROGRESS = "$/progress";

  /** The member of the params that asks for partial results. */
  static final String TOKEN = "partialResultToken";

  /** The end of a subscription that is not a failure. */
  static final RpcError COMPLETE = new RpcError(0, "The stream is complete");

  /**
   * The name of pushed items: the method of the notification, and the id or token in its params.
   */
  record Key(String notification, Json id) {}

  /** The maximum length in bytes of the id of a subscription, which is kept as long as it lives. */
  private static final int MOST_ID = 1 << 10;

  private static final AtomicLong TOKENS = new AtomicLong();

  private final Source source;
  private final Calls calls;
  private final String method;
  private final Streaming streaming;
  private final Inflow<T> inflow;
  private @Nullable CallFuture<Json> call;
  private @Nullable Key key;
  private boolean cancelled;

  /** The items that were not granted to the other side yet. */
  private long owed;

  private final Runnable pay = this::pay;

  /** The id of the call; 0 until it is sent. Written by the thread that sends it. */
  private volatile long id;

  /**
   * Creates a stream that is not open yet.
   *
   * @param method the method that opens it, for messages
   */
  ReceivedStream(
      Source source,
      Calls calls,
      String method,
      Streaming streaming,
      JsonType<T> type,
      UnknownMembers unknown,
      Flow.Subscriber<? super T> to) {
    this.source = source;
    this.calls = calls;
    this.method = method;
    this.streaming = streaming;
    Inflow.Control control = !source.isConnection()
        ? Inflow.Control.TRANSPORT
        : streaming.form() == Streaming.Form.CALL ? Inflow.Control.CREDIT : Inflow.Control.NONE;
    this.inflow = new Inflow<>(to, type, unknown, method, streaming, control, this, Threads.CALLS);
  }

  /** Begins the stream at the subscriber, and opens it at the other side. Throws nothing. */
  void open() {
    if (!inflow.begin()) {
      return; // cancelled in onSubscribe
    }
    try {
      source.receives();
      CallFuture<Json> sent = calls.open(this, token());
      boolean late;
      synchronized (this) {
        call = sent;
        late = cancelled && streaming.form() != Streaming.Form.SUBSCRIPTION;
      }
      if (late) {
        sent.cancel(true);
      }
      sent.whenComplete(this::answered);
    } catch (RuntimeException | Error e) {
      forget();
      inflow.fail(e);
    }
  }

  /** Returns the token of partial results, under which this stream is known from now on. */
  private @Nullable Json token() {
    if (streaming.form() != Streaming.Form.PARTIAL_RESULTS) {
      return null;
    }
    Json token = Json.of(TOKENS.incrementAndGet());
    register(new Key(PROGRESS, token));
    return token;
  }

  private void register(Key key) {
    boolean late;
    synchronized (this) {
      this.key = key;
      late = cancelled;
    }
    if (!source.register(key, this)) {
      inflow.fail(violation("the id of a stream is used twice: " + key));
    }
    if (late) {
      unsubscribe();
    }
  }

  private void forget() {
    Key known;
    synchronized (this) {
      known = key;
    }
    if (known != null) {
      source.unregister(known, this);
    }
  }

  // ---------------------------------------------------------------- the reader

  /** Reports that the call was sent. */
  void sent(long id) {
    this.id = id;
    if (streaming.form() == Streaming.Form.CALL && source.isConnection()) {
      inflow.grantAll();
    }
  }

  /** Returns whether the transport may deliver more items. */
  boolean hasRoom() {
    return inflow.hasRoom();
  }

  /** Receives the id of a subscription, before the next frame is read. */
  void subscribed(@Nullable Json id) {
    if (streaming.form() == Streaming.Form.SUBSCRIPTION) {
      if (id == null || id.kind() != Json.Kind.STRING && id.kind() != Json.Kind.NUMBER) {
        inflow.fail(violation("the answer to '" + method + "' is no id of a subscription"));
      } else if (id.length() > MOST_ID) {
        inflow.fail(violation("the answer to '" + method + "' is an id of " + id.length()
            + " bytes; a subscription may have one of " + MOST_ID));
      } else {
        register(new Key(streaming.notification(), id));
      }
    }
  }

  /** Receives the items of a call. */
  void items(Json params) {
    Json items = params.get("items");
    if (items == null || items.kind() != Json.Kind.ARRAY) {
      violation(ITEMS + " without the member 'items', an array");
    } else {
      inflow.addAll(items);
    }
  }

  /** Receives the params of a notification with the key of this stream. */
  void push(Json params) {
    if (streaming.form() == Streaming.Form.PARTIAL_RESULTS) {
      Json value = params.get("value");
      if (value != null) {
        add(value);
      }
      return;
    }
    Json item = params.get("result");
    Json error = params.get("error");
    if (item != null) {
      inflow.add(item);
    } else if (error != null) {
      forget();
      ended(error);
    } else {
      violation("'" + streaming.notification() + "' has neither the member 'result' nor 'error'");
    }
  }

  private void add(Json value) {
    if (value.kind() == Json.Kind.ARRAY) {
      inflow.addAll(value);
    } else {
      inflow.add(value);
    }
  }

  private void ended(Json given) {
    RpcError error = error(given);
    if (error.code() == COMPLETE.code()) {
      inflow.complete(-1);
    } else {
      inflow.fail(new RemoteRpcException(method, source.remote(), error));
    }
  }

  /** Returns the error of a notification, which may have any form. */
  private static RpcError error(Json given) {
    try {
      if (given.kind() == Json.Kind.OBJECT) {
        Json code = given.get("code");
        Json message = given.get("message");
        if (code != null && message != null) {
          return new RpcError(code.as(int.class), message.as(String.class), given.get("data"));
        }
      }
    } catch (JsonException e) {
      // It is shown as it is.
    }
    return new RpcError(RpcError.INTERNAL_ERROR, "The subscription has ended", given);
  }

  private void answered(@Nullable Json result, @Nullable Throwable failure) {
    if (failure != null) {
      forget();
      inflow.fail(failure);
      return;
    }
    switch (streaming.form()) {
      case SUBSCRIPTION -> {} // the items follow
      case CALL -> complete(result);
      case PARTIAL_RESULTS -> {
        forget();
        if (result != null && result.kind() == Json.Kind.ARRAY) {
          inflow.addAll(result); // the items that no notification has carried
        }
        inflow.complete(-1);
      }
    }
  }

  /** Ends the stream of a call with its result, which has to be the number of its items. */
  private void complete(@Nullable Json result) {
    long count = -1;
    try {
      count = result == null ? -1 : result.as(long.class);
    } catch (JsonException e) {
      // It is not a count.
    }
    if (count >= 0) {
      inflow.complete(count);
    } else {
      inflow.fail(violation("the result of '" + method + "' is not the number of its items"));
    }
  }

  /** Fails the stream, because the connection has ended. */
  void fail(Throwable cause) {
    inflow.fail(cause);
  }

  // ---------------------------------------------------------------- to the sender

  @Override
  public void grant(long items) {
    synchronized (this) {
      owed = Demand.add(owed, items);
    }
    pay();
  }

  private void pay() {
    if (!source.hasRoom(pay)) {
      return;
    }
    long items;
    synchronized (this) {
      items = owed;
      owed = 0;
    }
    if (items > 0) {
      source.grant(id, items);
    }
  }

  @Override
  public RuntimeException violation(String what) {
    source.violation(what);
    return new ProtocolException(what);
  }

  @Override
  public void cancel() {
    CallFuture<Json> sent;
    synchronized (this) {
      cancelled = true;
      sent = call;
    }
    if (streaming.form() == Streaming.Form.SUBSCRIPTION) {
      unsubscribe();
    } else {
      forget();
      if (sent != null) {
        sent.cancel(true);
      }
    }
  }

  /** Ends the subscription at the other side, if its id is known and it has not ended there. */
  private void unsubscribe() {
    Key known;
    synchronized (this) {
      known = key;
    }
    if (known != null && source.unregister(known, this)) {
      JsonWriter params = new JsonWriter().put('[').json(known.id()).put(']');
      Json only = UnsafeJson.wrap(params.toBytes());
      Threads.CALLS.execute(() -> UserCode.run(() -> calls.unsubscribe(only)));
    }
  }
}
