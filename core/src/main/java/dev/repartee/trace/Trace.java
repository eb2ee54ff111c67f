package dev.repartee.trace;

import dev.repartee.framing.FrameFault;
import dev.repartee.internal.UserCode;
import dev.repartee.internal.log.FailureLog;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A wire trace: records every message that the traced endpoints receive and send, with its time,
 * connection, direction and size. {@link dev.repartee.Options.Builder#trace} traces an endpoint:
 *
 * <pre>{@code
 * try (Trace trace = Trace.builder().file(Path.of("calls.jsonl"))) {
 *   Options options = Options.builder().trace(trace).build();
 *   ...
 * }
 * }</pre>
 *
 * <p>The system property {@value #PROPERTY} traces all endpoints of a program whose options set no
 * trace, without a change of the program: its value is a file or {@code stderr}. In the name of the
 * file, {@code %p} is replaced by the id of the process. The properties {@value #PROPERTY}{@code
 * .mask}, {@code .messageBytes} and {@code .fileBytes} set what {@link Builder} sets. If one of
 * them is not valid, or the file cannot be written, a warning is logged and nothing is traced.
 *
 * <p>A message is recorded before it is served, or before it is handed to the transport. Messages
 * that several threads send at the same time may be recorded in another order than they are sent.
 * Messages that the transport does not accept are recorded, too. Headers of HTTP are never
 * recorded.
 *
 * <p>Each recording has a thread that writes the file, or standard error. Connections do not wait
 * for a slow disk. Up to 8 MiB of events wait for this thread. Events without room are dropped; an
 * {@link Entry.Lost} in the recording contains their number. When the JVM ends, it waits up to 5 s
 * until the waiting events are written. They are lost if it is killed. A trace is thread-safe.
 */
public final class Trace implements AutoCloseable {
  /** The name of the system property that traces all endpoints. */
  public static final String PROPERTY = "repartee.trace";

  private static final int MAX_MESSAGE = 16 << 20;

  private final FrameCopier copier;
  private final Consumer<Entry> sink;
  private final @Nullable RecordingQueue queue;
  private final long start = System.nanoTime();
  private final AtomicLong connections = new AtomicLong();

  private Trace(FrameCopier copier, Consumer<Entry> sink, @Nullable RecordingQueue queue) {
    this.copier = copier;
    this.sink = sink;
    this.queue = queue;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder of traces. */
  public static final class Builder {
    private Mask mask = Mask.NAMES;
    private final List<String> names = new ArrayList<>();
    private int messageBytes = 64 << 10;
    private long fileBytes = 1L << 30;

    private Builder() {}

    /** Sets the values to hide; {@link Mask#NAMES} by default. */
    public Builder mask(Mask mask) {
      this.mask = mask;
      return this;
    }

    /**
     * Adds names of members to hide, in addition to the built-in names such as {@code password},
     * {@code secret} and {@code token}. Case and characters such as {@code _} and {@code -} make no
     * difference. Of a member name longer than 512 bytes only the last 512 are compared. Without
     * effect under {@link Mask#NONE}.
     */
    public Builder maskNames(String... names) {
      this.names.addAll(List.of(names));
      return this;
    }

    /**
     * Sets the size in bytes to which a message is cut; 64 KiB by default.
     *
     * @throws IllegalArgumentException if the size is not from 16 bytes to 16 MiB
     */
    public Builder messageBytes(int bytes) {
      if (bytes < 16 || bytes > MAX_MESSAGE) {
        throw new IllegalArgumentException(
            "messageBytes is " + bytes + "; it can be from 16 to " + MAX_MESSAGE);
      }
      this.messageBytes = bytes;
      return this;
    }

    /**
     * Sets the size in bytes at which a recording ends; 1 GiB by default.
     *
     * @throws IllegalArgumentException if the size is less than 1024
     */
    public Builder fileBytes(long bytes) {
      if (bytes < 1024) {
        throw new IllegalArgumentException("fileBytes is " + bytes + "; it can be from 1024 on");
      }
      this.fileBytes = bytes;
      return this;
    }

    /**
     * Starts a trace into a file, in the form of a recording ({@link Recording} reads it). Only its
     * owner can read the file, where the file system has such permissions. A recording that exists
     * is replaced.
     *
     * @throws IOException if the file cannot be written, or exists and is not a recording; the
     *     message names the file and the remedy
     */
    public Trace file(Path file) throws IOException {
      return writing(RecordingWriter.create(file, fileBytes));
    }

    /** Starts a trace to standard error, in the form of a recording. */
    public Trace stderr() {
      return writing(RecordingWriter.stderr(fileBytes));
    }

    private Trace writing(RecordingWriter writer) {
      RecordingQueue queue = RecordingQueue.start(writer, EntryText.header(Instant.now(), mask));
      return new Trace(copier(), queue, queue);
    }

    /**
     * Starts a trace that passes each event to a consumer, on the thread that causes it. The
     * consumer must be thread-safe and must not block. What it throws is ignored.
     */
    public Trace to(Consumer<Entry> sink) {
      return new Trace(copier(), sink, null);
    }

    private FrameCopier copier() {
      return new FrameCopier(mask, names, messageBytes);
    }
  }

  /** The trace that the system properties ask for, started when it is used first. */
  private static final class OfProcess {
    static final @Nullable Trace TRACE = start();

    private static @Nullable Trace start() {
      String target = System.getProperty(PROPERTY, "");
      Builder builder = builder();
      try {
        String mask = System.getProperty(PROPERTY + ".mask");
        if (mask != null) {
          builder.mask(Mask.named(mask));
        }
        builder.messageBytes(
            (int) Math.min(Integer.MAX_VALUE, bytes(".messageBytes", builder.messageBytes)));
        builder.fileBytes(bytes(".fileBytes", builder.fileBytes));
        return target.equals("stderr")
            ? builder.stderr()
            : builder.file(Path.of(
                target.replace("%p", Long.toString(ProcessHandle.current().pid()))));
      } catch (IOException | RuntimeException e) {
        new FailureLog()
            .write(
                "no trace, although the system property " + PROPERTY + " is set: " + e.getMessage(),
                null);
        return null;
      }
    }

    private static long bytes(String property, long otherwise) {
      String text = System.getProperty(PROPERTY + property);
      try {
        return text == null ? otherwise : Long.parseLong(text);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "the system property " + PROPERTY + property + " is '" + text
                + "'; expected a number of bytes",
            e);
      }
    }
  }

  /** Returns the trace that the system property {@value #PROPERTY} asks for; null without it. */
  public static @Nullable Trace ofProcess() {
    String target = System.getProperty(PROPERTY);
    return target == null || target.isEmpty() ? null : OfProcess.TRACE;
  }

  /**
   * Returns a channel that records the events of a channel, which was not started yet. For code
   * that uses channels without a {@link dev.repartee.Peer}: peers do this themselves.
   */
  public Channel of(Channel channel) {
    return TracedChannel.of(channel, this, connections.incrementAndGet());
  }

  /** A sink that records the replies to one frame. */
  public interface Replies extends FrameSink {
    /** Records that no more replies follow. */
    void end();
  }

  /**
   * Records the frame {@code bytes[from, to)}, which has arrived without a connection, and returns
   * a sink that records the replies to it and passes them on. For transports.
   */
  public Replies exchange(ChannelInfo channel, byte[] bytes, int from, int to, FrameSink replies) {
    TracedReplies traced = new TracedReplies(replies, this, connections.incrementAndGet());
    opened(traced.number(), channel);
    frame(traced.number(), Direction.IN, bytes, from, to);
    return traced;
  }

  /**
   * Records the start of a connection that has no {@link Channel}: for a client which sends its
   * calls over HTTP by itself.
   */
  public Connection connection(ChannelInfo channel) {
    Connection connection = new Connection(connections.incrementAndGet());
    opened(connection.number, channel);
    return connection;
  }

  /** Records the messages of a connection that has no {@link Channel}. Thread-safe. */
  public final class Connection implements AutoCloseable {
    private final long number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Connection(long number) {
      this.number = number;
    }

    /** Records a message. */
    public void message(Direction direction, byte[] json) {
      frame(number, direction, json, 0, json.length);
    }

    /** Records the end of the connection. */
    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        Trace.this.closed(number, null);
      }
    }
  }

  /**
   * Ends the trace and closes its file. Later messages are not recorded. Waits up to 5 s until the
   * events before are written, and drops the rest; does not wait on a {@linkplain
   * dev.repartee.transport.ReadingThread thread that reads}. Without effect on a trace {@linkplain
   * Builder#to to a consumer}.
   */
  @Override
  public void close() {
    if (queue != null) {
      queue.close();
    }
  }

  // ---------------------------------------------------------------- events

  private void add(Entry entry) {
    UserCode.run(() -> sink.accept(entry));
  }

  private Duration now() {
    return Duration.ofNanos((System.nanoTime() - start) / 1000 * 1000);
  }

  void opened(long connection, ChannelInfo channel) {
    add(new Entry.Opened(now(), connection, channel));
  }

  void frame(long connection, Direction direction, byte[] bytes, int from, int to) {
    Duration at = now();
    UserCode.run(() -> sink.accept(copier.copy(at, connection, direction, bytes, from, to)));
  }

  void fault(long connection, FrameFault fault) {
    String reason = copier.mask() == Mask.NONE ? fault.reason() : fault.defect();
    add(new Entry.Fault(now(), connection, reason));
  }

  void violation(long connection, String violation) {
    String reason = copier.hides(violation) ? "a rule of the transport was broken" : violation;
    add(new Entry.Fault(now(), connection, reason));
  }

  void closed(long connection, @Nullable Throwable cause) {
    add(new Entry.Closed(now(), connection, cause == null ? null : reason(cause)));
  }

  /**
   * Returns the message of a failure, or its class if it has no message or the mask hides the
   * message.
   */
  private String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null || copier.hides(message) ? cause.getClass().getSimpleName() : message;
  }
}
