package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.repartee.internal.BufferThread;
import dev.repartee.internal.Clock;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.ReadingThread;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Allocations of an inline call, from the bytes of the request to the bytes of the response. */
class AllocationTest {
  private static final int CALLS = 20_000;
  private static final int ROUNDS = 10;

  /** The called methods. */
  public static final class Methods {
    @Rpc(lane = Lane.INLINE)
    public int subtract(int minuend, int subtrahend) {
      return minuend - subtrahend;
    }
  }

  /** The write buffer of a channel, emptied before each response. */
  private static final class Buffer implements FrameSink {
    private final OutboundFrame out = new OutboundFrame(Integer.MAX_VALUE);

    @Override
    public OutboundFrame open() {
      out.truncate(0);
      return out;
    }

    @Override
    public void commit(OutboundFrame frame) {}
  }

  private static final class Foreign extends Thread implements ReadingThread {
    Foreign(Runnable task) {
      super(task);
    }
  }

  private static final class Own extends BufferThread implements ReadingThread {
    private final Runnable task;

    Own(Runnable task) {
      super("own");
      this.task = task;
    }

    @Override
    public void run() {
      task.run();
    }
  }

  /**
   * Returns the bytes that a warmed-up thread allocates for one call: the least of several rounds.
   */
  private static long bytesPerCall(String frame, Function<Runnable, Thread> reader)
      throws Exception {
    Buffer buffer = new Buffer();
    Responder responder = new Responder(new Connection(
        new ServerContext(
            Service.of(new Methods()), Options.DEFAULT, new ServerStatus(Clock.SYSTEM)),
        buffer,
        new ChannelInfo("test", "", "message"),
        Attributes.NONE,
        Runnable::run,
        () -> {}));
    byte[] bytes = frame.getBytes(UTF_8);
    CompletableFuture<Long> least = new CompletableFuture<>();
    Runnable rounds = () -> least.complete(LongStream.range(0, ROUNDS)
        .map(round -> allocated(responder, bytes))
        .min()
        .orElseThrow());
    reader.apply(rounds).start();
    long perCall = least.get(60, TimeUnit.SECONDS) / CALLS;
    assertThat(buffer.out.toString()).contains("\"result\":");
    return perCall;
  }

  private static long allocated(Responder responder, byte[] frame) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < CALLS; i++) {
      responder.serveAlone(frame, 0, frame.length);
    }
    return threads.getThreadAllocatedBytes(thread) - before;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[-2000000000,123456789],\"id\":1}",
        "{\"id\":\"a\",\"params\":{\"subtrahend\":23,\"minuend\":42},\"method\":\"subtract\",\"jsonrpc\":\"2.0\"}"
      })
  void anInlineCallAllocatesNothing(String call) throws Exception {
    assertThat(bytesPerCall(call, Own::new)).isZero();
  }

  @Test
  void anInlineCallAllocatesNothingOnTheReadingThreadsOfOtherTransports() throws Exception {
    String call = """
        {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
    assertThat(bytesPerCall(call, Foreign::new)).isZero();
  }
}
