package dev.repartee.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.Principal;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.BorrowedReader;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Printable;
import dev.repartee.internal.Threads;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.server.MessageBuffer;
import jakarta.websocket.CloseReason;
import jakarta.websocket.CloseReason.CloseCodes;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.PongMessage;
import jakarta.websocket.SendHandler;
import jakarta.websocket.SendResult;
import jakarta.websocket.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket that the container has accepted.
 *
 * <p><b>Input.</b> The container delivers the parts of messages on one thread at a time. While the
 * receiver is not ready, that thread waits here, and the container reads no more of the socket. The
 * lock guards the turn of the receiver, which one thread uses at a time: the thread that delivers,
 * or the one that reports the end. If the connection ends during a delivery, the delivering thread
 * reports the end afterwards.
 *
 * <p><b>Output.</b> One message at a time is with the container, which calls back when the socket
 * has accepted it. Any thread may call {@link #pump}; one of them sends, and repeats that for the
 * others ({@code pumping} counts the calls). Only this thread uses the remote endpoint of the
 * session, except for the end.
 *
 * <p><b>End.</b> The container answers the close frame of the client itself. The calls of the
 * client are therefore cancelled then, while {@code repartee-netty} still answers them. The API
 * has no way to close a socket without a close frame; a container waits up to 20 s for its place
 * behind unread output. The receiver is notified before, and the queue released.
 *
 * <p>A message is text or binary, as in the last message of the client. Progress within a message
 * that is sent is not visible: {@code drainTimeout} is the time for one message.
 */
final class ServletSocket extends Endpoint implements Channel, TimeLimits.Connection {
  private static final CloseReason NORMAL = new CloseReason(CloseCodes.NORMAL_CLOSURE, "");
  private static final CloseReason AWAY = new CloseReason(CloseCodes.GOING_AWAY, "");
  private static final CloseReason FAILED = new CloseReason(CloseCodes.UNEXPECTED_CONDITION, "");

  private final Limits limits;
  private final Attributes attributes;
  private final ChannelInfo info;
  private final SocketOwner owner;
  private final FrameQueue<OutboundFrame> writeQueue;
  private final MessageBuffer message;
  private final TimeLimits times;
  private @Nullable Session session; // set before other threads see this object

  // ---- input
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Receiver receiver; // guarded by the lock
  private boolean busy; // guarded by the lock: a thread uses the receiver
  private boolean woken; // guarded by the lock
  private volatile boolean over; // written under the lock: the end is due, or was reported
  private boolean told; // guarded by the lock
  private @Nullable Throwable cause; // guarded by the lock

  /** The first half of a pair of surrogates that the container has split; used by the reader. */
  private String half = "";

  private volatile boolean waiting;
  private volatile boolean answersBinary;
  private volatile long received;
  private volatile long receivedOfMessages;
  private volatile int held;

  // ---- output
  private final AtomicInteger pumping = new AtomicInteger();

  /** The frame that the container has, until the socket has accepted it; null if there is none. */
  private final AtomicReference<@Nullable OutboundFrame> leaving = new AtomicReference<>();

  private volatile long sent;
  private volatile boolean pingDue;

  /** True while a thread sends a ping, which blocks if the client does not read. */
  private volatile boolean pinging;

  private volatile CloseReason closeReason = NORMAL;
  private volatile Clock.@Nullable Timer check;

  /**
   * Creates the channel of a handshake.
   *
   * @param owner is notified when the WebSocket is open, and of its end
   */
  ServletSocket(Limits limits, Attributes attributes, ChannelInfo info, SocketOwner owner) {
    this.limits = limits;
    this.attributes = attributes;
    this.info = info;
    this.owner = owner;
    this.writeQueue = FrameQueue.served(limits.outboundBytes(), info.remote());
    this.message = new MessageBuffer(limits.frameBytes());
    this.times = new TimeLimits(limits, this);
  }

  @Override
  public Attributes attributes() {
    return attributes;
  }

  @Override
  public ChannelInfo info() {
    return info;
  }

  // ---------------------------------------------------------------- events of the container

  @Override
  public void onOpen(Session opened, EndpointConfig config) {
    session = opened;
    opened.setMaxIdleTimeout(0); // the limits of this endpoint hold
    opened.addMessageHandler(String.class, new MessageHandler.Partial<String>() {
      @Override
      public void onMessage(String part, boolean last) {
        text(part, last);
      }
    });
    opened.addMessageHandler(ByteBuffer.class, new MessageHandler.Partial<ByteBuffer>() {
      @Override
      public void onMessage(ByteBuffer part, boolean last) {
        part(part, last, true);
      }
    });
    opened.addMessageHandler(
        PongMessage.class, pong -> received += pong.getApplicationData().remaining() + 6L);
    schedule();
    try {
      if (!owner.opened(this)) {
        refuse(CloseCodes.TRY_AGAIN_LATER, ServletListening.CROWDED);
      }
    } catch (RuntimeException e) {
      abort(e);
    }
  }

  private Session session() {
    Session opened = session;
    if (opened == null) {
      throw new IllegalStateException("the handshake is not over");
    }
    return opened;
  }

  @Override
  public void onClose(Session closed, CloseReason reason) {
    int status = reason.getCloseCode().getCode();
    String said = reason.getReasonPhrase();
    if (status == CloseCodes.CLOSED_ABNORMALLY.getCode()) {
      end(lost(new IOException("it ended without a closing handshake")));
    } else if (status == CloseCodes.NORMAL_CLOSURE.getCode()
        || status == CloseCodes.GOING_AWAY.getCode()
        || status == CloseCodes.NO_STATUS_CODE.getCode()) {
      end(null);
    } else {
      end(closedWith(status, said == null ? "" : Printable.text(said)));
    }
  }

  @Override
  public void onError(Session failed, Throwable failure) {
    end(failure instanceof IOException ? lost(failure) : failure);
  }

  private IOException lost(Throwable why) {
    String reason = why.getMessage();
    return new IOException(
        "the connection to " + info.remote() + " was lost: " + (reason == null ? why : reason),
        why);
  }

  private IOException closedWith(int status, String what) {
    return new IOException("the connection to " + info.remote() + " was closed with status "
        + status + (what.isEmpty() ? "" : ": " + what));
  }

  // ---------------------------------------------------------------- input

  private void text(String part, boolean last) {
    String text = half + part;
    int end = text.length();
    boolean split = !last && end > 0 && Character.isHighSurrogate(text.charAt(end - 1));
    half = split ? text.substring(end - 1) : "";
    part(ByteBuffer.wrap(text.substring(0, split ? end - 1 : end).getBytes(UTF_8)), last, false);
  }

  private void part(ByteBuffer part, boolean last, boolean binary) {
    Receiver to = begin();
    if (to != null) {
      try {
        collect(to, part, last, binary);
      } finally {
        finish(true);
      }
    }
  }

  private void collect(Receiver to, ByteBuffer part, boolean last, boolean binary) {
    received += part.remaining();
    receivedOfMessages += part.remaining();
    if (writeQueue.isClosed()) {
      // This side has closed the connection.
    } else if (!message.append(part)) {
      refuse(message.isCrowded());
    } else if (last && binary && !message.isUtf8()) {
      refuse(CloseCodes.NOT_CONSISTENT, "a message was not UTF-8");
    } else if (!last) {
      held = message.held();
      return;
    } else if (awaitReady(to)) {
      answersBinary = binary;
      BorrowedReader.run(() -> to.frame(message.bytes, 0, message.size));
    }
    message.clear();
    held = 0;
  }

  /** Begins the use of the receiver and the message; returns null if the connection is over. */
  private @Nullable Receiver begin() {
    lock.lock();
    try {
      Receiver to = over ? null : receiver;
      busy = to != null;
      return to;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the receiver is ready; returns false if the connection is over. */
  private boolean awaitReady(Receiver to) {
    while (true) {
      lock.lock();
      try {
        woken = false;
      } finally {
        lock.unlock();
      }
      if (to.ready()) {
        return true;
      }
      waiting = true;
      lock.lock();
      try {
        while (!woken && !over) {
          changed.awaitUninterruptibly();
        }
        if (over) {
          return false;
        }
      } finally {
        lock.unlock();
        waiting = false;
      }
    }
  }

  @Override
  public void start(Receiver starting) {
    lock.lock();
    try {
      receiver = starting;
    } finally {
      lock.unlock();
    }
    finish(false);
  }

  @Override
  public void resume() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void refuse(boolean crowded) {
    if (crowded) {
      refuse(
          CloseCodes.TRY_AGAIN_LATER,
          "all connections together hold as much as they may, the limit heldBytes");
    } else {
      refuse(CloseCodes.TOO_BIG, "a message passed the limit frameBytes");
    }
  }

  /** Ends the connection, because the client broke a limit, after the queued output. */
  private void refuse(CloseCodes status, String what) {
    closeReason = new CloseReason(status, what);
    IOException broken = closedWith(status.getCode(), what);
    lock.lock();
    try {
      cause = cause == null ? broken : cause;
    } finally {
      lock.unlock();
    }
    writeQueue.close(broken);
    pump();
  }

  // ---------------------------------------------------------------- output

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void commit(OutboundFrame frame) {
    boolean mine;
    try {
      mine = writeQueue.append(frame);
    } catch (LimitException e) {
      abort(e);
      throw new DisconnectedException("the connection was cut off", e);
    }
    if (mine) {
      pump();
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return writeQueue.awaitRoom(time, unit);
  }

  @Override
  public boolean takesAnswers() {
    return writeQueue.takesReplies();
  }

  /** Sends what is due, unless the container still has a message. */
  private void pump() {
    if (pumping.getAndIncrement() == 0) {
      int calls = 1;
      do {
        step();
        calls = pumping.addAndGet(-calls);
      } while (calls != 0);
    }
  }

  private void step() {
    if (isSending()) {
      return;
    }
    try {
      if (pingDue) {
        pingDue = false;
        sendPing();
      }
      OutboundFrame frame = writeQueue.next();
      if (frame != null) {
        leaving.set(frame);
        send(frame, this::sent);
      } else if (writeQueue.isDrained()) {
        end(null);
      }
    } catch (IOException | RuntimeException e) {
      end(lost(e)); // the session is closed
      left();
    }
  }

  private void sendPing() throws IOException {
    pinging = true;
    try {
      session().getBasicRemote().sendPing(ByteBuffer.allocate(0));
      sent++;
    } finally {
      pinging = false;
    }
  }

  private boolean isSending() {
    return leaving.get() != null;
  }

  /** Releases the frame that the container has; returns whether the queue has room again. */
  private boolean left() {
    OutboundFrame frame = leaving.getAndSet(null);
    return frame != null && writeQueue.left(frame);
  }

  private void send(OutboundFrame frame, SendHandler handler) {
    if (answersBinary) {
      session()
          .getAsyncRemote()
          .sendBinary(ByteBuffer.wrap(frame.array(), 0, frame.size()), handler);
    } else {
      session()
          .getAsyncRemote()
          .sendText(new String(frame.array(), 0, frame.size(), UTF_8), handler);
    }
  }

  private void sent(SendResult result) {
    sent++;
    boolean roomAgain = left();
    if (!result.isOK()) {
      Throwable failure = result.getException();
      end(lost(failure == null ? new IOException("a message could not be sent") : failure));
      return;
    }
    if (roomAgain) {
      Receiver to = untold();
      if (to != null) {
        to.roomAgain();
      }
      resume();
    }
    pump();
  }

  // ---------------------------------------------------------------- time limits

  private void schedule() {
    check =
        TimeLimits.clock(limits).schedule(TimeLimits.period(limits), Threads.CALLS, this::check);
  }

  private void check() {
    TimeLimits.Limit passed = times.passed();
    if (passed != null) {
      end(passed.reason(info.other(), limits));
    } else if (!over) { // also before start, which a busy machine may delay
      schedule();
    }
  }

  @Override
  public boolean isMessageDue() {
    return held > 0 && isReading();
  }

  @Override
  public int held() {
    return held;
  }

  @Override
  public long received() {
    return received;
  }

  @Override
  public long receivedOfMessages() {
    return receivedOfMessages;
  }

  @Override
  public boolean isReading() {
    return !waiting;
  }

  @Override
  public boolean ping() {
    pingDue = true;
    Threads.start(Threads.CALLS, this::pump); // the time limits must hold while it blocks
    return true;
  }

  @Override
  public boolean isIdle() {
    return isReading() && unread() == null;
  }

  @Override
  public @Nullable Object unread() {
    return isSending() || pinging ? sent : null;
  }

  // ---------------------------------------------------------------- the end

  @Override
  public void close() {
    Principal caller = attributes.get(Principal.KEY);
    if (caller != null && caller.hasExpired()) {
      closeReason = new CloseReason(CloseCodes.VIOLATED_POLICY, Principal.EXPIRED);
    } else if (closeReason == NORMAL && owner.isClosing()) {
      closeReason = AWAY;
    }
    writeQueue.close(null);
    pump();
  }

  @Override
  public void abort(@Nullable Throwable why) {
    end(why);
  }

  /** Ends the connection on another thread: the end runs code of users, and may block. */
  private void end(@Nullable Throwable why) {
    Throwable reason;
    lock.lock();
    try {
      if (over) {
        return;
      }
      over = true;
      cause = cause == null ? why : cause;
      reason = cause;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    writeQueue.abort(reason);
    left(); // the container may have no more use for its callback
    Clock.Timer timer = check;
    if (timer != null) {
      timer.cancel();
    }
    boolean failed = reason != null && (closeReason == NORMAL || closeReason == AWAY);
    Threads.start(Threads.CALLS, () -> ended(failed ? FAILED : closeReason));
  }

  private void ended(CloseReason reason) {
    finish(false);
    owner.ended();
    Session opened = session;
    if (opened != null) {
      try {
        // Jetty would otherwise wait without a limit for a client that does not read.
        opened.setMaxIdleTimeout(limits.drainTimeout().toMillis());
        opened.close(reason);
      } catch (IOException | RuntimeException e) {
        // It is closed already.
      }
    }
  }

  /** Returns the receiver, unless the end was reported to it. */
  private @Nullable Receiver untold() {
    lock.lock();
    try {
      return told ? null : receiver;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports the end if it is due, nobody uses the receiver, and it was not reported before. Drops
   * the message that has not arrived completely.
   *
   * @param delivered whether the calling thread has used the receiver
   */
  private void finish(boolean delivered) {
    Receiver to = null;
    Throwable why;
    lock.lock();
    try {
      busy &= !delivered;
      why = cause;
      if (over && !busy) {
        message.clear();
      }
      if (over && !busy && !told) {
        to = receiver;
        told = to != null;
      }
    } finally {
      lock.unlock();
    }
    if (to != null) {
      to.closed(why);
    }
  }
}
