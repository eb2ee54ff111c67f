package dev.repartee;

import dev.repartee.access.Principal;
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
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
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
  // A peer joins a Responder (incoming calls) and a Caller (outgoing calls) on one channel. This
  // class makes them and has the API of calls. The other parts of a connection:
  //
  //   PeerReceiver   distributes the frames and events of the channel
  //   Ending         the states of the end, and the actions of each
  //   PeerFlow       when to read and to send, for gateways
  //
  // The only mutable state is the caller. It is created under the monitor of the connection.

  private final Channel channel;
  private final Options options;
  private final Connection connection;
  private final Responder responder;

  /**
   * The outgoing half; null before the first call and before the end. An idle connection of a
   * server usually makes no calls, and is a tenth smaller without it.
   */
  private volatile @Nullable Caller caller;

  private final Ending ending;
  private final PeerFlow flow;

  /** Whether the other side has announced that it closes. */
  private volatile boolean leaving;

  private final boolean answersFaults;

  private Peer(Channel channel, ServerContext context, boolean answersFaults) {
    this.channel = channel;
    this.options = context.options();
    this.connection = new Connection(context, channel, this);
    this.responder = new Responder(connection);
    this.ending = new Ending(this, channel, connection, responder);
    this.flow = new PeerFlow(this, channel, connection);
    this.answersFaults = answersFaults;
  }

  /**
   * Starts a peer on a channel that was not started yet. With an empty service the peer is a pure
   * client, which does not answer input that is not a message, unless {@link
   * Options.Builder#answersUnreadable} was set.
   *
   * @throws IllegalStateException if the options have an authenticator, and the channel has no
   *     {@link Principal#KEY}: only a {@link Server} asks the authenticator. The channel is aborted
   */
  public static Peer open(Channel channel, Service service, Options options) {
    return open(channel, new ServerContext(service, options), !service.isEmpty());
  }

  /**
   * @param serves whether input that is not a message is answered, unless the options define it
   */
  static Peer open(Channel given, ServerContext context, boolean serves) {
    boolean answersFaults = context.options().answersUnreadable(serves);
    if (context.admission() != null
        && !(given instanceof MessageChannel) // the calls of each message are decided separately
        && !Admission.isKnown(given.attributes())) {
      IllegalStateException e = new IllegalStateException("the options have an authenticator, but"
          + " nobody has authenticated the other side of " + given.info() + ": only servers"
          + " (Repartee.listen) ask the authenticator; otherwise set the attribute Principal.KEY of"
          + " the channel, or use options without an authenticator");
      given.abort(e);
      throw e;
    }
    Trace trace = context.options().trace();
    Channel channel = trace == null ? given : trace.of(given);
    Peer peer = new Peer(channel, context, answersFaults);
    peer.ending.notifying(() -> context.options().listener().connected(peer));
    try {
      channel.start(new PeerReceiver(peer, peer.connection, peer.responder));
    } catch (RuntimeException | Error e) { // for example, no thread could be started
      UserCode.runAll(() -> channel.abort(e), () -> peer.ending.over(e));
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
   * pending here.
   *
   * @param room the time to wait while the write queue is full; a {@linkplain ReadingThread thread
   *     that reads} never waits
   * @return false if the queue is still full; then the call was not sent
   * @param lost is called on a thread that must not block, if the connection ends before the
   *     answer: the call is pending at its own peer again, and can be carried again
   * @throws DisconnectedException if the connection has ended; then the call was not sent
   * @throws IllegalArgumentException if the message is not a call for a carrier
   */
  public boolean carry(OutgoingMessage call, Consumer<RuntimeException> lost, Duration room) {
    Carried<?> carried = call instanceof CallMessage own ? own.carried() : null;
    if (carried == null) {
      throw new IllegalArgumentException("the message is not a call for a carrier");
    }
    return caller().carry(carried, lost, room.toMillis());
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
   * CompletableFuture} or {@code CompletionStage} does not wait. A {@link RemoteStream} or {@code
   * Flow.Publisher} sends the call when it is subscribed to. Any other method waits and fails as
   * {@link #call} does. Default methods run locally, on the caller's thread; {@code close()} of an
   * {@code AutoCloseable} closes this peer. Creating a proxy uses reflection; create it once.
   *
   * @throws IllegalArgumentException if the type is not an open interface, or has a method that
   *     cannot be called remotely; the message names the method
   */
  public <T> T proxy(Class<T> type) {
    return Proxies.create(this, type);
  }

  /**
   * Returns the mappings between Java types and JSON that this peer uses, for your own conversions:
   * {@code json.as(peer.types().of(Order.class))}.
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
    return ending.closed();
  }

  /** Returns the flow control of this peer, for code that passes messages on. */
  public PeerFlow flow() {
    return flow;
  }

  /**
   * Returns whether calls can be sent. False before the first call fails with a {@link
   * DisconnectedException}: as soon as the connection has ended, or the other side has ended its
   * output and cannot answer, or announces that it closes. Handlers for calls of the other side may
   * still run then.
   */
  public boolean isOpen() {
    Caller existing = caller;
    return !leaving && !ending.hasEnded() && (existing == null || existing.isOpen());
  }

  /** Returns the envelope of this connection and its conventions. */
  public Dialect dialect() {
    return options.dialect();
  }

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
    ending.close(limit);
  }

  @Override
  public String toString() {
    return "Peer[" + channel.info() + "]";
  }

  // ---------------------------------------------------------------- for the engine

  Options options() {
    return options;
  }

  /** Returns the end of the connection. */
  Ending ending() {
    return ending;
  }

  boolean answersFaults() {
    return answersFaults;
  }

  Caller caller() {
    Caller existing = caller;
    return existing != null ? existing : createCaller();
  }

  private Caller createCaller() {
    synchronized (connection) {
      Caller created = caller;
      if (created == null) {
        created = new Caller(
            channel,
            options,
            connection.codec(),
            connection.scheduler().calls(),
            connection.scheduler()::readOn,
            flow::hasRoom,
            ending::afterInput,
            this::leave);
        caller = created;
      }
      return created;
    }
  }

  /**
   * Closes the connection after the last pending call, because the other side is closing and
   * accepts no new ones. Does not wait. The other side refuses the calls that crossed its
   * announcement, and answers all earlier ones: the outcome of every call is known.
   */
  void leave() {
    leaving = true;
    caller().closeWhenEmpty(channel.info().other() + " is closing", this::close);
    flow.leaving();
  }

  /** Returns the number of calls of this side that have no response yet. */
  int pending() {
    Caller existing = caller;
    return existing == null ? 0 : existing.pending();
  }

  /** Returns the number of calls of this side that were answered so far. */
  long answers() {
    Caller existing = caller;
    return existing == null ? 0 : existing.answers();
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

  /**
   * Requires that the envelope is JSON-RPC 2.0.
   *
   * @throws UnsupportedOperationException if it is not
   */
  void requireJsonRpc2(String what) {
    if (!options.dialect().isJsonRpc2()) {
      throw new UnsupportedOperationException(what
          + " needs JSON-RPC 2.0, but this connection has another envelope; make single calls");
    }
  }

  /** Counts the calls of the other side for this server from now on, unless that is done. */
  void countFor(ServerStatus server) {
    connection.scheduler().countFor(server);
  }

  /** Sends a notification with encoded params, unless the write queue is full. */
  boolean tryNotify(Notification notification) {
    Json params = notification.params();
    Params written = params == null ? null : out -> out.json(params);
    return request(notification.method()).params(written).tryNotify();
  }
}
