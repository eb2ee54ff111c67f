package dev.repartee;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One end of a pair inside this process. A frame is handed over as it is, into the inbox of the other
 * end, and the {@link Loop} delivers it, never the sender. What waits in the other end's inbox is
 * what waits to leave here.
 *
 * <p>One lock guards both ends. An end that was closed sends no more and is given no more; the other
 * one is told when it has taken what was sent before.
 */
final class MemoryChannel implements Channel, Loop.Watched {
  /** Frames to deliver before others get their turn on the loop. */
  private static final int BURST = 256;

  private final Loop loop = Loops.ofProcess().first();
  private final Limits limits;
  private final ChannelInfo info;
  private final ReentrantLock lock;
  private final Condition room;
  private final Runnable released;
  private final Runnable delivery = this::deliver;
  private MemoryChannel other = this;

  // Guarded by the lock.
  private final Queue<Output> inbox = new ArrayDeque<>();
  private long inboxBytes;
  private long answerBytes;
  private long takenBytes;
  private boolean scheduled;

  /** Whether the receiver became ready while it may just have been found not to be. */
  private boolean resumed;

  private boolean shut;
  private boolean ended;
  private @Nullable Throwable cause;
  private @Nullable Receiver receiver;
  private boolean watched;

  // Of the loop.
  private boolean told;
  private long seen;
  private long seenAt;

  private MemoryChannel(String name, Limits limits, ReentrantLock lock, Runnable released) {
    this.limits = limits;
    this.info = new ChannelInfo("mem", name, "message");
    this.lock = lock;
    this.room = lock.newCondition();
    this.released = released;
  }

  /** Two ends; {@code released} runs when the server's has ended. */
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
  public Output open() {
    return new Output().limit(limits.frameBytes() - 1);
  }

  @Override
  public void commit(Output frame) {
    lock.lock();
    try {
      if (shut || other.shut) {
        throw DisconnectedException.closed(info.remote(), cause);
      }
      other.inbox.add(frame);
      other.inboxBytes += frame.size();
      other.answerBytes += frame.initiated ? 0 : frame.size();
      other.schedule();
      if (isFull() && !watched) {
        watched = true;
        loop.execute(this::startWatch);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void discard(Output frame) {}

  private void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  private boolean isFull() {
    return other.inboxBytes > limits.outboundBytes();
  }

  private boolean answersAreFull() {
    return other.answerBytes > limits.outboundBytes();
  }

  private void schedule() {
    if (!scheduled && receiver != null) {
      scheduled = true;
      loop.execute(delivery);
    }
  }

  private void deliver() {
    Receiver to = receiver;
    if (to == null || told) {
      return;
    }
    try {
      for (int i = 0; i < BURST; i++) {
        Output frame = next(to);
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
    }
  }

  /** Takes the next frame; null where there is none, or none that is welcome. */
  private @Nullable Output next(Receiver to) {
    locked(() -> resumed = false);
    boolean ready = to.ready();
    lock.lock();
    try {
      boolean over = ended && (inbox.isEmpty() || shut);
      Output frame = over || !ready || answersAreFull() ? null : inbox.poll();
      if (frame != null) {
        taken(frame);
      } else {
        scheduled = false;
        if (over) {
          loop.execute(this::tell);
        } else if (resumed) {
          schedule();
        }
      }
      return frame;
    } finally {
      lock.unlock();
    }
  }

  private void taken(Output frame) {
    long before = inboxBytes;
    long answersBefore = answerBytes;
    long half = limits.outboundBytes() / 2;
    inboxBytes -= frame.size();
    answerBytes -= frame.initiated ? 0 : frame.size();
    takenBytes += frame.size();
    if (before > half && inboxBytes <= half) {
      other.room.signalAll();
    }
    if (answersBefore > half && answerBytes <= half) {
      other.schedule();
    }
  }

  private void tell() {
    Receiver to = receiver;
    if (!told && to != null) {
      told = true;
      released.run();
      try {
        to.closed(cause);
      } catch (RuntimeException | Error e) {
        // A receiver that fails while it is told the end has nobody left to tell.
        told = true;
      }
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    long nanos = ReadingThread.isCurrent() ? 0 : unit.toNanos(time);
    lock.lockInterruptibly();
    try {
      while (!shut && !other.shut && isFull() && nanos > 0) {
        nanos = room.awaitNanos(nanos);
      }
      if (shut || other.shut) {
        throw DisconnectedException.closed(info.remote(), cause);
      }
      return !isFull();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    locked(() -> end(null));
    locked(other::endInput);
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    locked(() -> {
      other.forget();
      end(cause);
      if (!other.ended) {
        other.cause = new IOException("the other end was cut off", cause);
      }
      other.endInput();
    });
  }

  private void end(@Nullable Throwable why) {
    if (!shut) {
      shut = true;
      cause = why;
      forget();
      room.signalAll();
      other.room.signalAll();
      endInput();
    }
  }

  private void forget() {
    inbox.clear();
    inboxBytes = 0;
    answerBytes = 0;
  }

  private void endInput() {
    ended = true;
    schedule();
  }

  @Override
  public ChannelInfo info() {
    return info;
  }

  private void startWatch() {
    locked(() -> {
      seen = other.takenBytes;
      seenAt = System.nanoTime();
    });
    loop.watch(this);
  }

  @Override
  public boolean sweep(long now) {
    lock.lock();
    try {
      if (shut || other.shut || !isFull()) {
        watched = false;
        return false;
      }
      if (other.takenBytes != seen) {
        seen = other.takenBytes;
        seenAt = now;
      }
    } finally {
      lock.unlock();
    }
    if (now - seenAt > limits.drainTimeout().toNanos()) {
      abort(new IOException("the other end took nothing of what waits for it for "
          + limits.drainTimeout().toMillis() + " ms, the limit drainTimeout"));
      return false;
    }
    return true;
  }
}
