package dev.repartee;

import java.util.ArrayList;
import java.util.List;

/** What a thread decodes into and runs inline exchanges with, reused from frame to frame. */
final class Scratch {
  /** Endpoints with different options that one thread may serve before it starts over. */
  private static final int MAX_INBOUNDS = 16;

  final Exchange exchange = new Exchange();
  private final List<Inbound> inbounds = new ArrayList<>(1);
  private boolean taken;

  /** The current thread's, or a new one where it has none or is in the middle of using it. */
  static Scratch take() {
    Scratch scratch;
    if (Thread.currentThread() instanceof ReaderThread reader) {
      if (reader.scratch instanceof Scratch own) {
        scratch = own;
      } else {
        scratch = new Scratch();
        reader.scratch = scratch;
      }
      if (scratch.taken) {
        scratch = new Scratch();
      }
    } else {
      scratch = new Scratch();
    }
    scratch.taken = true;
    return scratch;
  }

  void release() {
    taken = false;
  }

  Inbound inbound(Options options) {
    for (int i = 0; i < inbounds.size(); i++) {
      if (inbounds.get(i).options == options) {
        return inbounds.get(i);
      }
    }
    if (inbounds.size() == MAX_INBOUNDS) {
      inbounds.clear();
    }
    Inbound inbound = new Inbound(options);
    inbounds.add(inbound);
    return inbound;
  }
}
