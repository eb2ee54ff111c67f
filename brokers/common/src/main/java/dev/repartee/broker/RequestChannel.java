package dev.repartee.broker;

import dev.repartee.ProtocolException;
import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.QueuedBytes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The client side of JSON-RPC over a broker. Each frame is a message of its own, with a key that
 * its reply repeats; messages that are under way at the same time have no order. The service cannot
 * call this side.
 *
 * <p>A frame counts towards {@link Limits#outboundBytes} until the broker has it, an idempotent one
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
 * RequestLink}, and by the thread of the channel after {@link #resume}. All fields below the comment
 * "Guarded by the lock" are; neither the link nor the receiver is called with the lock.
 */
public final class RequestChannel implements Channel {
  /** The number of bytes that a worker may send for a request before its reply. */
  public static final int WINDOW = 256 << 10;

  /** The bytes that a frame counts besides its text, for its objects. */
  private static final int OVERHEAD = 256;

  /**
   * The number of messages that are remembered although it is not known whether an answer follows:
   * code that uses the channel without a peer does not mark its calls.
   */
  private static final int UNMARKED = 1_000;

  /**
   * The number of messages that a worker may send for a request before its reply: a message has
   * more bytes than WINDOW / MESSAGES, so an honest worker never reaches it.
   */
  private static final int MESSAGES = WINDOW / 16;

  /**
   * The number of connections that may be lost before the broker has taken an idempotent message:
   * the message may be the cause, such as one that is too large for the broker.
   */
  private static final int TRIES = 3;

  private static final Json VERSION = Json.of("2.0");

  private final RequestLink link;

  /** See {@link RequestLink#offers}. */
  private final boolean offers;

  private final ChannelInfo info;
  private final Limits limits;

  /** The start of the keys of this channel, which nobody else can guess. */
  private final String prefix = UUID.randomUUID() + ".";

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final QueuedBytes bytes;

  // Guarded by the lock.
  private final Deque<Sent> queue = new ArrayDeque<>();

  /** The messages that were sent, by key, oldest first. */
  private final Map<String, Sent> sent = new LinkedHashMap<>();

  /** The steps for the thread that sends, such as grants. */
  private final Queue<Runnable> steps = new ArrayDeque<>();

  /** The replies and events that are not delivered yet, in the order of arrival. */
  private final Queue<Arrival> arrivals = new ArrayDeque<>();

  /** What came for streams that take no more at the moment, in the order of arrival. */
  private final Map<Sent, Queue<Arrival>> held = new LinkedHashMap<>();

  /** The number and the bytes of the replies without a key in {@link #arrivals}. */
  private int keyless;

  private long keylessBytes;

  /** True while a thread delivers. */
  private boolean delivering;

  /** True if the thread that delivers has to look again before it ends. */
  private boolean again;

  /** The number of connections so far, to tell an old failure from a new one. */
  private int connections;

  private boolean connected = true;

  /** True while a thread uses the link: that of the channel, or a caller that sends. */
  private boolean busy;

  /** Why the last attempt to connect again failed; null while none did. */
  private @Nullable IOException fault;

  /** True while given-up calls are to be looked for. */
  private boolean sweep;

  private long keys;
  private int unmarked;
  private volatile @Nullable Receiver receiver;
  private boolean closing;
  private boolean closed;
  private boolean told;
  private volatile @Nullable Throwable cause;

  /** A message from its commit to its end. Fields are guarded by the lock of the channel. */
  private static final class Sent {
    final String key;

    /** The frame; without its text once the broker has it and it cannot be sent again. */
    volatile OutboundFrame frame;

    /** The bytes that count towards the limit. */
    long counted;

    final boolean expectsReply;

    /** Whether the frame has calls, which tell whether they wait; otherwise any reply may come. */
    final boolean hasCalls;

    /** The bytes that arrived before the reply, and that the worker was not granted again. */
    long ungranted;

    /** The bytes that arrived before the reply, and that were not delivered. */
    long held;

    /** The number of messages with these bytes. */
    int heldMessages;

    /** The number of connections that were lost before the broker had taken the message. */
    int losses;

    boolean hasBegun;
    boolean accepted;
    boolean answered;

    Sent(String key, OutboundFrame frame) {
      this.key = key;
      this.frame = frame;
      this.counted = frame.size() + OVERHEAD;
      this.hasCalls = frame.hasCalls();
      this.expectsReply =
          hasCalls || (!frame.isInitiated() || frame.isAwaited()) && !isNotification(frame);
    }

    /** Returns whether a text without known calls is a valid notification, so that no reply comes. */
    private static boolean isNotification(OutboundFrame frame) {
      try {
        Map<String, Json> members = Json.parse(frame.toBytes()).members();
        Json version = members.get("jsonrpc");
        Json method = members.get("method");
        Json params = members.get("params");
        return !members.containsKey("id")
            && version != null
            && version.isSameValue(VERSION)
            && method != null
            && method.kind() == Json.Kind.STRING
            && (params == null
                || params.kind() == Json.Kind.OBJECT
                || params.kind() == Json.Kind.ARRAY);
      } catch (JsonException e) {
        return false; // an array, or no JSON
      }
    }

    /** Keeps the text no longer; returns the bytes that it has counted. */
    long dropText() {
      long before = counted;
      counted = 0;
      frame = frame.withoutText();
      return before;
    }
  }

  /** A frame that is to be delivered: of a reply, or an event. */
  private record Arrival(
      byte[] body,
      @Nullable Sent to,
      @Nullable Reply reply,
      @Nullable Runnable done) {}

  private final RequestLink.Events events = new RequestLink.Events() {
    @Override
    public void reply(Reply reply) {
      replied(reply);
    }

    @Override
    public void accepted(String key) {
      RequestChannel.this.accepted(key);
    }

    @Override
    public void refused(String key, String reason) {
      RequestChannel.this.refused(key, reason);
    }

    @Override
    public void lost(IOException why) {
      RequestChannel.this.lost(why);
    }

    @Override
    public void unreachable(IOException why) {
      RequestChannel.this.unreachable(why);
    }

    @Override
    public void connected() {
      locked(() -> {
        connected = true;
        connections++;
        fault = null;
      });
    }

    @Override
    public void event(byte[] body, Runnable done) {
      locked(() -> arrivals.add(new Arrival(body, null, null, done)));
      deliver();
    }

    @Override
    public void violation(String what, @Nullable Throwable why) {
      report(why == null ? what : what + ": " + why.getMessage());
    }
  };

  /**
   * Creates the channel of a link that is connected.
   *
   * @param info describes the broker and the service in messages
   */
  public RequestChannel(RequestLink link, ChannelInfo info, Limits limits) {
    this.link = link;
    this.offers = link.offers();
    this.info = info;
    this.limits = limits;
    this.bytes = new QueuedBytes(limits.outboundBytes(), lock, info.other());
    link.start(events);
  }

  // ---------------------------------------------------------------- the channel

  @Override
  public void start(Receiver receiver) {
    locked(() -> this.receiver = receiver);
    new BrokerThread(this::run, "repartee-" + info.transport()).start();
  }

  @Override
  public boolean isDuplex() {
    return false;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void commit(OutboundFrame frame) {
    lock.lock();
    try {
      bytes.requireOpen();
      if (!connected && fault != null && !frame.isIdempotent()) {
        throw unreachable();
      }
      Sent message = new Sent(prefix + ++keys, frame);
      queue.add(message);
      bytes.add(message.counted, 0);
      if (!offers || busy || !connected || queue.size() > 1 || !steps.isEmpty()) {
        wake();
        return;
      }
      busy = true;
    } finally {
      lock.unlock();
    }
    try {
      sendFirst(true);
    } finally {
      done();
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return bytes.awaitRoom(time, unit);
  }

  @Override
  public void resume() {
    locked(() -> steps.add(this::deliver));
  }

  @Override
  public boolean endGivenUp() {
    locked(() -> sweep = true);
    return true;
  }

  @Override
  public void close() {
    locked(() -> {
      closing = true;
      sweep = true;
      bytes.close(null);
    });
  }

  @Override
  public void abort(@Nullable Throwable why) {
    locked(() -> {
      if (!closed) {
        closed = true;
        cause = why;
        bytes.close(why);
      }
    });
    link.close(); // ends a write that blocks
  }

  @Override
  public ChannelInfo info() {
    return info;
  }

  /**
   * Wakes the thread that sends if it has something to do: each useless wake-up would delay a call.
   * Called with the lock.
   */
  private void wake() {
    boolean hasWork = sweep || !steps.isEmpty() || connected && !queue.isEmpty();
    if (closed || closing || hasWork && !busy) {
      changed.signal();
    }
  }

  /** Changes the state, and wakes the thread that sends if that gives it something to do. */
  private void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
      wake();
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- the thread that sends

  private void run() {
    try {
      for (Runnable step = next(); step != null; step = next()) {
        try {
          step.run();
        } finally {
          done();
        }
      }
    } catch (RuntimeException | Error e) {
      locked(() -> {
        closed = true;
        cause = e;
        bytes.close(e);
      });
    }
    end();
  }

  /** Ends the use of the link by this thread, and wakes the thread that sends for the rest. */
  private void done() {
    lock.lock();
    try {
      busy = false;
      wake();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the next step of the thread that sends; null at the end of the channel. */
  private @Nullable Runnable next() {
    long deadline = 0;
    lock.lock();
    try {
      while (!closed) {
        if (closing && deadline == 0) {
          deadline = System.nanoTime() + limits.closeTimeout().toNanos();
        }
        Runnable step = busy ? null : step();
        if (step != null) {
          busy = true;
          return step;
        }
        if (closing) {
          long left = deadline - System.nanoTime();
          if (queue.isEmpty() && !isAwaited() || left <= 0) {
            closed = true;
          } else {
            await(left);
          }
        } else {
          changed.awaitUninterruptibly();
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns the next step; null if there is none. Called with the lock. */
  private @Nullable Runnable step() {
    Runnable step = steps.poll();
    if (step != null) {
      return step;
    }
    if (sweep) {
      sweep = false;
      return this::sweep;
    }
    return connected && !queue.isEmpty() ? () -> sendFirst(false) : null;
  }

  private boolean isAwaited() {
    for (Sent message : sent.values()) {
      if (message.hasCalls ? message.frame.isAwaited() : !message.accepted) {
        return true;
      }
    }
    return !arrivals.isEmpty() || !held.isEmpty();
  }

  @SuppressWarnings("WaitNotInLoop") // next() is the loop
  private void await(long nanos) {
    try {
      changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      // Nobody interrupts this thread, except a callback of the user.
    }
  }

  /**
   * Sends the first message of the queue.
   *
   * @param isCaller whether this is the thread of a caller, which must not wait; the message goes
   *     back if it would have to
   */
  private void sendFirst(boolean isCaller) {
    Sent message;
    OutgoingRequest request;
    int connection;
    lock.lock();
    try {
      message = queue.poll();
      if (message == null) {
        return;
      }
      long left = message.frame.timeLeft();
      if (message.frame.isGivenUp() || left <= 0) {
        bytes.remove(message.counted, 0);
        return;
      }
      connection = connections;
      message.accepted = false;
      sent.put(message.key, message);
      if (message.expectsReply && !message.hasCalls && ++unmarked > UNMARKED) {
        forgetUnmarked();
      }
      request = new OutgoingRequest(
          message.key,
          message.frame.toBytes(),
          message.expectsReply,
          left == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)),
          message.frame.isIdempotent(),
          WINDOW);
    } finally {
      lock.unlock();
    }
    if (isCaller) {
      if (!link.offer(request)) {
        putBack(message);
      }
      return;
    }
    try {
      link.send(request);
    } catch (DisconnectedException e) {
      notSent(message, connection);
    }
  }

  private void putBack(Sent message) {
    lock.lock();
    try {
      if (sent.remove(message.key, message)) { // otherwise lost() has dealt with it
        queue.addFirst(message);
      }
    } finally {
      lock.unlock();
    }
  }

  private void forgetUnmarked() {
    for (Sent oldest : sent.values()) {
      if (oldest.expectsReply && !oldest.hasCalls) {
        ended(oldest);
        return;
      }
    }
  }

  /** Puts a message back that was not sent, because the connection has ended before. */
  private void notSent(Sent message, int connection) {
    boolean refuse = false;
    lock.lock();
    try {
      if (sent.remove(message.key, message)) { // otherwise lost() has dealt with it
        if (mayRepeat(message) || fault == null) {
          queue.addFirst(message);
          connected &= connections != connection;
        } else {
          bytes.remove(message.counted, 0);
          refuse = true;
        }
      }
    } finally {
      lock.unlock();
    }
    if (refuse) {
      message.frame.refused(unreachable());
    }
  }

  /** Cancels the messages whose calls were all given up. */
  private void sweep() {
    List<String> cancel = new ArrayList<>();
    lock.lock();
    try {
      for (Sent message : List.copyOf(sent.values())) {
        if (message.hasCalls && message.frame.isGivenUp()) {
          ended(message);
          if (!message.answered) {
            cancel.add(message.key);
          }
        }
      }
      queue.removeIf(message -> {
        boolean drop = message.frame.isGivenUp();
        if (drop) {
          bytes.remove(message.counted, 0);
        }
        return drop;
      });
    } finally {
      lock.unlock();
    }
    cancel.forEach(link::cancel);
  }

  /** Removes a message; called with the lock. */
  private void ended(Sent message) {
    held.remove(message);
    if (sent.remove(message.key, message)) {
      if (message.expectsReply && !message.hasCalls) {
        unmarked--;
      }
      bytes.remove(message.counted, 0);
      wake();
    }
  }

  // ---------------------------------------------------------------- events of the link

  private void accepted(String key) {
    lock.lock();
    try {
      Sent message = sent.get(key);
      if (message != null) {
        message.accepted = true;
        if (!message.expectsReply) {
          ended(message);
        } else if (!message.frame.isIdempotent()) {
          bytes.remove(message.dropText(), 0);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void refused(String key, String reason) {
    Sent message;
    lock.lock();
    try {
      message = sent.get(key);
      if (message == null) {
        return;
      }
      ended(message);
    } finally {
      lock.unlock();
    }
    failed(message, new DisconnectedException(reason, null));
  }

  /** Returns whether a message may be sent again although workers may have it. */
  private boolean mayRepeat(Sent message) {
    return message.frame.isIdempotent() || !message.expectsReply && link.dropsCopies();
  }

  /** Reports to the sender of a message that it has failed; to the listener if nobody waits. */
  private void failed(Sent message, RuntimeException why) {
    if (message.frame.isAwaited()) {
      message.frame.refused(why);
    } else if (!message.hasCalls) {
      report(String.valueOf(why.getMessage()));
    }
  }

  private void lost(IOException why) {
    List<Sent> unknown = new ArrayList<>();
    lock.lock();
    try {
      connected = false;
      fault = null;
      List<Sent> again = new ArrayList<>();
      for (Sent message : List.copyOf(sent.values())) {
        if (message.answered) {
          continue; // the reply has arrived, and is to be delivered
        }
        sent.remove(message.key);
        if (!message.accepted) {
          message.losses++;
        }
        if (mayRepeat(message) && !message.hasBegun && message.losses < TRIES) {
          again.add(message);
        } else {
          held.remove(message);
          if (message.expectsReply && !message.hasCalls) {
            unmarked--;
          }
          bytes.remove(message.counted, 0);
          unknown.add(message);
        }
      }
      for (int i = again.size() - 1; i >= 0; i--) {
        queue.addFirst(again.get(i));
      }
      wake();
    } finally {
      lock.unlock();
    }
    for (Sent message : unknown) {
      failed(
          message,
          new DisconnectedException(
              "the connection to " + info.other() + " was lost before the answer: "
                  + why.getMessage() + "; the outcome is unknown: the message may have been"
                  + " handled"
                  + (message.losses < TRIES
                      ? ""
                      : "; it is not sent again, since " + TRIES + " connections were lost before"
                          + " the broker had taken it"),
              why));
    }
  }

  private void unreachable(IOException why) {
    List<Sent> refused = new ArrayList<>();
    lock.lock();
    try {
      connected = false;
      fault = why;
      queue.removeIf(message -> {
        boolean drop = !mayRepeat(message);
        if (drop) {
          refused.add(message);
          bytes.remove(message.counted, 0);
        }
        return drop;
      });
      wake();
    } finally {
      lock.unlock();
    }
    refused.forEach(message -> failed(message, unreachable()));
  }

  private DisconnectedException unreachable() {
    IOException why;
    lock.lock();
    try {
      why = fault;
    } finally {
      lock.unlock();
    }
    return new DisconnectedException(
        "the message was not sent, because " + info.other() + " is unreachable"
            + (why == null ? "" : ": " + why.getMessage()) + "; the connection is tried again",
        why);
  }

  // ---------------------------------------------------------------- replies

  private void replied(Reply reply) {
    RuntimeException fault = null;
    Sent message = null;
    lock.lock();
    try {
      String key = reply.key();
      message = key == null ? null : sent.get(key);
      if (key != null && (message == null || message.answered)) {
        return; // late, or a duplicate
      }
      if (reply.body().length >= limits.frameBytes()) {
        fault = new LimitException("frameBytes", limits.frameBytes());
      } else if (message != null && reply.hasMore()) {
        message.hasBegun = true;
        message.held += reply.body().length;
        message.heldMessages++;
        if (message.held > WINDOW + (long) limits.frameBytes() || message.heldMessages > MESSAGES) {
          fault = new ProtocolException("a worker of " + info.other()
              + " has sent more before its reply than the " + WINDOW + " bytes that it may");
        }
      } else if (message != null) {
        message.answered = true;
      } else if (keyless > 0
          && (keyless >= limits.queuedMessages()
              || keylessBytes + reply.body().length > limits.queuedBytes())) {
        fault = keyless >= limits.queuedMessages()
            ? new LimitException("queuedMessages", limits.queuedMessages())
            : new LimitException("queuedBytes", limits.queuedBytes());
      } else {
        keyless++;
        keylessBytes += reply.body().length;
      }
      if (fault == null) {
        arrivals.add(new Arrival(reply.body(), message, reply, null));
      } else if (message != null) {
        ended(message);
      }
    } finally {
      lock.unlock();
    }
    if (fault == null) {
      deliver();
    } else if (message != null) {
      String key = message.key;
      locked(() -> steps.add(() -> link.cancel(key)));
      message.frame.unanswered(fault);
    } else {
      report(String.valueOf(fault.getMessage()));
    }
  }

  /** Delivers the arrivals that the receiver accepts now. One thread at a time does so. */
  private void deliver() {
    lock.lock();
    try {
      again = true;
      if (delivering || receiver == null || told) {
        return;
      }
      delivering = true;
    } finally {
      lock.unlock();
    }
    try {
      while (goesOn()) {
        for (Sent stream : held()) {
          for (Arrival next = nextOf(stream); next != null; next = nextOf(stream)) {
            deliver(next);
          }
        }
        for (Arrival next = arrival(); next != null; next = arrival()) {
          deliver(next);
        }
      }
    } catch (RuntimeException | Error e) {
      locked(() -> delivering = false);
      abort(e);
    }
  }

  /** Returns whether something has changed since the last look; if not, ends the delivery. */
  private boolean goesOn() {
    lock.lock();
    try {
      boolean look = again && !closed;
      again = false;
      delivering = look;
      wake(); // the end of the channel may wait for it
      return look;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the messages for whose streams something is held. */
  private List<Sent> held() {
    lock.lock();
    try {
      return held.isEmpty() ? List.of() : List.copyOf(held.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns what is held for a stream if it takes that now; null if not. */
  private @Nullable Arrival nextOf(Sent stream) {
    if (!isReady() || !stream.frame.takesItems()) {
      return null;
    }
    lock.lock();
    try {
      Queue<Arrival> waiting = held.get(stream);
      Arrival next = waiting == null || closed ? null : waiting.poll();
      if (waiting != null && waiting.isEmpty()) {
        held.remove(stream);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes and returns the next arrival that is accepted; null if there is none. The items of a
   * stream wait for its subscriber, in order, and nothing else waits for them.
   */
  private @Nullable Arrival arrival() {
    while (isReady()) {
      Arrival next = first();
      if (next == null) {
        return null;
      }
      Sent to = next.to;
      if (to == null || !isHeld(to) && to.frame.takesItems()) {
        return next;
      }
      hold(to, next);
    }
    return null;
  }

  private boolean isReady() {
    Receiver to = receiver;
    return to != null && to.ready();
  }

  private @Nullable Arrival first() {
    lock.lock();
    try {
      Arrival first = closed ? null : arrivals.poll();
      if (first != null && first.to == null && first.reply != null) {
        keyless--;
        keylessBytes -= first.body.length;
      }
      return first;
    } finally {
      lock.unlock();
    }
  }

  private boolean isHeld(Sent stream) {
    lock.lock();
    try {
      return held.containsKey(stream);
    } finally {
      lock.unlock();
    }
  }

  private void hold(Sent stream, Arrival arrival) {
    locked(() -> {
      if (sent.get(stream.key) == stream) { // otherwise it has ended, and nobody waits
        held.computeIfAbsent(stream, any -> new ArrayDeque<>()).add(arrival);
      }
    });
  }

  private void deliver(Arrival arrival) {
    Receiver to = receiver;
    byte[] body = arrival.body;
    if (body.length > 0 && to != null) {
      to.frame(body, 0, body.length);
    }
    Runnable done = arrival.done;
    if (done != null) {
      locked(() -> steps.add(done));
    }
    Reply reply = arrival.reply;
    if (reply != null) {
      delivered(reply, arrival.to);
    }
  }

  private void delivered(Reply reply, @Nullable Sent message) {
    if (message == null) {
      endAnswered();
    } else if (reply.hasMore()) {
      grant(reply, message);
    } else {
      locked(() -> ended(message));
      if (message.frame.isAwaited()) {
        message.frame.unanswered(new ProtocolException(
            "a worker of " + info.other() + " has handled the message, but gave no answer"));
      }
    }
  }

  /** Ends the messages that a reply without a key has answered. */
  private void endAnswered() {
    locked(() -> {
      for (Sent each : List.copyOf(sent.values())) {
        if (each.hasCalls && !each.frame.isAwaited()) {
          ended(each);
        }
      }
    });
  }

  private void grant(Reply reply, Sent message) {
    String worker = reply.worker();
    locked(() -> {
      message.held -= reply.body().length;
      message.heldMessages--;
      message.ungranted += reply.body().length;
      if (message.ungranted >= WINDOW / 2 && worker != null) {
        long granted = message.ungranted;
        message.ungranted = 0;
        steps.add(() -> link.grant(worker, message.key, granted));
      }
    });
  }

  private void report(String what) {
    Receiver to = receiver;
    if (to != null) {
      to.violation(what);
    }
  }

  // ---------------------------------------------------------------- the end

  private void end() {
    List<String> cancel = new ArrayList<>();
    locked(() -> {
      for (Sent message : sent.values()) {
        if (message.hasCalls && !message.answered) {
          cancel.add(message.key);
        }
      }
    });
    if (cause == null) {
      cancel.forEach(link::cancel);
    }
    link.close();
    Receiver to;
    lock.lock();
    try {
      closed = true;
      bytes.close(null);
      sent.clear();
      queue.clear();
      while (delivering) { // the receiver is called by one thread at a time
        changed.awaitUninterruptibly();
      }
      told = true;
      arrivals.clear();
      held.clear();
      to = receiver;
    } finally {
      lock.unlock();
    }
    if (to != null) {
      to.closed(cause);
    }
  }
}
