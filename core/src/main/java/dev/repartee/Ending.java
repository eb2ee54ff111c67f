package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Times;
import dev.repartee.internal.UserCode;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of a peer's connection: its states, its time limit, and the actions of each transition.
 * Thread-safe.
 */
final class Ending implements Clock.Owner {
  // Implementation note.
  //
  // The states, from which a connection only ever enters a later one:
  //
  //              start()              inputClosed()                over()
  //   OPEN ----------------> CLOSING ---------------> INPUT_CLOSED -------> OVER
  //
  //   CLOSING        this side closes: new calls are refused
  //   INPUT_CLOSED   the other side has ended its output; the outgoing calls have failed
  //   OVER           the channel has ended in both directions
  //
  // Any of them may be skipped. INPUT_CLOSED is later than CLOSING, because a connection without
  // input ends as soon as nothing runs, and no new call can arrive that would have to be refused:
  // start() has nothing left to do.
  //
  // Ways to the end:
  //
  //   close()            start() refuses new calls; when nothing runs: end()
  //                      time limit passed: abandon() cancels the handlers; end()
  //   input closed       fails the outgoing calls; when nothing runs: channel.close()
  //                      halfCloseTimeout passed: abandon() cancels the handlers; end()
  //   hang-up            cancels the requests; the notifications have halfCloseTimeout
  //   limit exceeded     channel.abort()
  //
  // All of them lead to over(). The order of its actions matters: outgoing calls fail and handlers
  // are cancelled first, then the listener is notified, then the future "closed" completes. Code
  // that waits for this future finds all of this done. A failure of one action does not prevent the
  // later ones (UserCode.runAll).
  //
  // Some threads must not wait for the end, because the connection cannot end before they
  // continue: a reader, a worker of this connection, and a thread that calls the listener
  // ("notifying"). On these threads close() returns immediately, and the sweeper enforces the time
  // limit.
  //
  // Locks. The monitor of this object guards state, and the writes of due. No other code runs under
  // it, except Clock.watch and Clock.forget, which acquire no lock. endAt() checks the state
  // under the monitor, and over() forgets the time limit afterwards: the sweeper keeps no
  // connection in memory that has ended.

  /**
   * The notification of a side that accepts no new calls, and leaves the end of the connection to
   * the other side. It is sent only on request. The request is the same notification with the param
   * {@link #ANNOUNCE}.
   */
  static final String CLOSING = "rpc.closing";

  static final String ANNOUNCE = "announce";

  /** The name of the limit in the error that refuses a call on a connection that ends. */
  static final String LIMIT = RefusedCall.CLOSING;

  /** The time for writing the queued frames after the limit of a close, however short that is. */
  static final Duration FLUSH_TIME = Duration.ofSeconds(1);

  private enum State {
    OPEN,
    CLOSING,
    INPUT_CLOSED,
    OVER
  }

  private final Peer peer;
  private final Channel channel;
  private final Connection connection;
  private final Responder responder;
  private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
  private volatile Consumer<Peer> whenEnded = ended -> {};

  private State state = State.OPEN;

  /** Whether the other side has asked for the announcement of the closing. */
  private volatile boolean announces;

  /** The time at which the connection ends even if handlers are running; or NEVER. */
  private volatile long due = Clock.NEVER;

  /** The thread that is calling the listener about the start or the end; usually null. */
  private volatile @Nullable Thread notifying;

  Ending(Peer peer, Channel channel, Connection connection, Responder responder) {
    this.peer = peer;
    this.channel = channel;
    this.connection = connection;
    this.responder = responder;
  }

  private Limits limits() {
    return connection.options().limits();
  }

  private Clock clock() {
    return connection.options().clock();
  }

  private Scheduler scheduler() {
    return connection.scheduler();
  }

  /** Returns a stage that completes at the end; see {@link Peer#closed}. */
  CompletionStage<@Nullable Void> closed() {
    return closed.minimalCompletionStage();
  }

  /** Returns whether the connection has ended in both directions, and the listener knows it. */
  boolean hasEnded() {
    return closed.isDone();
  }

