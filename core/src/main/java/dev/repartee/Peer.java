package dev.repartee;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.Exiting;
import dev.repartee.internal.Times;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.TypeToken;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.Notification;
import dev.repartee.stream.RemoteStream;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection: it serves the calls of the other end and makes calls to it.
 *
 * <p>Thread-safe. Any number of calls may wait for answers at the same time, and the answers may
 * arrive in any order. The code that opens a peer has to close it; it also ends when the other side
 * ends the connection. A handler may call back through {@link Call#peer()} and wait for the answer,
 * unless it runs inline.
 */
public final class Peer implements AutoCloseable {
  // Implementation note.
  //
  // A peer joins a Responder (incoming calls) and a Caller (outgoing calls) on one channel. The
  // Inlet is the receiver of the channel and distributes its events.
  //
  // Ways to the end of the connection:
  //
  //   close()            startClosing() refuses new calls; when nothing runs: end()
  //                      limit over: abandon() cancels the handlers; end()
  //   input closed       fails the outgoing calls; when nothing runs: channel.close()
  //                      halfCloseTimeout over (Deadline): abandon(); end()
  //   hang-up            cancels the requests; the notifications have halfCloseTimeout
  //   limit exceeded     abort(): channel.abort()
  //
  // All of them lead to Inlet.closed(), where the state "over" makes sure that it runs once. Its
  // order matters: outgoing calls fail and handlers are cancelled first, then the listener is
  // notified, then the future "closed" completes, so that code that waits for it finds all of this
  // done. None of these actions keeps a later one from running (UserCode.runAll).
  //
  // Some threads must not wait for the end, because the connection cannot end before they go on: a
  // reader, a worker of this connection, and a thread inside connected() or disconnected() of the
  // listener ("telling"). There close() returns at once, and a Deadline makes the sweeper keep the
  // limit.
  //
  // Locks. The monitor of "closed" guards onInputClosed, inputClosed, deadline, closing, over and
  // the creation of the caller; no user code runs under it. endAt() checks closed.isDone() under
  // the monitor, and
  // Inlet.closed() calls forgetDeadline() after it has completed "closed", so no deadline outlives
  // the connection.

  /** The time to send the queued frames after the limit of a close, however short the limit is. */
  static final Duration FLUSH_TIME = Duration.ofSeconds(1);

  private final Channel channel;
  private final Options options;
  private final Connection connection;
  private final Responder responder;

  /**
   * The outgoing half; null before the first call and before the end. An idle connection of a
   * server usually makes no calls, and is a tenth smaller without it.
   */
  private volatile @Nullable Caller caller;

  private final boolean answersFaults;
  private volatile Consumer<Peer> ended = peer -> {};
  private volatile @Nullable BooleanSupplier mayRead;
  private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
  private @Nullable Runnable onInputClosed; // guarded by closed
  private boolean inputClosed; // guarded by closed
  private @Nullable Deadline deadline; // guarded by closed
  private boolean closing; // guarded by closed
  private boolean over; // guarded by closed

  /**
   * The thread that calls the listener for the start or the end, on which close() must not wait.
   */
  private volatile @Nullable Thread telling;

  private Peer(Channel channel, ServerContext context, boolean answersFaults) {
    this.channel = channel;
    this.options = context.options();
    this.connection = new Connection(context, channel, this);
    this.responder = new Responder(connection);
    this.answersFaults = answersFaults;
  }

  /**
   * Starts a peer on a channel that was not started yet. With an empty service the peer is a pure
   * client, which does not answer input that is not a message, unless {@link
   * Options.Builder#answersUnreadable} was set.
   */
  public static Peer open(Channel channel, Service service, Options options) {
    return open(channel, new ServerContext(service, options), !service.isEmpty());
  }

  /**
   * @param serves whether input that is not a message is answered, if the options do not say so
   */
  static Peer open(Channel given, ServerContext context, boolean serves) {
    boolean answersFaults = context.options().answersUnreadable(serves);
    Trace trace = context.options().trace();
    Channel channel = trace == null ? given : trace.of(given);
    Peer peer = new Peer(channel, context, answersFaults);
    peer.telling = Thread.currentThread();
    UserCode.run(() -> context.options().listener().connected(peer));
    peer.telling = null;
    Inlet inlet = peer.new Inlet();
    try {
      channel.start(inlet);
    } catch (RuntimeException | Error e) { // for example, no thread could be started
      UserCode.runAll(() -> channel.abort(e), () -> inlet.closed(e));
      throw e;
    }
    return peer;
  }

  /**
   * Calls a method with arguments by position and waits for its result, for {@link
   * Limits#callTimeout} at most. {@link ReparteeException} is the base of the first six failures.
   *
   * @throws RpcException if the answer is an error
   * @throws CallTimeoutException if no answer arrives in time
   * @throws DisconnectedException if the connection ends, or has ended
   * @throws dev.repartee.json.JsonException if the result does not fit the type
   * @throws ProtocolException if the answer is not a valid response
   * @throws LimitException if too many calls are pending, the request is too large, or the other
   *     side does not read
   * @throws IllegalArgumentException if an argument cannot be written as JSON
   * @throws IllegalStateException on a {@linkplain ReadingThread thread that reads}, which must not
   *     wait
   */
  public <T> T call(String method, Class<T> result, @Nullable Object... args) {
    return request(method).args(args).call(result);
  }

  /**
   * Calls a method with arguments by position, without waiting for the answer. {@link CallFuture}
   * describes the possible outcomes. Waits only while the write queue is full because the other
   * side does not read, for {@link Limits#drainTimeout} at most, and never on a {@linkplain
   * ReadingThread thread that reads}.
   *
   * @throws DisconnectedException if the connection has ended
   * @throws LimitException if too many calls are pending, the request is too large, or the other
   *     side does not read
   * @throws IllegalArgumentException if an argument cannot be written as JSON
   */
  public <T> CallFuture<T> callAsync(String method, Class<T> result, @Nullable Object... args) {
    return request(method).args(args).send(result);
  }

  /**
   * Calls a method with a result of a generic type; see {@link #call(String, Class, Object...)}.
   */
  public <T> T call(String method, TypeToken<T> result, @Nullable Object... args) {
    return request(method).args(args).call(result);
  }

  /**
   * Calls a method with a result of a generic type; see {@link #callAsync(String, Class,
   * Object...)}.
   */
  public <T> CallFuture<T> callAsync(String method, TypeToken<T> result, @Nullable Object... args) {
    return request(method).args(args).send(result);
  }

  /**
   * Sends a notification with arguments by position. Whether the other side handles it cannot be
   * known. Waits while the write queue is full, as {@link #callAsync} does.
   *
   * @throws DisconnectedException if the connection has ended
   * @throws LimitException if the notification is too large, or the other side does not read
   * @throws IllegalArgumentException if an argument cannot be written as JSON
   */
  public void notify(String method, @Nullable Object... args) {
    request(method).args(args).sendNotification();
  }

  /**
   * Sends a notification as {@link #notify} does, but never waits.
   *
   * @return false if nothing was sent because the write queue is full
   */
  public boolean tryNotify(String method, @Nullable Object... args) {
    return request(method).args(args).tryNotify();
  }

  /**
   * Starts a call with further settings: arguments by name, a time-out, progress. Sends nothing
   * until a method of the {@link CallBuilder} does so.
   */
  public CallBuilder request(String method) {
    return new CallBuilder(this, method);
  }

  /**
   * Sends a call of a peer on a {@link Carrier} over this connection. From now on the call is
   * pending here. Waits only as {@link #callAsync} does.
   *
   * @param lost is called on a thread that must not block, if the connection ends before the answer:
   *     the call is pending at its own peer again, and can be carried again
   * @throws DisconnectedException if the connection has ended; then the call was not sent
   * @throws IllegalArgumentException if the message is not a call for a carrier
   */
  public void carry(OutgoingMessage call, Consumer<RuntimeException> lost) {
    Carried<?> carried = call instanceof CallMessage own ? own.carried() : null;
    if (carried == null) {
      throw new IllegalArgumentException("the message is not a call for a carrier");
    }
    caller().carry(carried, lost);
  }

  /**
   * Starts a batch (JSON-RPC 2.0 section 6). Sends nothing yet.
   *
   * @throws DisconnectedException if this peer reconnects and is not connected now. The batch
   *     belongs to the present connection
   * @throws UnsupportedOperationException if the envelope of this connection is not JSON-RPC 2.0
   */
  public Batch batch() {
    requireJsonRpc2("a batch");
    Peer carrier = caller().carrier(this);
    return carrier == this ? new Batch(this) : carrier.batch();
  }

  /**
   * Returns an implementation of an interface; its methods call the methods of the other side. See
   * {@link Rpc} and {@link Param}. A method that returns a {@link CallFuture}, {@code
   * CompletableFuture} or {@code CompletionStage} does not wait; one that returns a {@link
   * RemoteStream} or {@code Flow.Publisher} sends nothing before it is subscribed to; any other
   * method waits and fails as {@link #call} does. Default methods run locally, on the caller's
   * thread; {@code close()} of an {@code AutoCloseable} closes this peer. Creating a proxy uses
   * reflection, so create it once.
   *
   * @throws IllegalArgumentException if the type is not an open interface, or has a method that
   *     cannot be called remotely; the message names the method
   */
  public <T> T proxy(Class<T> type) {
    return Proxies.create(this, type);
  }

  /**
   * Returns the mappings between Java types and JSON that this peer uses, for conversions of your
   * own: {@code json.as(peer.types().of(Order.class))}.
   */
  public JsonTypes types() {
    return options.types();
  }

  /** Returns a description of the channel. */
  public ChannelInfo channel() {
    return channel.info();
  }

  /**
   * Returns the facts that the transport has about the other side, such as {@link Channel#PROCESS}.
   * The attributes of a {@link Call} may differ, since layers add to them.
   */
  public Attributes attributes() {
    return channel.attributes();
  }

  /**
   * Returns a stage that completes when the connection has ended: with null after an orderly end,
   * otherwise exceptionally with the cause. Dependent stages without an executor run on a thread of
   * the channel and must not block.
   */
  public CompletionStage<@Nullable Void> closed() {
    return closed.minimalCompletionStage();
  }

  /** Counts the calls of the other side for this server from now on, unless that is done. */
  void countFor(ServerStatus server) {
    connection.scheduler().countFor(server);
  }

  /**
   * Sets the action to run when the connection has ended, on a thread of the channel, after {@link
   * #hasEnded} has become true. It does not run if the connection has ended already. It takes less
   * memory than a dependent stage of {@link #closed}.
   */
  void whenEnded(Consumer<Peer> ended) {
    this.ended = ended;
  }

  /**
   * Sets the action to run when the other side has ended its output, though it may still wait for
   * answers; runs it at once if that has happened. From then on running calls have {@link
   * Limits#halfCloseTimeout} to finish, so the action should end calls that would not end on their
   * own. A later action replaces an earlier one. The action runs on a thread that reads, so it must
   * not block.
   */
  public void onInputClosed(Runnable action) {
    synchronized (closed) {
      if (!inputClosed) {
        onInputClosed = action;
        return;
      }
    }
    action.run();
  }

  /**
   * Sets a condition for reading: before each message, the peer asks whether it may be read. If
   * not, messages wait with the other side until {@link #readOn} is called and the condition is
   * true; while that lasts, no answers arrive either. For code that passes messages on to a peer
   * that may be slower: {@code client.readWhile(() -> backend.hasRoom(client::readOn))}. Replaces
   * an earlier condition. To have it from the first message on, set it in {@link
   * Listener#connected}. Messages of HTTP, which arrive without a connection, are not affected.
   *
   * <p>With a condition, messages that are passed on while this peer reads leave together when it
   * has read all that has arrived: {@linkplain CallBuilder#unthrottled unthrottled} ones to other
   * peers, and answers that complete meanwhile.
   *
   * @param mayRead runs on a thread that reads, often, so it must not block
   */
  public void readWhile(BooleanSupplier mayRead) {
    this.mayRead = mayRead;
  }

  /** Asks the condition of {@link #readWhile} again, on a thread of the channel. Never blocks. */
  public void readOn() {
    channel.resume();
  }

  /**
   * Returns whether the write queue has room, so that a call or notification would not have to
   * wait. If not, the action runs once, when there is room again or the connection has ended. True
   * after the end of the connection, since nothing waits then. Never blocks.
   *
   * @param again must not block. The same object is kept once, however often it is given
   */
  public boolean hasRoom(Runnable again) {
    try {
      return connection.hasRoom(again);
    } catch (DisconnectedException e) {
      return true;
    }
  }

  private void inputClosed() {
    Runnable action;
    synchronized (closed) {
      inputClosed = true;
      action = onInputClosed;
      onInputClosed = null;
    }
    if (action != null) {
      UserCode.run(action);
    }
  }

  /**
   * Returns whether calls can be sent. False before the first call fails with a {@link
   * DisconnectedException}: from the moment at which the connection ended, or the other side ended
   * its output and so cannot answer. Handlers for calls of the other side may still run then.
   */
  public boolean isOpen() {
    Caller existing = caller;
    return !hasEnded() && (existing == null || existing.isOpen());
  }

  /** Returns whether the connection has ended in both directions. */
  boolean hasEnded() {
    return closed.isDone();
  }

  Caller caller() {
    Caller existing = caller;
    return existing != null ? existing : createCaller();
  }

  private Caller createCaller() {
    synchronized (closed) {
      Caller created = caller;
      if (created == null) {
        created = new Caller(
            channel, options, connection.codec(), connection.scheduler()::readOn, this::hasRoom);
        caller = created;
      }
      return created;
    }
  }

  /** Returns whether calls of this side have no response yet. */
  private boolean awaitsAnswers() {
    Caller existing = caller;
    return existing != null && existing.pending() > 0;
  }

  /**
   * Requires that the notifications of a subscription can arrive.
   *
   * @throws IllegalStateException if the transport cannot carry them
   * @throws IllegalArgumentException if the service of this side has a method of that name, which
   *     would get them instead
   */
  void requireSubscribable(String method, String notification) {
    if (!caller().isConnection()) {
      throw new IllegalStateException(
          "'" + method + "' opens a subscription, which needs a connection"
              + " that carries notifications, such as a WebSocket, not "
              + channel.info().transport());
    }
    if (connection.context().service().find(notification) != null) {
      throw new IllegalArgumentException("the service of this side has a method '" + notification
          + "', which would get the notifications of the subscription");
    }
  }

  /** Returns the envelope of this connection and its conventions. */
  public Dialect dialect() {
    return options.dialect();
  }

  /**
   * Requires that the messages are those of JSON-RPC 2.0.
   *
   * @throws UnsupportedOperationException if they are not
   */
  void requireJsonRpc2(String what) {
    if (!options.dialect().isJsonRpc2()) {
      throw new UnsupportedOperationException(what
          + " needs JSON-RPC 2.0, but this connection has another envelope; make single calls");
    }
  }

  /** Closes the connection, because the other side has sent input that is no valid message. */
  void closeAfterInvalid() {
    startClosing();
    endAfter(options.limits().closeTimeout());
  }

  /** Ends the connection, because an incoming message exceeds a limit and cannot be refused. */
  void abort(LimitException cause) {
    channel.abort(cause);
  }

  /** Sends a notification with encoded params, unless the write queue is full. */
  boolean tryNotify(Notification notification) {
    Json params = notification.params();
    Params written = params == null ? null : out -> out.json(params);
    return request(notification.method()).params(written).tryNotify();
  }

  boolean answersFaults() {
    return answersFaults;
  }

  // ---------------------------------------------------------------- closing

  /** Closes the connection as {@link #close(Duration)} does, within {@link Limits#closeTimeout}. */
  @Override
  public void close() {
    close(options.limits().closeTimeout());
  }

  /**
   * Closes the connection and waits until it has ended. Refuses new calls of the other side, waits
   * for running calls to finish, then fails the outgoing calls that are still pending, sends the
   * queued frames and ends the connection.
   *
   * <p>Does not wait on threads that the connection itself needs in order to end: threads that read
   * a channel or run a handler of this connection, and threads in {@link Listener#connected} and
   * {@link Listener#disconnected}. There it only starts the closing and returns; the limit applies
   * as well.
   *
   * @param limit the time that running calls have to finish; then they are cancelled
   */
  public void close(Duration limit) {
    startClosing();
    if (ReadingThread.isCurrent() || isInUseHere()) {
      endAfter(limit);
    } else {
      finishClosing(List.of(this), System.nanoTime() + Times.nanos(limit));
    }
  }

  /**
   * Returns whether the calling thread runs a handler of this connection, or calls its listener.
   */
  boolean isInUseHere() {
    return telling == Thread.currentThread()
        || connection.scheduler().runBy(Thread.currentThread()::equals) != null;
  }

  /** Ends the calls of which the handler has called System.exit: that handler never returns. */
  void abandonExiting() {
    Scheduler scheduler = connection.scheduler();
    OwnedExchange x = scheduler.runBy(Exiting::is);
    while (x != null) {
      x.abandon();
      scheduler.finish(x);
      x = scheduler.runBy(Exiting::is);
    }
  }

  /** Cancels running handlers after this time and ends the connection. Returns at once. */
  void endAfter(Duration limit) {
    endAt(Sweeper.now() + Times.nanos(limit));
  }

  /** Ends the connection at the time {@code due}; the earliest time given so far applies. */
  private void endAt(long due) {
    synchronized (closed) {
      if (closed.isDone() || deadline != null && deadline.due <= due) {
        return;
      }
      if (deadline != null) {
        Sweeper.forget(deadline);
      }
      deadline = new Deadline(due);
      Sweeper.watch(deadline, due);
    }
  }

  private void forgetDeadline() {
    synchronized (closed) {
      if (deadline != null) {
        Sweeper.forget(deadline);
        deadline = null;
      }
    }
  }

  /** Returns whether a time is set at which the connection ends. */
  boolean hasDeadline() {
    synchronized (closed) {
      return deadline != null;
    }
  }

  /** Refuses new calls, and ends the connection when nothing runs any more. Returns at once. */
  void startClosing() {
    synchronized (closed) {
      if (closing) {
        return; // a handler may call close() often, and whenIdle() nests actions
      }
      closing = true;
    }
    responder.closing();
    connection.scheduler().whenIdle(this::end);
  }

  /** Waits until all peers have ended; at the deadline, cancels their handlers and ends them. */
  static void finishClosing(Collection<Peer> peers, long deadline) {
    try {
      for (Peer peer : peers) {
        peer.awaitClosed(deadline);
      }
      for (Peer peer : peers) {
        if (!peer.hasEnded()) {
          peer.abandon();
        }
      }
      long flushed = deadline + FLUSH_TIME.toNanos();
      for (Peer peer : peers) {
        peer.awaitClosed(flushed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Peer peer : peers) {
      if (!peer.hasEnded()) {
        peer.channel.abort(null);
      }
    }
  }

  private void awaitClosed(long deadline) throws InterruptedException {
    try {
      closed.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The connection has ended with a cause, or the caller checks hasEnded().
    }
  }

  private void end() {
    UserCode.runAll(
        () -> caller()
            .close(
                "the connection to " + channel.info().other() + " was closed by this side", null),
        channel::close);
  }

  /** Cancels the handlers and ends the connection. */
  private void abandon() {
    UserCode.runAll(connection.scheduler()::abandon, this::end);
  }

  Options options() {
    return options;
  }

  @Override
  public String toString() {
    return "Peer[" + channel.info() + "]";
  }

  /** The receiver of the channel. */
  private final class Inlet implements Receiver {
    private final BooleanSupplier awaitsAnswers = Peer.this::awaitsAnswers;

    @Override
    public void violation(String violation) {
      connection.violation(violation);
    }

    @Override
    public void notice(String event) {
      UserCode.run(() -> options.listener().notice(channel.info(), event));
    }

    @Override
    public void burstBegins() {
      connection.scheduler().beginBurst();
      if (mayRead != null) {
        PassedOn.begin();
      }
    }

    @Override
    public void burstEnds() {
      if (mayRead != null) {
        PassedOn.end();
      }
      connection.scheduler().endBurst();
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      try {
        return responder.serve(bytes, from, to);
      } catch (Throwable e) {
        connection.abort(e);
        return true;
      }
    }

    @Override
    public void fault(FrameFault fault) {
      responder.fault(fault);
    }

    @Override
    public boolean ready() {
      BooleanSupplier condition = mayRead;
      if (condition != null && !condition.getAsBoolean()) {
        return false;
      }
      try {
        return !connection.scheduler().pauseIfFull(awaitsAnswers);
      } catch (LimitException e) {
        Peer.this.abort(e);
        return false;
      }
    }

    @Override
    public void roomAgain() {
      try {
        connection.roomAgain();
      } catch (Throwable e) {
        connection.abort(e); // the messages that wait for room might wait for ever
      }
    }

    private String gone(@Nullable Throwable why) {
      return "the connection to " + channel.info().other() + " is gone"
          + (why == null ? "" : ": " + why.getMessage());
    }

    /**
     * Fails outgoing calls. The peer may still read, so its calls are answered if they finish in
     * time.
     */
    @Override
    public void inputClosed(@Nullable Throwable cause) {
      UserCode.runAll(
          () -> caller()
              .close(
                  cause == null
                      ? "the other side has ended the connection to "
                          + channel.info().other()
                      : gone(cause),
                  cause),
          Peer.this::inputClosed,
          connection::inputClosed,
          () -> connection.scheduler().whenIdle(channel::close),
          this::limitTheRest);
    }

    @Override
    public void hungUp() {
      UserCode.runAll(connection.scheduler()::abandonRequests, this::limitTheRest);
    }

    /** Starts the limit {@code halfCloseTimeout}, if handlers are running. */
    private void limitTheRest() {
      long due = Sweeper.after(options.limits().halfCloseTimeout());
      if (due != Sweeper.NEVER && !connection.scheduler().isIdle()) {
        endAt(due);
      }
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      synchronized (closed) {
        if (over) {
          return; // a channel that failed to start may report its end as well
        }
        over = true;
      }
      telling = Thread.currentThread();
      UserCode.runAll(
          () -> caller().close(gone(cause), cause),
          connection.scheduler()::abandon,
          connection::endSubscriptions,
          connection::endWaiting,
          () -> options.listener().disconnected(Peer.this, cause),
          () -> complete(cause),
          () -> telling = null,
          Peer.this::forgetDeadline,
          () -> ended.accept(Peer.this));
    }

    private void complete(@Nullable Throwable cause) {
      if (cause == null) {
        closed.complete(null);
      } else {
        closed.completeExceptionally(cause);
      }
    }
  }

  /** A time at which the connection ends even if handlers are running. */
  private final class Deadline implements Sweeper.Owner {
    private final long due;

    Deadline(long due) {
      this.due = due;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public long expire(long now) {
      abandon();
      return Sweeper.NEVER;
    }
  }
}
