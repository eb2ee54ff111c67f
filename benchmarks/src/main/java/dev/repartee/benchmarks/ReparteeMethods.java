package dev.repartee.benchmarks;

import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;

/** What Repartee serves: the same methods on either lane. */
final class ReparteeMethods {
  private ReparteeMethods() {}

  /** On the thread that reads. */
  static Service inline() {
    return Service.builder()
        .all(Service.of(new Inline()))
        .method("echoRaw", Lane.INLINE, call -> call.params())
        .build();
  }

  /** Where they may block. */
  static Service concurrent() {
    return Service.builder()
        .all(Service.of(new Concurrent()))
        .method("echoRaw", call -> call.params())
        .build();
  }

  /** Methods that never block. */
  public static final class Inline {
    @Rpc(lane = Lane.INLINE)
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @Rpc(lane = Lane.INLINE)
    public Document echo(Document document) {
      return document;
    }
  }

  /** Methods that say nothing of where they run. */
  public static final class Concurrent {
    @Rpc
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @Rpc
    public Document echo(Document document) {
      return document;
    }
  }
}
