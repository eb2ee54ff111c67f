package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.OutboundFrame;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A receiver that keeps its frames and events, and may answer them. */
public class Recorder implements Receiver {
  public static final long SECONDS = 60;

  public final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
  public final CompletableFuture<Optional<Throwable>> closed = new CompletableFuture<>();
  public final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  public final AtomicInteger delivered = new AtomicInteger();
  public final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
  public final Channel channel;
  public final CountDownLatch inputClosed = new CountDownLatch(1);
  public volatile boolean ready = true;
  public volatile boolean talkative;

  public Recorder(Channel channel) {
    this.channel = channel;
  }

  /** Starts a channel with a receiver that keeps its frames. */
  public static Recorder on(Channel channel) {
    Recorder recorder = new Recorder(channel);
    channel.start(recorder);
    return recorder;
  }

  /** Returns a receiver that sends every frame back. */
  public static Recorder echo(Channel channel) {
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
  public void violation(String violation) {
    violations.add(violation);
  }

  @Override
  public void fault(FrameFault fault) {
    frames.add("fault: " + fault.reason());
  }

  @Override
  public boolean ready() {
    return ready && channel.takesAnswers();
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

  public String next() throws InterruptedException {
    String frame = frames.poll(SECONDS, TimeUnit.SECONDS);
    assertThat(frame).as("a frame within %s s", SECONDS).isNotNull();
    return frame;
  }

  public Optional<Throwable> end() throws Exception {
    return closed.get(SECONDS, TimeUnit.SECONDS);
  }

  public static void send(Channel channel, String text) {
    OutboundFrame out = channel.open();
    out.raw(text.getBytes(UTF_8));
    channel.commit(out);
  }

  /** Returns the port of a TCP endpoint. */
  public static int port(Endpoint endpoint) {
    return Integer.parseInt(endpoint.address().substring(endpoint.address().lastIndexOf(':') + 1));
  }
}