  /**
   * Sets the action to run when the connection has ended, on a thread of the channel, after {@link
   * #hasEnded} has become true. Does not run it if the connection has ended already. It needs less
   * memory than a dependent stage of {@link #closed}.
   */
  void whenEnded(Consumer<Peer> action) {
    whenEnded = action;
  }

  /** Enters a state; returns false if the connection is in this or a later state. */
  private synchronized boolean enter(State next) {
    boolean later = next.compareTo(state) > 0;
    if (later) {
      state = next;
    }
    return later;
  }

  // ---------------------------------------------------------------- closed by this side

  /** Closes the connection, and waits for its end where that is allowed; see {@link Peer#close}. */
  void close(Duration limit) {
    if (ReadingThread.isCurrent() || isInUseHere()) {
      closeWithin(limit);
    } else {
      start();
      finish(List.of(this), System.nanoTime() + Times.nanos(limit));
    }
  }

  /**
   * Refuses new calls, and ends the connection when nothing runs. Does not wait. Does nothing if
   * the connection ends already: handlers may call close() often, and each {@code whenIdle} nests
   * another action.
   */
  void start() {
    if (enter(State.CLOSING)) {
      responder.closing();
      if (!isAnnounced()) {
        scheduler().whenIdle(this::end);
      } // otherwise the other side ends its output after the last answer that it waits for
    }
  }

  /**
   * Announces the closing of this side from now on, or now if it has begun; see {@link #CLOSING}.
   * Then the announcement is sent before the answers to later calls, and twice in a race.
   */
  void announce() {
    announces = true;
    if (isClosing()) {
      isAnnounced();
    }
  }

  private synchronized boolean isClosing() {
    return state == State.CLOSING;
  }

  private boolean isAnnounced() {
    if (!announces) {
      return false;
    }
    CallBuilder announcement = peer.request(CLOSING);
    announcement.waits = false;
    try {
      peer.caller().notification(announcement); // past the layers
      return true;
    } catch (RuntimeException e) { // it has ended, or its channel is full
      return false;
    }
  }

  /**
   * Returns whether an error means that the call was refused because its connection ends: it has the
   * code and the limit of the refusal of a server with this dialect.
   */
  static boolean isClosing(RpcError error, Dialect dialect) {
    Json data = error.data();
    Json limit = data == null || data.kind() != Json.Kind.OBJECT ? null : data.get("limit");
    return limit != null
        && limit.kind() == Json.Kind.STRING
        && limit.as(String.class).equals(LIMIT)
        && error.code() == dialect.busy(LIMIT, 0).code();
  }

  /**
   * Returns whether the calling thread runs a handler of this connection, or calls its listener.
   */
  boolean isInUseHere() {
    Thread here = Thread.currentThread();
    return notifying == here || scheduler().runBy(here::equals) != null;
  }

