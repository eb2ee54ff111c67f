package dev.repartee;

import dev.repartee.internal.UserCode;
import dev.repartee.transport.FrameSink;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The destinations of the messages that the present thread passes on while it reads a burst of
 * messages from another peer: their frames are gathered, and sent when the burst has ended. A
 * system call for each frame took most of the time of a bridge.
 *
 * <p>Only peers with {@link Peer#readWhile} have such bursts. Until the first one, this class costs
 * a read of a static field.
 */
final class PassedOn {
  /** The number of frames after which a long burst is sent in between. */
  private static final int PIECE = 32;

  private static final ThreadLocal<PassedOn> HERE = ThreadLocal.withInitial(PassedOn::new);

  private static volatile boolean used;

  private final Set<FrameSink> sinks = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean open;
  private int frames;

  private PassedOn() {}

  /** Begins to gather frames on this thread. {@link #end} must follow. */
  static void begin() {
    used = true;
    HERE.get().open = true;
  }

  /** Sends the gathered frames. Throws nothing. */
  static void end() {
    PassedOn here = HERE.get();
    here.open = false;
    here.flush();
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
