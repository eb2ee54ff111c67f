package dev.repartee;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a thread decodes into and runs inline exchanges with, reused from frame to frame. */
final class Scratch {
  /** Endpoints with different options that one thread may serve before it starts over. */
  private static final int MAX_INBOUNDS = 16;

  /** Those of the threads that other transports read with. */
  private static final ThreadLocal<Scratch> ELSEWHERE = ThreadLocal.withInitial(Scratch::new);

  final Exchange exchange = new Exchange();
  private final List<Inbound> inbounds = new ArrayList<>(1);
  private boolean taken;

  /** That of the thread, if it reads; a new one elsewhere, and in the middle of using it. */
  static Scratch take() {
    Scratch own = own();
    Scratch scratch = own == null || own.taken ? new Scratch() : own;
    scratch.taken = true;
    return scratch;
  }

  private static @Nullable Scratch own() {
    Thread thread = Thread.currentThread();
    if (thread instanceof ReaderThread reader) {
      if (reader.scratch == null) {
        reader.scratch = new Scratch();
      }
      return reader.scratch;
    }
    return thread instanceof ReadingThread ? ELSEWHERE.get() : null;
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
