package dev.repartee.benchmarks.peers;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.benchmarks.load.Document;
import java.util.concurrent.TimeUnit;

/** The methods that Repartee serves, the same on both lanes. An instance serves one connection. */
public final class ReparteeMethods {
  private ReparteeMethods() {}

  /** Returns a service with methods that run on the reader. */
  public static Service inline() {
    return Service.builder()
        .all(Service.of(new Inline()))
        .method("echoRaw", Lane.INLINE, call -> call.params())
        .build();
  }

  /** Returns a service with methods that may block. */
  static Service concurrent() {
    return Service.builder()
        .all(Service.of(new Concurrent()))
        .method("echoRaw", call -> call.params())
        .build();
  }

  /** Methods that never block. */
  public static final class Inline {
    private final NotificationCounter notes = new NotificationCounter();

    @Rpc(lane = Lane.INLINE)
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @Rpc(lane = Lane.INLINE)
    public Document echo(Document document) {
      return document;
    }

    @Rpc(lane = Lane.INLINE)
    public void note(int minuend, int subtrahend) {
      notes.take();
    }

    @Rpc(lane = Lane.INLINE)
    public int noted() {
      return notes.taken();
    }

    @Rpc(lane = Lane.INLINE)
    public int push(Call call, int count) {
      for (int i = 0; i < count; i++) {
        call.peer().notify("note", 42, 23);
      }
      return count;
    }
  }

  /** Methods with the default lane. */
  public static final class Concurrent {
    private final NotificationCounter notes = new NotificationCounter();

    @Rpc
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }

    @Rpc
    public Document echo(Document document) {
      return document;
    }

    @Rpc
    public void note(int minuend, int subtrahend) {
      notes.take();
    }

    @Rpc
    public int noted() {
      return notes.taken();
    }

    @Rpc
    public int sleep(int millis) throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(millis);
      return millis;
    }
  }
}
