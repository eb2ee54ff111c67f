package dev.repartee.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The framing of one connection, driven by a test: reads bytes as from a channel, returns messages,
 * and writes messages into frames.
 *
 * <p>Keeps the bytes that the framing does not consume, as a channel does. To find framings that
 * depend on a certain channel, it passes the bytes at another offset in every call, between
 * misleading bytes, and overwrites them after the call. Not thread-safe.
 */
public final class FrameFeed {
  private static final byte[] MISLEADING = {'\n', '}', '"', 0x1E, '[', '\\', 0, '\r'};
  private static final int MARGIN = 8;

  private final Frames frames;
  private final Collector collector = new Collector();
  private byte[] kept = new byte[0];
  private int shift;
  private int mostKept;

  /** Starts a connection with a framing and the default limits. */
  public FrameFeed(Framing framing) {
    this(framing, Limits.DEFAULT);
  }

  /** Starts a connection with a framing and limits. */
  public FrameFeed(Framing framing, Limits limits) {
    this(framing.open(limits));
  }

  /** Starts a connection with a custom framing. */
  public FrameFeed(Frames frames) {
    this.frames = frames;
  }

  /** Feeds the UTF-8 bytes of a text, in one read. */
  public FrameFeed feed(String text) {
    return feed(text.getBytes(UTF_8));
  }

  /** Feeds bytes, in one read. */
  public FrameFeed feed(byte[] bytes) {
    return feed(bytes, 0, bytes.length);
  }

  /** Feeds {@code bytes[from, to)}, in one read. */
  public FrameFeed feed(byte[] bytes, int from, int to) {
    int start = nextStart();
    int end = start + kept.length + to - from;
    byte[] b = misleading(end + MARGIN);
    System.arraycopy(kept, 0, b, start, kept.length);
    System.arraycopy(bytes, from, b, end - (to - from), to - from);
    int next = frames.read(b, start, end, collector);
    if (next < start || next > end) {
      throw new AssertionError("read [" + start + ", " + end + ") and answered " + next);
    }
    kept = Arrays.copyOfRange(b, next, end);
    mostKept = Math.max(mostKept, kept.length);
    Arrays.fill(b, (byte) '\n');
    return this;
  }

  /** Feeds bytes, in reads of at most {@code size} bytes. */
  public FrameFeed feedInPieces(byte[] bytes, int size) {
    for (int i = 0; i < bytes.length; i += size) {
      feed(bytes, i, Math.min(bytes.length, i + size));
    }
    return this;
  }

  /** Ends the stream. */
  public FrameFeed end() {
    int start = nextStart();
    byte[] b = misleading(start + kept.length + MARGIN);
    System.arraycopy(kept, 0, b, start, kept.length);
    frames.end(b, start, start + kept.length, collector);
    return this;
  }

  private int nextStart() {
    shift = (shift + 1) % MARGIN;
    return shift;
  }

  private static byte[] misleading(int length) {
    byte[] b = new byte[length];
    for (int i = 0; i < length; i++) {
      b[i] = MISLEADING[i % MISLEADING.length];
    }
    return b;
  }

  /** Accepts {@code more} further frames, and feeds the kept bytes again. */
  public FrameFeed welcome(int more) {
    collector.welcome = more;
    return feed(new byte[0]);
  }

  /** Returns a message in a frame, written to the end of a buffer that is not empty. */
  public byte[] write(String message) {
    JsonWriter out = new JsonWriter(1).ascii("before");
    int start = out.size();
    frames.begin(out);
    out.raw(message.getBytes(UTF_8));
    frames.finish(out, start);
    return Arrays.copyOfRange(out.array(), start, out.size());
  }

  /** Returns the received frames in order, as text. */
  public List<String> frames() {
    return List.copyOf(collector.frames);
  }

  /** Returns the received frames that are JSON. */
  public List<String> messages() {
    return List.copyOf(collector.messages);
  }

  /** Returns the received frames that are not JSON. */
  public List<String> broken() {
    return List.copyOf(collector.broken);
  }

  /** Returns the reported framing faults, in order. */
  public List<FrameFault> faults() {
    return List.copyOf(collector.faults);
  }

  /** Returns the greatest number of bytes that a read left unconsumed. */
  public int mostKept() {
    return mostKept;
  }

  /** Returns the bytes that the last read left unconsumed. */
  public byte[] kept() {
    return kept.clone();
  }

  /** Returns whether nothing more can be read. */
  public boolean ended() {
    return frames.ended();
  }

  /** Returns the framing in use. */
  public Framing framing() {
    return frames.framing();
  }

  private static final class Collector implements Receiver {
    private final List<String> frames = new ArrayList<>();
    private final List<String> messages = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();
    private final List<FrameFault> faults = new ArrayList<>();
    private int welcome = Integer.MAX_VALUE;

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      if (!ready()) {
        throw new AssertionError("a frame was delivered to a receiver that is not ready");
      }
      welcome--;
      byte[] text = Arrays.copyOfRange(bytes, from, to);
      String frame = new String(text, UTF_8);
      boolean json = isJson(text);
      frames.add(frame);
      (json ? messages : broken).add(frame);
      return json;
    }

    private static boolean isJson(byte[] text) {
      try {
        Json.parse(text);
        return true;
      } catch (JsonException e) {
        return false;
      }
    }

    @Override
    public void fault(FrameFault fault) {
      faults.add(fault);
    }

    @Override
    public boolean ready() {
      return welcome > 0;
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {}

    @Override
    public void closed(@Nullable Throwable cause) {}
  }
}
