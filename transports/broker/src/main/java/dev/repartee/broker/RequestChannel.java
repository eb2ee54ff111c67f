package dev.repartee.broker;

import dev.repartee.ProtocolException;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.reconnect.Outage;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.QueuedBytes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The client side of JSON-RPC over a broker. Each message has a key that its reply repeats; messages
 * that are under way at the same time have no order. The service cannot call this side.
 *
 * <p>A message counts towards {@link Limits#outboundBytes} until the broker has it, an idempotent one
 * until its calls have ended, since it may have to be sent again. If the connection to the broker is
 * lost, idempotent calls are sent again over the next one; all others that were sent fail, since
 * their outcome is unknown. While the broker is unreachable, only idempotent calls wait. The channel
 * continues in any case.
 *
 * <p>If all calls of a message are given up, the workers are asked to cancel it; if it was not sent
 * yet, it never is. A worker may send {@link #WINDOW} bytes before a reply, such as the items of a
 * stream, without a grant, so a stream that nobody reads holds only that much here.
 *
 * <p>Threading: one thread of the channel sends and closes. If it has nothing to do, and the link
 * need not wait, a caller sends its frame itself. Replies are delivered on the threads of the {@link
 * RequestLink}, and after {@link #resume} by the thread of the channel, or by another one while that
 * may block.
 */
public final class RequestChannel implements MessageChannel {
  /*
   * Implementation note.
   *
   * The parts: Transmissions has the messages on their way, Inbox the replies and events until the
   * receiver accepts them, ConnectionState the state that the link reports, LinkThread the thread
   * and the turn to use the link, Failures the reports to the senders.
   *
   * The path of a call:
   *
   *     send --> offer, by the caller --+--> link --> accepted --> replied --> delivered
   *        |                            |      |
   *        +---> send, by the thread ---+      +--> refused --> failed
   *               ^                            |
   *               +---- idempotent calls ------+--> lost --> failed
   *
   * Calls that were cancelled, or have passed their deadline, leave it in ended(). The rest leaves
   * it in end(): the receiver learns of the end and fails all its calls. So no call is left behind.
   *
   * Locking: one lock guards this object and all of its parts. The link, the receiver and the
   * messages are called without it, since they may run user code or wait. Only facts of a message
   * are read under it, which takes no lock. unlock() wakes the thread of the channel if there is
   * something to do: no wake-up is lost.
   */

  /** The number of bytes that a worker may send for a request before its reply. */
  public static final int WINDOW = 256 << 10;

  private final RequestLink link;
  private final ChannelInfo info;
  private final Limits limits;

  /** See {@link RequestLink#offers}. */
  private final boolean offers;

  private final SecretNumbers numbers = new SecretNumbers();
  private final ReentrantLock lock = new ReentrantLock();
  private final QueuedBytes bytes;
  private final Transmissions messages;
  private final ConnectionState connection;
  private final Inbox inbox;
  private final LinkThread thread;
  private final Failures failures;

  /** Completed at the end; then the time limit of {@link #close} ends, too. */
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  // Guarded by the lock.
  private boolean closing;
  private boolean closed;

  /** The reason of the end; null if it is orderly. */
  private @Nullable Throwable cause;

  /**
   * Creates the channel of a link that is connected.
   *
   * @param info describes the broker and the service in messages
   */
  public RequestChannel(RequestLink link, ChannelInfo info, Limits limits) {
    this.link = link;
    this.info = info;
    this.limits = limits;
    this.offers = link.offers();
    this.bytes = new QueuedBytes(limits.outboundBytes(), lock, info.other());
    this.connection = new ConnectionState(info.other());
    this.inbox = new Inbox(lock, limits, info.other(), new Deliveries());
    this.thread = new LinkThread(lock, new Work());
    this.messages = new Transmissions(bytes, link.dropsCopies(), inbox::drop);
    this.failures = new Failures(info.other(), inbox, this);
    link.start(new Events());
  }

  // ---------------------------------------------------------------- the path of a call

  @Override
  public void send(OutgoingMessage outgoing) {
    Transmission message = new Transmission(numbers.nextKey(), outgoing);
    Transmission first;
    lock.lock();
    try {
      bytes.requireOpen();
      if (connection.isUnreachable() && !outgoing.isIdempotent()) {
        throw connection.refusal();
      }
      messages.add(message);
      boolean isAlone = messages.queued() == 1 && connection.isConnected();
      boolean mine = offers && isAlone && thread.tryTurn();
      first = mine ? messages.next() : null; // otherwise the thread of the channel sends it
      if (mine && first == null) {
        thread.release();
      }
    } finally {
      unlock();
    }
    outgoing.onEnd(unwanted -> ended(message, unwanted));
    if (first != null) {
      try {
        offer(first);
      } finally {
        thread.release();
      }
    }
  }

  /** Sends a message on the thread of its caller, if the link need not wait. */
  private void offer(Transmission message) {
    boolean sent;
    try {
      sent = link.offer(message.toRequest());
    } catch (RuntimeException | Error e) {
      change(() -> messages.end(message)); // the caller gets the exception
      throw e;
    }
    if (!sent) {
      change(() -> messages.putBack(message));
    }
  }

  /** Sends the first message of the queue on the thread of the channel. */
  private void send() {
    Transmission message;
    int number;
    lock.lock();
    try {
      message = messages.next();
      number = connection.number();
    } finally {
      unlock();
    }
    if (message != null) {
      try {
        link.send(message.toRequest());
      } catch (DisconnectedException e) {
        notSent(message, number);
      }
    }
  }

  /** Puts a message back that was not sent, because the connection has ended before. */
  private void notSent(Transmission message, int number) {
    DisconnectedException refusal = locked(() -> {
      boolean waits = !connection.isUnreachable() || messages.mayRepeat(message);
      if (waits && messages.putBack(message)) {
        connection.refused(number);
      }
      return !waits && messages.end(message) ? connection.refusal() : null;
    });
    if (refusal != null) {
      failures.failed(message, refusal);
    }
  }

  /** Ends a message for which nobody waits, and asks the workers to cancel it if it was sent. */
  private void ended(Transmission message, boolean unwanted) {
    change(() -> {
      if (!unwanted && !messages.isInFlight(message)) {
        return; // its notifications are to be sent yet
      }
      if (messages.end(message) && unwanted && !message.answered) {
        thread.add(() -> link.cancel(message.key));
      }
    });
  }

  // ---------------------------------------------------------------- the channel

  @Override
  public void start(Receiver receiver) {
    change(() -> inbox.start(receiver));
    thread.start("repartee-" + info.transport());
    resume(); // something may have arrived before
  }

  @Override
  public boolean cancels() {
    return true;
  }

  @Override
  public LongSupplier numbering() {
    return numbers::nextId;
  }

  @Override
  public ChannelInfo info() {
    return info;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return bytes.awaitRoom(time, unit);
  }

  @Override
  public void resume() {
    change(() -> {
      if (!inbox.resume()) {
        return;
      }
      if (thread.mayBlock()) {
        new BrokerThread(inbox::deliver, "repartee-" + info.transport() + "-resume").start();
      } else {
        thread.addFirst(inbox::deliver);
      }
    });
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closing) {
        return;
      }
      closing = true;
      bytes.close(null);
      thread.close();
    } finally {
      unlock();
    }
    Clock.Timer late = TimeLimits.clock(limits)
        .schedule(
            limits.closeTimeout(),
            Threads.CALLS, // the thread of the channel may block
            () -> UserCode.run(() -> abort(null)));
    ended.thenRun(late::cancel);
  }

  @Override
  public void abort(@Nullable Throwable why) {
    shut(why);
    link.close(); // ends a write that blocks
  }

  /** Delivers and sends nothing more; the first cause counts. */
  private void shut(@Nullable Throwable why) {
    change(() -> {
      if (!closed) {
        closed = true;
        cause = why;
        bytes.close(why);
        inbox.close();
        thread.end();
      }
    });
  }

  /** Ends the channel; the last step of its thread. */
  private void end() {
    try {
      link.close();
    } catch (RuntimeException | Error e) {
      shut(e);
    }
    shut(null);
    Receiver to = locked(() -> {
      messages.clear();
      return inbox.end();
    });
    ended.complete(null);
    if (to != null) {
      to.closed(locked(() -> cause));
    }
  }

  /** Releases the lock after a change, and wakes the thread if it has something to do now. */
  private void unlock() {
    try {
      thread.wake();
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
    } finally {
      unlock();
    }
  }

  private <T extends @Nullable Object> T locked(Supplier<T> change) {
    lock.lock();
    try {
      return change.get();
    } finally {
      unlock();
    }
  }

  // ---------------------------------------------------------------- the parts

  /** Receives the events of the link. */
  private final class Events implements RequestLink.Events {
    private final Outage outage = new Outage("the other side", failures::notice);

    @Override
    public void reply(Reply reply) {
      String key = reply.key();
      Transmission message;
      RuntimeException fault;
      lock.lock();
      try {
        message = key == null ? null : messages.find(key);
        if (key != null && (message == null || message.answered)) {
          return; // late, or a duplicate
        }
        fault = inbox.add(reply, message);
        if (fault != null && message != null) {
          messages.end(message);
          String unwanted = message.key;
          thread.add(() -> link.cancel(unwanted));
        }
      } finally {
        unlock();
      }
      if (fault == null) {
        inbox.deliver();
      } else {
        failures.unanswered(message, fault);
      }
    }

    @Override
    public void accepted(String key) {
      lock.lock();
      try {
        Transmission message = messages.find(key);
        if (message != null) {
          messages.accepted(message);
        }
      } finally {
        unlock();
      }
    }

    @Override
    public void refused(String key, String unsent, String reason) {
      unanswered(key, unsent, reason);
    }

    @Override
    public void unanswered(String key, String reason) {
      unanswered(key, null, reason);
    }

    /**
     * Fails a message that gets no reply.
     *
     * @param unsent the reason for which no worker has got it; null if one may have
     */
    private void unanswered(String key, @Nullable String unsent, String reason) {
      Transmission message;
      String certain;
      lock.lock();
      try {
        message = messages.find(key);
        if (message == null || !messages.end(message)) {
          return;
        }
        certain = message.mayHaveRun ? null : unsent; // an earlier copy may, if not the last one
      } finally {
        unlock();
      }
      failures.failed(
          message,
          certain == null
              ? new DisconnectedException(reason, null)
              : DisconnectedException.unsent(reason, certain, null));
    }

    @Override
    public void lost(IOException why) {
      List<Transmission> unknown = locked(() -> {
        connection.lost();
        return messages.lost();
      });
      unknown.forEach(message -> failures.lost(message, why));
      outage.lost(why);
    }

    @Override
    public void unreachable(IOException why) {
      List<Transmission> dropped = locked(() -> {
        connection.unreachable(why);
        return messages.dropUnsendable();
      });
      dropped.forEach(message -> failures.failed(message, connection.refusal(why)));
      outage.failed(why);
    }

    @Override
    public void connected() {
      change(connection::connected);
      outage.connected();
    }

    @Override
    public void event(byte[] body, Runnable done) {
      change(() -> inbox.add(body, done));
      inbox.deliver();
    }

    @Override
    public void violation(String what, @Nullable Throwable why) {
      failures.report(why == null ? what : what + ": " + why.getMessage());
    }
  }

  /** Takes note of deliveries. */
  private final class Deliveries implements Inbox.Owner {
    @Override
    public void delivered(Reply reply, @Nullable Transmission message) {
      if (message == null) {
        return; // its calls were found by their ids, and their end has ended the message
      }
      lock.lock();
      try {
        if (!reply.hasMore()) {
          messages.end(message);
        } else if (message.window().delivered(reply.body().length)) {
          String worker = reply.worker();
          if (worker != null) {
            thread.add(() -> grant(message, worker));
          }
        }
      } finally {
        unlock();
      }
      if (!reply.hasMore() && message.hasWaitingCall()) {
        failures.unanswered(
            message,
            new ProtocolException(
                "a worker of " + info.other() + " has handled the message, but gave no answer"));
      }
    }

    private void grant(Transmission message, String worker) {
      link.grant(worker, message.key, locked(() -> message.window().grant()));
    }

    @Override
    public void delivered(Runnable done) {
      change(() -> thread.add(done));
    }

    @Override
    public void failed(Throwable why) {
      abort(why);
    }

    @Override
    public void paused() {
      thread.wake();
    }
  }

  /** Does the work of the thread. */
  private final class Work implements LinkThread.Work {
    @Override
    public boolean canSend() {
      return connection.isConnected() && messages.queued() > 0;
    }

    @Override
    public void send() {
      RequestChannel.this.send();
    }

    @Override
    public boolean isUnfinished() {
      return messages.isUnfinished() || !inbox.isEmpty();
    }

    @Override
    public void failed(Throwable why) {
      shut(why);
    }

    @Override
    public void end() {
      RequestChannel.this.end();
    }
  }
}
