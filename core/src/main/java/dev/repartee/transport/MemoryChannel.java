package dev.repartee.transport;

import dev.repartee.framing.Receiver;
import dev.repartee.internal.UserCode;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection inside this process. A sender puts its frames into the inbox of the other
 * end without copying them, and the {@link Loop} delivers them, never the sender's thread. The
 * inbox of the other end is the write queue of this end.
 *
 * <p>One lock guards both ends and their states:
 *
 * <pre>
 *   OPEN --the other end closes--> INPUT_CLOSED --close() or abort()--> CLOSED
 *     |                                                                   ^
 *     +---------------------------close() or abort()----------------------+
 * </pre>
 *
 * <p>A closed end neither sends nor receives. The other end is in {@code INPUT_CLOSED} from the
 * same moment on: it sends nothing more either, and reports its end when it has delivered the
 * frames that were sent before.
 */
final class MemoryChannel implements Channel, Loop.Watched, TimeLimits.Connection {
  private enum State {
    /** Frames are sent and delivered. */
    OPEN,
    /** The other end is closed; the frames that it has sent are still delivered. */
    INPUT_CLOSED,
    /** This end is closed. */
    CLOSED
  }

  /** The number of frames to deliver before the loop serves other channels. */
  private static final int BURST = 256;

  private final Loop loop = Loops.ofProcess().first();
  private final Limits limits;
  private final ChannelInfo info;
  private final ReentrantLock lock;
  private final Runnable released;

  /** The frames that this end has sent and the other end has not delivered. */
  private final QueuedBytes outbound;

  private final TimeLimits times;
  private final Runnable delivery = this::deliver;
  private MemoryChannel other = this;

  // Guarded by the lock.
  private final Queue<OutboundFrame> inbox = new ArrayDeque<>();

  /** Whether the loop will deliver from the inbox. */
  private boolean scheduled;

  /** Whether {@link #resume} was called since the receiver was last asked whether it is ready. */
  private boolean resumed;

  private State state = State.OPEN;
  private @Nullable Throwable cause;
  private @Nullable Receiver receiver;
  private boolean watched;

  // Used on the loop only.

  /** Whether the receiver was notified of the end. */
  private boolean reported;

  private MemoryChannel(String name, Limits limits, ReentrantLock lock, Runnable released) {
    this.limits = limits;
    this.info = new ChannelInfo("mem", name, "message");
    this.lock = lock;
    this.outbound = new QueuedBytes(limits.outboundBytes(), lock, name);
    this.times = new TimeLimits(limits, this);
    this.released = released;
  }

  /** Creates both ends of a connection; {@code released} runs when the server's end has ended. */
  static ChannelPair pair(String name, Limits limits, Runnable released) {
    ReentrantLock lock = new ReentrantLock();
    MemoryChannel client = new MemoryChannel(name, limits, lock, () -> {});
    MemoryChannel server = new MemoryChannel(name, limits, lock, released);
    client.other = server;
    server.other = client;
    return new ChannelPair(client, server);
  }

  @Override
  public void start(Receiver receiver) {
    locked(() -> {
      this.receiver = receiver;
      schedule();
    });
  }

  @Override
  public void resume() {
    locked(() -> {
      resumed = true;
      schedule();
    });
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void commit(OutboundFrame frame) {
    lock.lock();
    try {
      outbound.requireOpen();
      other.inbox.add(frame);
      outbound.add(frame.size(), ofAnswers(frame));
      other.schedule();
      if (outbound.isCongested() && !watched) {
        watched = true;
        loop.execute(() -> loop.watch(this));
      }
    } finally {
      lock.unlock();
    }
  }

  private void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  private static int ofAnswers(OutboundFrame frame) {
    return frame.isInitiated() ? 0 : frame.size();
  }

  private void schedule() {
    if (!scheduled && receiver != null) {
      scheduled = true;
      loop.execute(delivery);
    }
  }

  private void deliver() {
    Receiver to = receiver;
    if (to == null || reported) {
      return;
    }
    try {
      for (int i = 0; i < BURST; i++) {
        OutboundFrame frame = next(to);
        if (frame == null) {
          return;
        }
        to.frame(frame.array(), 0, frame.size());
      }
      locked(() -> {
        scheduled = false;
        schedule();
      });
    } catch (RuntimeException | Error e) {
      abort(e);
      loop.execute(this::reportClosed); // the delivery that has failed does not reach the end
    }
  }

  /** Removes and returns the next frame; null if there is none, or if the receiver is not ready. */
  private @Nullable OutboundFrame next(Receiver to) {
    locked(() -> resumed = false);
    boolean ready = to.ready();
    lock.lock();
    try {
      boolean closed = state == State.CLOSED || state == State.INPUT_CLOSED && inbox.isEmpty();
      OutboundFrame frame = closed || !ready ? null : inbox.poll();
      if (frame != null) {
        if (other.outbound.remove(frame.size(), ofAnswers(frame))) {
          loop.execute(other::roomAgain);
        }
      } else {
        scheduled = false;
        if (closed) {
          loop.execute(this::reportClosed);
        } else if (resumed) {
          schedule();
        }
      }
      return frame;
    } finally {
      lock.unlock();
    }
  }

  private void roomAgain() {
    Receiver to = receiver;
    if (to != null && !reported) {
      to.roomAgain();
      resume();
    }
  }

  private void reportClosed() {
    Receiver to = receiver;
    if (!reported && to != null) {
      reported = true;
      released.run();
      UserCode.run(() -> to.closed(cause));
    }
  }

  @Override
  public boolean takesAnswers() {
    return outbound.takesAnswers();
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return outbound.awaitRoom(time, unit);
  }

  @Override
  public void close() {
    locked(() -> {
      closed(null);
      other.inputClosed(null);
    });
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    locked(() -> {
      other.forget();
      closed(cause);
      other.inputClosed(new IOException("the other end was cut off", cause));
    });
  }

  /** Enters a state, unless this or a later one was entered before. The caller has the lock. */
  private boolean transition(State next, @Nullable Throwable why) {
    if (state.compareTo(next) >= 0) {
      return false;
    }
    state = next;
    cause = why;
    outbound.close(why);
    schedule(); // reports the end, if nothing is left to deliver
    return true;
  }

  private void closed(@Nullable Throwable why) {
    if (transition(State.CLOSED, why)) {
      forget();
    }
  }

  private void inputClosed(@Nullable Throwable why) {
    transition(State.INPUT_CLOSED, why);
  }

  private void forget() {
    inbox.clear();
    other.outbound.clear();
  }

  @Override
  public ChannelInfo info() {
    return info;
  }

  @Override
  public @Nullable Object unread() {
    return outbound.unread();
  }

  @Override
  public boolean sweep() {
    lock.lock();
    try {
      if (state != State.OPEN || !outbound.isCongested()) {
        watched = false;
        return false;
      }
    } finally {
      lock.unlock();
    }
    TimeLimits.Limit passed = times.passed();
    if (passed != null) {
      abort(passed.reason(info.remote(), limits));
    }
    return passed == null;
  }
}
