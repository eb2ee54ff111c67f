package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A receiver that keeps its frames and events, and may answer them. */
class Recorder implements Receiver {
  static final long SECONDS = 20;

  final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
  final CompletableFuture<Optional<Throwable>> closed = new CompletableFuture<>();
  final AtomicInteger delivered = new AtomicInteger();
  final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
  final Channel channel;
  final CountDownLatch inputClosed = new CountDownLatch(1);
  volatile boolean ready = true;
  volatile boolean talkative;

  Recorder(Channel channel) {
    this.channel = channel;
  }

  /** Starts a channel with a receiver that keeps its frames. */
  static Recorder on(Channel channel) {
    Recorder recorder = new Recorder(channel);
    channel.start(recorder);
    return recorder;
  }

  /** Returns a receiver that sends every frame back. */
  static Recorder echo(Channel channel) {
    return new Recorder(channel) {
      @Override
      public boolean frame(byte[] bytes, int from, int to) {
        OutboundFrame out = channel.open();
        out.raw(bytes, from, to);
        channel.commit(out);
        return super.frame(bytes, from, to);
      }
    };
  }

  @Override
  public boolean frame(byte[] bytes, int from, int to) {
    delivered.incrementAndGet();
    threads.add(Thread.currentThread());
    frames.add(new String(bytes, from, to - from, UTF_8));
    return true;
  }

  @Override
  public void fault(FrameFault fault) {
    frames.add("fault: " + fault.reason());
  }

  @Override
  public boolean ready() {
    return ready;
  }

  /**
   * Closes the channel, as a peer with nothing more to answer does, unless it is {@link
   * #talkative}.
   */
  @Override
  public void inputClosed(@Nullable Throwable cause) {
    inputClosed.countDown();
    if (!talkative) {
      channel.close();
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    assertThat(closed.complete(Optional.ofNullable(cause))).as("told once").isTrue();
  }

  String next() throws InterruptedException {
    String frame = frames.poll(SECONDS, TimeUnit.SECONDS);
    assertThat(frame).as("a frame within %s s", SECONDS).isNotNull();
    return frame;
  }

  Optional<Throwable> end() throws Exception {
    return closed.get(SECONDS, TimeUnit.SECONDS);
  }

  static void send(Channel channel, String text) {
    OutboundFrame out = channel.open();
    out.raw(text.getBytes(UTF_8));
    channel.commit(out);
  }
}
