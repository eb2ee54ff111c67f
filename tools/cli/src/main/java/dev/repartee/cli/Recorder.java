package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.json.Json;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingCodec;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.message.ParsedFrame;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A dialect that records whether a frame was received, and may keep the last response exactly as
 * received, including unknown members. For a connection that makes one call at a time.
 */
class Recorder extends ForwardingDialect {
  /** The number of bytes that are searched for the method of a notification. */
  private static final int START = 64;

  private final boolean keeps;
  private volatile boolean heard;
  private volatile boolean items;
  private volatile @Nullable Json response;

  /** Creates a recorder; {@code keeps} decides whether it keeps responses. */
  Recorder(Dialect dialect, boolean keeps) {
    super(dialect);
    this.keeps = keeps;
  }

  /** Returns whether a frame was received. */
  boolean hasHeard() {
    return heard;
  }

  /** Returns whether an item of a stream was received. */
  boolean hasItems() {
    return items;
  }

  /** Returns the last response, or null if none was received or kept. */
  @Nullable Json response() {
    return response;
  }

  /** Drops the kept response. */
  void forget() {
    response = null;
  }

  @Override
  public Codec codec() {
    return new Recording(super.codec());
  }

  /** Called with each frame after it was decoded, and before its messages are served. */
  void decoded(ParsedFrame frame) {}

  private final class Recording extends ForwardingCodec {
    Recording(Codec codec) {
      super(codec);
    }

    @Override
    public void decode(byte[] frame, int from, int to, ParsedFrame into) {
      heard = true;
      items |= isItems(frame, from, to);
      super.decode(frame, from, to, into);
      if (keeps && hasResponse(into)) {
        response = Json.parse(Arrays.copyOfRange(frame, from, to));
      }
      decoded(into);
    }
  }

  private static boolean hasResponse(ParsedFrame frame) {
    for (int i = 0; i < frame.count(); i++) {
      if (frame.kind(i) == ParsedFrame.RESPONSE) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the start of a frame looks like items of a stream. */
  private static boolean isItems(byte[] frame, int from, int to) {
    int end = Math.min(to, from + START);
    return new String(frame, from, end - from, ISO_8859_1)
        .replace(" ", "")
        .contains("\"method\":\"rpc.items\"");
  }
}
