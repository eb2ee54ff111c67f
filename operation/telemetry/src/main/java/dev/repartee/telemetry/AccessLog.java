package dev.repartee.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Call;
import dev.repartee.ForwardingListener;
import dev.repartee.Layer;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RefusedCall;
import dev.repartee.access.Principal;
import dev.repartee.internal.Text;
import dev.repartee.internal.log.LineQueue;
import dev.repartee.internal.log.RotatingFile;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Id;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A log with a line for each call that this side serves, also for calls that are refused before their
 * layers. A line has the time, the address of the client, its principal, the method, the id, the
 * outcome and the duration; it has no params, no results and no credentials. Needs neither
 * OpenTelemetry nor Micrometer.
 *
 * <pre>{@code
 * #Fields: date time c-ip cs-username x-method x-id x-error time-taken
 * 2026-11-29 18:04:05.123 127.0.0.1:40112 alice subtract 7 - 0.000082
 * }</pre>
 *
 * <p>Text lines have the form of the W3C extended log file: fields without a value are {@code -}, and
 * spaces in a value are {@code +}. With {@link Builder#json} each line is an object.
 *
 * <p>A slow disk delays no call: lines wait in a bounded queue for the thread that writes them. If the
 * queue is full, or the disk, lines are lost and counted, and a later line reports their number.
 * Thread-safe.
 */
public final class AccessLog implements AutoCloseable {
  /** The first lines. They name the fields for programs that read the log. */
  private static final String HEAD = """
      #Version: 1.0
      #Fields: date time c-ip cs-username x-method x-id x-error time-taken""";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LineQueue lines;
  private final boolean json;
  private final double share;
  private final Clock clock;

  private AccessLog(Builder builder) {
    this.json = builder.json;
    this.share = builder.share;
    this.clock = builder.clock;
    if (!json && builder.target instanceof RotatingFile file) {
      file.head(HEAD); // also after it was renamed
    }
    this.lines = LineQueue.start(
        "repartee-access",
        builder.capacity,
        builder.target,
        json ? AccessLog::jsonGap : n -> "#Lost: " + n);
    if (!json && !(builder.target instanceof RotatingFile)) {
      HEAD.lines().forEach(lines::add);
    }
  }

  private static String jsonGap(long lost) {
    return "{\"lost\":" + lost + "}";
  }

  /**
   * Returns a builder of a log in a file, which only its owner can read. A file of 10 MiB is renamed
   * to {@code FILE.1}, and {@code FILE.1} to {@code FILE.2}; five older files stay.
   *
   * @throws IOException if the file cannot be written
   */
  public static Builder to(Path file) throws IOException {
    return new Builder(new RotatingFile(
        file,
        RotatingFile.MAX_FILE,
        e -> System.getLogger("dev.repartee")
            .log(Level.WARNING, "the access log cannot be written: " + e)));
  }

  /**
   * Returns a builder of a log with another target.
   *
   * @param target receives each line without its end, on the thread of the log. It may block. A line
   *     for which it throws is lost
   */
  public static Builder to(Consumer<? super String> target) {
    return new Builder(target::accept);
  }

  /**
   * Returns the options with the layer of this log, inside the present layers, and with a listener
   * that logs refused calls and passes all events on.
   */
  public Options instrument(Options options) {
    return options.toBuilder()
        .layer(layer())
        .listener(listener(options.listener()))
        .build();
  }

  /** Returns the layer around handlers. */
  public Layer layer() {
    return (call, next) -> {
      long start = System.nanoTime();
      Instant time = clock.instant();
      return Outcome.whenServed(call, next, outcome -> ended(call, time, start, outcome));
    };
  }

  /**
   * Returns a listener that logs the calls that no layer sees.
   *
   * @param next gets all events, too
   */
  public Listener listener(Listener next) {
    return new ForwardingListener(next) {
      @Override
      public void refused(RefusedCall call) {
        write(
            clock.instant(),
            call.channel(),
            call.principal(),
            call.method(),
            call.id(),
            Outcome.of(call.error()).type(),
            0);
        super.refused(call);
      }
    };
  }

  private void ended(Call call, Instant time, long start, Outcome outcome) {
    long nanos = System.nanoTime() - start;
    boolean chosen = share >= 1 || ThreadLocalRandom.current().nextDouble() < share;
    if (outcome.type() != null || chosen) {
      write(
          time, call.channel(), call.principal(), call.method(), call.id(), outcome.type(), nanos);
    }
  }

  private void write(
      Instant time,
      ChannelInfo channel,
      @Nullable Principal principal,
      @Nullable String method,
      @Nullable Id id,
      @Nullable String error,
      long nanos) {
    String user = principal == null ? null : principal.name();
    String number = id == null || id.isNull() ? null : id.json().text();
    String seconds = String.format(Locale.ROOT, "%.6f", nanos / NANOS);
    if (json) {
      JsonWriter line = new JsonWriter();
      line.ascii("{\"time\":").string(time.toString());
      member(line, ",\"address\":", channel.other());
      member(line, ",\"principal\":", user);
      member(line, ",\"method\":", method);
      member(line, ",\"id\":", number);
      member(line, ",\"error\":", error);
      lines.add(new String(line.ascii(",\"seconds\":").ascii(seconds).put('}').toBytes(), UTF_8));
    } else {
      lines.add(String.join(
          " ",
          TIME.format(time),
          field(channel.other()),
          field(user),
          field(method),
          field(number),
          field(error),
          seconds));
    }
  }

  private static void member(JsonWriter line, String name, @Nullable String value) {
    if (value != null) {
      line.ascii(name).string(Names.cut(value));
    }
  }

  /** Returns text of a peer as one field, which cannot look like another field or line. */
  private static String field(@Nullable String value) {
    return value == null || value.isEmpty()
        ? "-"
        : Text.printable(Names.cut(value)).replace(' ', '+');
  }

  /** Returns the number of lines that were lost since the start. */
  public long lost() {
    return lines.lost();
  }

  /** Writes the queued lines, for at most 5 seconds. Later lines are lost. */
  @Override
  public void close() {
    lines.close();
  }

  /** Builds an {@link AccessLog}. Not thread-safe. */
  public static final class Builder {
    private final Consumer<String> target;
    private boolean json;
    private double share = 1;
    private int capacity = 10_000;
    private Clock clock = Clock.systemUTC();

    private Builder(Consumer<String> target) {
      this.target = target;
    }

    /** Writes JSON lines with the members time, address, principal, method, id, error, seconds. */
    public Builder json() {
      this.json = true;
      return this;
    }

    /**
     * Sets the share of successful calls that are logged, chosen at random. Failed and refused calls
     * are always logged. The default is 1.
     *
     * @throws IllegalArgumentException if it is not from 0 to 1
     */
    public Builder sample(double share) {
      if (!(share >= 0 && share <= 1)) {
        throw new IllegalArgumentException("a share from 0 to 1 is expected, but this is " + share);
      }
      this.share = share;
      return this;
    }

    /**
     * Sets the maximum number of queued lines, of at most 8 KiB each. The default is
     * 10,000.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder capacity(int lines) {
      if (lines < 1) {
        throw new IllegalArgumentException("at least one line has to have room, not " + lines);
      }
      this.capacity = lines;
      return this;
    }

    /** Sets the clock of the times in the lines. */
    public Builder clock(Clock clock) {
      this.clock = Objects.requireNonNull(clock);
      return this;
    }

    /** Starts the log. */
    public AccessLog build() {
      return new AccessLog(this);
    }
  }
}
