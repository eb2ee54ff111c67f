package dev.repartee;

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
 * One end of a connection: serves the other end's calls and makes its own, both at once.
 *
 * <p>Thread-safe; any number of calls may wait at once, and their answers may come in any order. A
 * peer is closed by whoever opened it, and when the other side ends the connection. A handler may call
 * back through {@link Call#peer()} and wait for the answer, unless
 * it runs inline.
 */
public final class Peer implements AutoCloseable {
  /** The time that what was sent last gets to leave, however short the limit of a close. */
  static final Duration FLUSH_TIME = Duration.ofSeconds(1);

  private final Channel channel;
  private final Options options;
  private final Responder responder;
  private final Caller caller;
  private final boolean answersFaults;
  private volatile Consumer<Peer> ended = peer -> {};
  private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
  private @Nullable Runnable inputEnd; // guarded by closed
  private boolean inputEnded; // guarded by closed
  private @Nullable Deadline deadline; // guarded by closed
  private boolean closing; // guarded by closed
  private boolean over; // guarded by closed

  /** The thread that tells the listener of the start or the end, which must not be waited for. */
  private volatile @Nullable Thread telling;

  private Peer(Channel channel, Serving serving, boolean answersFaults) {
    this.channel = channel;
    this.options = serving.options();
    this.responder = new Responder(serving, channel, this);
    this.caller = new Caller(channel, options, responder.lanes()::readOn);
    this.answersFaults = answersFaults;
  }

  /**
   * Starts a peer on a channel of your own, which must not have been started. With an empty service it
   * is a pure client, which does not answer input that it cannot read.
   */
  public static Peer open(Channel channel, Service service, Options options) {
    return open(channel, new Serving(service, options), !service.methods().isEmpty());
  }

  /**
   * @param answersFaults whether unreadable input is answered: a pure client stays silent, since what
   *     it cannot read is no request
   */
  static Peer open(Channel channel, Serving serving, boolean answersFaults) {
    Peer peer = new Peer(channel, serving, answersFaults);
    peer.telling = Thread.currentThread();
    Foreign.run(() -> serving.options().listener().connected(peer));
    peer.telling = null;
    Inlet inlet = peer.new Inlet();
    try {
      channel.start(inlet);
    } catch (RuntimeException | Error e) { // it got no thread, for example
      channel.abort(e);
      inlet.closed(e);
      throw e;
    }
    return peer;
  }

  /**
   * Calls a method with arguments by position and waits for its result, for {@link
   * Limits#callTimeout} at most.
   *
   * @throws RpcException if the other side answers an error
   * @throws CallTimeoutException if no answer comes in time
   * @throws DisconnectedException if the connection ends, or has ended
   * @throws JsonException if the result does not fit the type
   * @throws ProtocolException if the answer is no response
   * @throws LimitException if too many calls wait already, or the request is too large
   */
  public <T> T call(String method, Class<T> result, @Nullable Object... args) {
    return request(method).args(args).call(result);
  }

  /**
   * Calls a method with arguments by position, without waiting for the answer; see {@link CallFuture}
   * for what may come of it. Waits only while the other side does not read what was sent before, for
   * {@link Limits#drainTimeout} at most, and not at all on a thread that reads.
   *
   * @throws DisconnectedException if the connection has ended
   * @throws LimitException if too many calls wait already, the request is too large, or the other side
   *     does not read
   * @throws IllegalArgumentException if an argument cannot be written as JSON
   */
  public <T> CallFuture<T> callAsync(String method, Class<T> result, @Nullable Object... args) {
    return request(method).args(args).send(result);
  }

  /**
   * Sends a notification with arguments by position: nothing tells whether it was heard. Waits while
   * the other side does not read what was sent before.
   *
   * @throws DisconnectedException if the connection has ended
   * @throws LimitException if it is too large, or the other side does not read
   */
  public void notify(String method, @Nullable Object... args) {
    request(method).args(args).sendNotification();
  }

  /** Starts a call that has more to say: arguments by name, a time-out, progress. Sends nothing yet. */
  public Invocation request(String method) {
    return new Invocation(this, method);
  }

  /** Starts a batch (JSON-RPC 2.0 section 6). Sends nothing yet. */
  public Batch batch() {
    return new Batch(this);
  }

  /**
   * The other side's methods as those of an interface; see {@link Rpc} and {@link Param}. A method
   * that returns a {@link CallFuture}, {@code CompletableFuture} or {@code CompletionStage} does not
   * wait, any other fails as {@link #call} does. Default methods run here, on the caller's thread;
   * {@code close()} of an {@code AutoCloseable} closes this peer. Making a proxy reflects: make it
   * once.
   *
   * @throws IllegalArgumentException if a method cannot be called so; the sentence names it
   */
  public <T> T proxy(Class<T> type) {
    return Proxies.create(this, type);
  }

  <T extends @Nullable Object> CallFuture<T> send(Invocation call, JsonType<T> type) {
    return caller.send(call, type, this);
  }

  void sendNotification(Invocation call) {
    caller.sendNotification(call, this);
  }

  /** The channel it stands on. */
  public ChannelInfo channel() {
    return channel.info();
  }

  /**
   * Completes when the connection has ended: with null after an orderly end, else exceptionally with
   * the cause. What depends on it without an executor runs on a thread of the channel and must not
   * block.
   */
  public CompletionStage<@Nullable Void> closed() {
    return closed.minimalCompletionStage();
  }

  /**
   * Tells that of the end, on a thread of the channel, after {@link #isOpen} has become false; nothing
   * if it had ended before. A stage would weigh more.
   */
  void whenEnded(Consumer<Peer> ended) {
    this.ended = ended;
  }

  /**
   * Runs that when the other side has nothing more to say, though it may still wait for answers; now if
   * that is so. What runs for it is waited for then, for {@link Limits#halfCloseTimeout} at most: calls
   * that have no end of their own should end. The
   * last action that was given counts. It runs on a thread that reads, so it must not block.
   */
  public void onInputEnd(Runnable action) {
    synchronized (closed) {
      if (!inputEnded) {
        inputEnd = action;
        return;
      }
    }
    action.run();
  }

  private void inputEnded() {
    Runnable action;
    synchronized (closed) {
      inputEnded = true;
      action = inputEnd;
      inputEnd = null;
    }
    if (action != null) {
      Foreign.run(action);
    }
  }

  /** Whether the connection has not ended yet. */
  public boolean isOpen() {
    return !closed.isDone();
  }

  Caller caller() {
    return caller;
  }

  /** Ends the connection, as a message that came on it cannot be taken in. */
  void cutOff(LimitException cause) {
    channel.abort(cause);
  }

  boolean answersFaults() {
    return answersFaults;
  }

  // ---------------------------------------------------------------- closing

  /** Closes as {@link #close(Duration)} does, within {@link Limits#closeTimeout}. */
  @Override
  public void close() {
    close(options.limits().closeTimeout());
  }

  /**
   * Refuses new calls of the other side, lets those that run finish for that long at most, then fails
   * our own calls that still wait, sends what is left to send and ends the connection. Waits for that,
   * but not where that would be to wait for itself: on a thread that reads a channel or runs a handler of
   * this connection, and in {@link Listener#connected} and {@link Listener#disconnected}. There it only
   * starts the closing, which keeps to the limit all the same.
   */
  public void close(Duration limit) {
    startClosing();
    if (ReadingThread.isCurrent() || isInUseHere()) {
      endAfter(limit);
    } else {
      finishClosing(List.of(this), limit);
    }
  }

  /** Whether the calling thread runs a handler of this connection, or tells a listener of it. */
  boolean isInUseHere() {
    return telling == Thread.currentThread() || responder.lanes().isRunHere();
  }

  /** Cancels running handlers after that time and ends the connection. Does not wait for it. */
  void endAfter(Duration limit) {
    endAt(Sweeper.now() + Limits.nanos(limit));
  }

  /** Does so at that time; the earliest that was given counts. */
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
      }
    }
  }

  /** Closes as soon as nothing runs any more; does not wait for it. */
  void startClosing() {
    synchronized (closed) {
      if (closing) {
        return; // handlers may close their connection any number of times before it is idle
      }
      closing = true;
    }
    responder.closing();
    responder.lanes().whenIdle(this::end);
  }

  /** Waits until all have ended, for that long; then tells what still runs to stop, and ends them. */
  static void finishClosing(Collection<Peer> peers, Duration limit) {
    long deadline = System.nanoTime() + Limits.nanos(limit);
    try {
      for (Peer peer : peers) {
        peer.awaitClosed(deadline);
      }
      for (Peer peer : peers) {
        if (peer.isOpen()) {
          peer.responder.lanes().abandon();
          peer.end();
        }
      }
      long flushed = System.nanoTime() + FLUSH_TIME.toNanos();
      for (Peer peer : peers) {
        peer.awaitClosed(flushed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Peer peer : peers) {
      if (peer.isOpen()) {
        peer.channel.abort(null);
      }
    }
  }

  private void awaitClosed(long deadline) throws InterruptedException {
    try {
      closed.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // Either it has ended, if not in order, or whoever waits looks again.
    }
  }

  private void end() {
    caller.close("the connection to " + channel.info().other() + " was closed by this side", null);
    channel.close();
  }

  @Override
  public String toString() {
    return "Peer[" + channel.info() + "]";
  }

  /** What the channel delivers to. */
  private final class Inlet implements Receiver {
    private final BooleanSupplier awaitsAnswers = () -> caller.pending() > 0;

    @Override
    public void burstBegins() {
      responder.lanes().beginBurst();
    }

    @Override
    public void burstEnds() {
      responder.lanes().endBurst();
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      return responder.accept(bytes, from, to);
    }

    @Override
    public void fault(FrameFault fault) {
      responder.refuse(fault.error(), fault.reason());
    }

    @Override
    public boolean ready() {
      try {
        return !responder.lanes().isFull(awaitsAnswers);
      } catch (LimitException e) {
        cutOff(e);
        return false;
      }
    }

    @Override
    public void inputEnded() {
      inputEnded("the other side has ended the connection to " + channel.info().other(), null);
    }

    @Override
    public void inputEnded(Throwable why) {
      inputEnded(gone(why), why);
    }

    private String gone(Throwable why) {
      return "the connection to " + channel.info().other() + " is gone: " + why.getMessage();
    }

    /** The peer may still read: its calls are answered, if they finish in time. */
    private void inputEnded(String why, @Nullable Throwable cause) {
      caller.close(why, cause);
      Peer.this.inputEnded();
      responder.lanes().whenIdle(channel::close);
      limitTheRest();
    }

    @Override
    public void hungUp() {
      responder.lanes().abandonRequests();
      limitTheRest();
    }

    /** Starts the time limit of the running handlers. */
    private void limitTheRest() {
      long due = Sweeper.after(options.limits().halfCloseTimeout());
      if (due != Sweeper.NEVER && !responder.lanes().isIdle()) {
        endAt(due);
      }
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      synchronized (closed) {
        if (over) {
          return; // a channel that failed to start may tell its end, too
        }
        over = true;
      }
      telling = Thread.currentThread();
      caller.close(
          cause == null ? "the connection to " + channel.info().other() + " is gone" : gone(cause),
          cause);
      responder.lanes().abandon();
      Foreign.run(() -> options.listener().disconnected(Peer.this, cause));
      if (cause == null) {
        closed.complete(null);
      } else {
        closed.completeExceptionally(cause);
      }
      telling = null;
      forgetDeadline();
      ended.accept(Peer.this);
    }
  }

  /** A time at which the connection ends, even if handlers still run. */
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
    public long sweep(long now) {
      responder.lanes().abandon();
      end();
      return Sweeper.NEVER;
    }
  }
}
