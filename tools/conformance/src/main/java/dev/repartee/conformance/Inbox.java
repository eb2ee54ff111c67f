package dev.repartee.conformance;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The queue of received data. If a peer floods it, data beyond its capacity is discarded. */
final class Inbox implements Receiver {
  private static final int CAPACITY = 100_000;

  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>(CAPACITY);

  void add(Heard what) {
    heard.offer(what);
  }

  @Nullable Heard next(Duration time) throws InterruptedException {
    return heard.poll(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean frame(byte[] bytes, int from, int to) {
    add(new Heard.Message(Arrays.copyOfRange(bytes, from, to), null));
    return true;
  }

  @Override
  public void fault(FrameFault fault) {
    add(new Heard.Fault(fault.reason()));
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public void inputClosed(@Nullable Throwable cause) {
    add(new Heard.End(""));
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    add(new Heard.End(cause == null ? "" : String.valueOf(cause.getMessage())));
  }
}
