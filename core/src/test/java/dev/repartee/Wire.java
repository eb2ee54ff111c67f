package dev.repartee;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The framing of one connection, with the bytes that it has not consumed. */
public final class Wire implements Receiver {
  public final Frames frames;
  public final List<String> received = new ArrayList<>();
  public final List<FrameFault> faults = new ArrayList<>();
  public int welcome = Integer.MAX_VALUE;
  public byte[] kept = new byte[0];

  public Wire(Framing framing) {
    this(framing, Limits.DEFAULT);
  }

  public Wire(Framing framing, Limits limits) {
    this(framing.open(limits));
  }

  public Wire(Frames frames) {
    this.frames = frames;
  }

  /** Reads a whole stream at once, after checking that the result is the same byte by byte. */
  public static Wire read(Framing framing, Limits limits, String stream) {
    byte[] bytes = stream.getBytes(UTF_8);
    Wire slow = new Wire(framing, limits);
    for (int i = 0; i < bytes.length && !slow.frames.ended(); i++) {
      slow.feed(Arrays.copyOfRange(bytes, i, i + 1));
    }
    Wire fast = new Wire(framing, limits).feed(bytes);
    assertThat(slow.received).isEqualTo(fast.received);
    assertThat(slow.codes()).isEqualTo(fast.codes());
    assertThat(slow.frames.ended()).isEqualTo(fast.frames.ended());
    assertThat(slow.frames.framing()).isEqualTo(fast.frames.framing());
    return fast;
  }

  public static Wire read(Framing framing, String stream) {
    return read(framing, Limits.DEFAULT, stream);
  }

  public Wire feed(String text) {
    return feed(text.getBytes(UTF_8));
  }

  /** Feeds bytes given as numbers. */
  public Wire feed(int... bytes) {
    byte[] narrow = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      narrow[i] = (byte) bytes[i];
    }
    return feed(narrow);
  }

  public Wire feed(byte[] bytes) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(kept);
    all.writeBytes(bytes);
    byte[] b = all.toByteArray();
    kept = Arrays.copyOfRange(b, frames.read(b, 0, b.length, this), b.length);
    return this;
  }

  public Wire end() {
    frames.end(kept, 0, kept.length, this);
    return this;
  }

  public List<Integer> codes() {
    return faults.stream().map(fault -> Errors.of(fault).code()).toList();
  }

  /** Returns the reason of the only fault. */
  public String reason() {
    assertThat(faults).hasSize(1);
    return faults.get(0).reason();
  }

  /** Frames a message after other bytes in the same buffer. */
  public String write(String message) {
    JsonWriter out = new JsonWriter().ascii("before");
    int start = out.size();
    frames.begin(out);
    out.raw(message.getBytes(UTF_8));
    frames.finish(out, start);
    return new String(out.array(), start, out.size() - start, ISO_8859_1);
  }

  @Override
  public boolean frame(byte[] bytes, int from, int to) {
    welcome--;
    byte[] text = Arrays.copyOfRange(bytes, from, to);
    received.add(new String(text, UTF_8));
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