  /**
   * Waits until all these connections have ended. At the deadline, on the clock of {@link
   * System#nanoTime}, cancels the handlers of the others and ends them; they have {@link
   * #FLUSH_TIME} to write their queued frames.
   */
  static void finish(Collection<Ending> endings, long deadline) {
    try {
      for (Ending ending : endings) {
        ending.await(deadline);
      }
      for (Ending ending : endings) {
        if (!ending.hasEnded()) {
          ending.abandon();
        }
      }
      long flushed = deadline + FLUSH_TIME.toNanos();
      for (Ending ending : endings) {
        ending.await(flushed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Ending ending : endings) {
      if (!ending.hasEnded()) {
        ending.channel.abort(null);
      }
    }
  }

  private void await(long deadline) throws InterruptedException {
    try {
      closed.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The connection has ended with a cause, or the caller checks hasEnded().
    }
  }

  /** Fails the outgoing calls and closes the channel. Throws nothing. */
  private void end() {
    UserCode.runAll(
        () -> peer.caller().close(connectionTo() + " was closed by this side", null),
        channel::close);
  }

  /** Cancels the handlers and ends the connection. Throws nothing. */
  private void abandon() {
    UserCode.runAll(scheduler()::abandon, this::end);
  }

  /** Ends the calls of handlers that have called System.exit. Such a handler never returns. */
  void abandonExiting() {
    OwnedExchange x = scheduler().runBy(Ending::isExiting);
    while (x != null) {
      x.abandon();
      scheduler().finish(x);
      x = scheduler().runBy(Ending::isExiting);
    }
  }

  /**
   * Returns whether a thread, which may be virtual, has called {@link System#exit}. This call waits
   * for the end of the JVM and never returns.
   */
  private static boolean isExiting(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals("java.lang.Shutdown")) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- the time limit

  /** Closes the connection as {@link #close} does, but never waits. */
  void closeWithin(Duration limit) {
    start();
    endAfter(limit);
  }

  /**
   * Sets the time after which running handlers are cancelled and the connection ends. Does not
   * wait.
   */
  void endAfter(Duration limit) {
    endAt(clock().nanos() + Times.nanos(limit));
  }

  /** Ends the connection at {@code time}, or at an earlier time that was set before. */
  private synchronized void endAt(long time) {
    if (state != State.OVER && time < due) {
      due = time;
      clock().watch(this, time);
    }
  }

  private synchronized void forgetLimit() {
    due = Clock.NEVER;
    clock().forget(this);
  }

  @Override
  public long due() {
    return due;
  }

  @Override
  public long expire(long now) {
    abandon();
    return Clock.NEVER;
  }

  // ---------------------------------------------------------------- events of the channel

  /**
   * Fails the outgoing calls, since no answer can arrive. The other side may still read: its calls
   * are answered if they finish within {@link Limits#halfCloseTimeout}.
   */
  void inputClosed(@Nullable Throwable cause) {
    if (!enter(State.INPUT_CLOSED)) {
      return;
    }
    UserCode.runAll(
        () -> peer.caller()
            .close(
                cause == null
                    ? "the other side has ended " + connectionTo() + afterInput()
                    : gone(cause),
                cause),
        peer.flow()::inputClosed,
        connection::inputClosed,
        () -> scheduler().whenIdle(channel::close),
        this::limitRunning);
  }

  /** Cancels the requests, since the other side no longer reads their answers. */
  void hungUp() {
    UserCode.runAll(scheduler()::abandonRequests, this::limitRunning);
  }

  /** Sets the limit {@link Limits#halfCloseTimeout} if handlers are running. */
  private void limitRunning() {
    long time = clock().after(limits().halfCloseTimeout());
    if (time != Clock.NEVER && !scheduler().isIdle()) {
      endAt(time);
    }
  }

  /** Ends everything that belongs to the connection, because the channel has ended. */
  void over(@Nullable Throwable cause) {
    if (!enter(State.OVER)) {
      return; // a channel that failed to start may report its end as well
    }
    UserCode.runAll(
        () -> notifying(
            () -> peer.caller().close(gone(cause), cause),
            scheduler()::abandon,
            connection::endSubscriptions,
            connection::endWaiting,
            () -> connection.options().listener().disconnected(peer, cause),
            () -> complete(cause)),
        this::forgetLimit,
        () -> whenEnded.accept(peer));
  }

  /** Runs actions that call the listener; close() does not wait in them. Throws nothing. */
  void notifying(Runnable... actions) {
    notifying = Thread.currentThread();
    UserCode.runAll(actions);
    notifying = null;
  }

  private void complete(@Nullable Throwable cause) {
    if (cause == null) {
      closed.complete(null);
    } else {
      closed.completeExceptionally(cause);
    }
  }

  private String connectionTo() {
    return "the connection to " + channel.info().other();
  }

  private String gone(@Nullable Throwable why) {
    return connectionTo() + " is gone" + (why == null ? "" : ": " + why.getMessage())
        + afterInput();
  }

  /**
   * Returns the failure to send a call. If the other side has sent unreadable input, the message
   * names it: the write queue, which knows of the end first, does not.
   */
  DisconnectedException explained(DisconnectedException failure) {
    String message = String.valueOf(failure.getMessage());
    String input = afterInput();
    return failure.unsent() != null || message.contains(input)
        ? failure
        : new DisconnectedException(message + input, failure.getCause());
  }

  /** Returns the part of a sentence about the unreadable input; empty if there was none. */
  String afterInput() {
    String input = responder.unreadable();
    return input == null ? "" : " (unreadable input before that: " + input + ")";
  }
}
