package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.Codec;
import dev.repartee.Dialect;
import dev.repartee.ForwardingCodec;
import dev.repartee.JsonRpc;
import dev.repartee.ParsedFrame;
import dev.repartee.Response;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Lenience;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plain JSON-RPC that notes whether anything was received, and may keep the last response exactly
 * as received, including unknown members. For a connection that makes one call at a time.
 */
class Recorder extends ForwardingCodec implements Dialect {
  private static final Set<Lenience> ANY = EnumSet.allOf(Lenience.class);

  /** The number of bytes in which the method of a notification is looked for. */
  private static final int START = 64;

  private final boolean keeps;
  private volatile boolean heard;
  private volatile boolean items;
  private volatile @Nullable Json response;

  /** Creates a recorder that keeps responses, or not. */
  Recorder(boolean keeps) {
    super(JsonRpc.STRICT);
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
    return this;
  }

  @Override
  public void decode(byte[] frame, int from, int to, ParsedFrame into) {
    heard = true;
    items |= isItems(frame, from, to);
    if (keeps) {
      // Recorded before the engine decodes the frame, because decoding wakes the caller.
      byte[] text = Arrays.copyOfRange(frame, from, to);
      if (JsonRpc.read(text, Limits.DEFAULT, ANY).stream().anyMatch(Response.class::isInstance)) {
        response = Json.parse(text);
      }
    }
    super.decode(frame, from, to, into);
  }

  /** Returns whether a frame looks like items of a stream, as far as its start tells. */
  private static boolean isItems(byte[] frame, int from, int to) {
    int end = Math.min(to, from + START);
    return new String(frame, from, end - from, ISO_8859_1)
        .replace(" ", "")
        .contains("\"method\":\"rpc.items\"");
  }
}
