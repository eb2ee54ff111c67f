package dev.repartee;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that a reading thread reuses from frame to frame: parsed frames, and the exchange for
 * inline handlers.
 */
final class Scratch {
  /** The number of parsed frames a thread keeps; one more clears all. */
  private static final int MAX_INBOUNDS = 16;

  /**
   * The buffers of reading threads that are not {@link ReaderThread}s, such as those of other
   * transports.
   */
  private static final ThreadLocal<Scratch> ELSEWHERE = ThreadLocal.withInitial(Scratch::new);

  final Exchange exchange = new Exchange();
  private final List<ParsedFrame> inbounds = new ArrayList<>(1);
  private boolean taken;

  /**
   * Takes the buffers of the calling thread, if it is a reading thread and does not use them
   * already; otherwise returns new ones. A frame can be delivered while another one is in service
   * on the same thread. The caller must {@link #release} the buffers.
   */
  static Scratch take() {
    Scratch own = own();
    Scratch scratch = own == null || own.taken ? new Scratch() : own;
    scratch.taken = true;
    return scratch;
  }

  private static @Nullable Scratch own() {
    Thread thread = Thread.currentThread();
    if (thread instanceof ReaderThread reader) {
      if (reader.reused instanceof Scratch own) {
        return own;
      }
      Scratch own = new Scratch();
      reader.reused = own;
      return own;
    }
    return thread instanceof ReadingThread ? ELSEWHERE.get() : null;
  }

  void release() {
    taken = false;
  }

  ParsedFrame inbound(Limits limits, Set<Lenience> lenience) {
    for (int i = 0; i < inbounds.size(); i++) {
      if (inbounds.get(i).isFor(limits, lenience)) {
        return inbounds.get(i);
      }
    }
    if (inbounds.size() == MAX_INBOUNDS) {
      inbounds.clear();
    }
    ParsedFrame inbound = new ParsedFrame(limits, lenience);
    inbounds.add(inbound);
    return inbound;
  }
}
