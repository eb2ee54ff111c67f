package dev.repartee.benchmarks.micro;

import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Finds the messages in 64 KiB of received bytes, without decoding them. */
public class FramingBenchmark extends Measured {
  private static final int ARRIVED = 64 << 10;

  /** The kind of the messages. */
  @Param({"subtract", "echo-1k"})
  public String messages = "subtract";

  private final Frames lines = Framing.LINES.open(Limits.DEFAULT);
  private final Frames headers = Framing.CONTENT_LENGTH.open(Limits.DEFAULT);
  private final Counter counter = new Counter();
  private byte[] inLines = {};
  private byte[] withHeaders = {};

  /** Makes the received bytes. */
  @Setup
  public void arrive() {
    inLines = arrived(WireFormat.LINES);
    withHeaders = arrived(WireFormat.CONTENT_LENGTH);
  }

  private byte[] arrived(WireFormat wire) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Workload workload = Workload.of(messages);
    for (int i = 0; bytes.size() < ARRIVED; i++) {
      bytes.writeBytes(wire.request(workload, i));
    }
    return bytes.toByteArray();
  }

  /** Repartee's lines. */
  @Benchmark
  public int lines() {
    return counter.count(lines, inLines);
  }

  /** Repartee's Content-Length headers. */
  @Benchmark
  public int contentLength() {
    return counter.count(headers, withHeaders);
  }

  /** Lines, byte by byte, for comparison. */
  @Benchmark
  public int byteByByte() {
    int count = 0;
    for (byte b : inLines) {
      if (b == '\n') {
        count++;
      }
    }
    return count;
  }

  private static final class Counter implements Receiver {
    private int count;

    int count(Frames frames, byte[] bytes) {
      count = 0;
      frames.read(bytes, 0, bytes.length, this);
      return count;
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      count++;
      return true;
    }

    @Override
    public void fault(FrameFault fault) {
      throw new IllegalStateException(fault.toString());
    }

    @Override
    public boolean ready() {
      return true;
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {}

    @Override
    public void closed(@Nullable Throwable cause) {}
  }
}
