package dev.repartee;

import dev.repartee.internal.UserCode;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.ReadingThread;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The destinations of the messages that the present thread passes on while it reads messages from
 * other peers: their frames are gathered, and sent when the thread has read all connections that
 * were ready, or the burst of the only connection that it reads. With one system call for each
 * frame, a bridge spent most of its time in system calls. With many clients of few calls each, one
 * system call for each connection had the same effect. Gathering reduces the CPU time of a bridge
 * from 24 to 16 us for a call of one of 64 clients, and from 12 to 6 us with 16 calls in flight of
 * each of 8 clients.
 *
 * <p>Only peers with {@link PeerFlow#readWhile} have such bursts. Until the first one, this class
 * costs a read of a static field.
 */
final class PassedOn {
  /** The number of frames after which the gathered ones are sent in between. */
  private static final int PIECE = 256;

  private static final ThreadLocal<PassedOn> HERE = ThreadLocal.withInitial(PassedOn::new);

  private static volatile boolean used;

  private final Set<FrameSink> sinks = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Runnable flush = this::flushLater;
  private boolean open;
  private boolean scheduled;
  private int frames;

  private PassedOn() {}

  /** Begins to gather frames on this thread. {@link #end} must follow. */
  static void begin() {
    used = true;
    HERE.get().open = true;
  }

  /** Sends the gathered frames, now or when all connections were read. Throws nothing. */
  static void end() {
    HERE.get().close();
  }

  private void close() {
    open = false;
    if (sinks.isEmpty() || scheduled) {
      return;
    }
    if (Thread.currentThread() instanceof ReadingThread thread && thread.runAfterReads(flush)) {
      scheduled = true;
    } else {
      flush();
    }
  }

  private void flushLater() {
    scheduled = false;
    flush();
  }

  /**
   * Returns whether a frame for that destination may be gathered on this thread, because the
   * destination is flushed later.
   */
  static boolean takes(FrameSink sink) {
    return used && HERE.get().take(sink);
  }

  private boolean take(FrameSink sink) {
    if (open) {
      if (++frames > PIECE) {
        flush();
      }
      sinks.add(sink);
    }
    return open;
  }

  private void flush() {
    frames = 0;
    if (!sinks.isEmpty()) {
      FrameSink[] all = sinks.toArray(new FrameSink[0]);
      sinks.clear(); // first: a flush may make room, and so begin another burst on this thread
      for (FrameSink sink : all) {
        UserCode.run(sink::flush);
      }
    }
  }
}
