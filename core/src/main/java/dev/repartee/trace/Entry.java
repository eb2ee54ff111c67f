package dev.repartee.trace;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An event on a traced connection: one line of a recording. Immutable. */
public sealed interface Entry {
  /**
   * Reads a line of a recording after the first, for programs that have the lines from elsewhere
   * than a file. {@link Recording#read} reads files.
   *
   * @return null for an event of a later release, to be ignored
   * @throws JsonException if a member is missing or does not fit; the message names it
   */
  static @Nullable Entry read(Json line) {
    return EntryText.entry(line);
  }

  /** Returns the time since the start of the trace, to the microsecond. */
  Duration at();

  /**
   * Returns the number of the connection, from 1 on; 0 for {@link Lost} and {@link Full}. Each HTTP
   * request that a server receives has its own number.
   */
  long connection();

  /**
   * The start of a connection.
   *
   * @param channel the transport, the peer and the framing at this time
   */
  record Opened(Duration at, long connection, ChannelInfo channel) implements Entry {}

  /**
   * A message or batch: the content of one frame. At most one of {@code message}, {@code text} and
   * {@code base64} is present. None is present if the mask hides a frame that is not JSON.
   *
   * @param size the size of the frame in bytes, before it was masked and cut
   * @param message the JSON text of the frame, masked and without white space between its parts
   * @param text a frame that is not JSON, or the beginning of a long one
   * @param base64 a frame that is not UTF-8 either, or its beginning
   * @param cut whether {@code text} or {@code base64} is only the beginning
   */
  record Frame(
      Duration at,
      long connection,
      Direction direction,
      long size,
      @Nullable Json message,
      @Nullable String text,
      @Nullable String base64,
      boolean cut)
      implements Entry {}

  /**
   * Input that is not a frame, or a broken rule of the transport.
   *
   * @param reason a sentence, which may contain an excerpt of the input unless a mask is set
   */
  record Fault(Duration at, long connection, String reason) implements Entry {}

  /**
   * The end of a connection.
   *
   * @param reason the failure that ended it, or its class if a mask hides the message; null after
   *     an orderly end
   */
  record Closed(Duration at, long connection, @Nullable String reason) implements Entry {}

  /**
   * Events that are missing here, since the disk or the reader of standard error was slower than
   * the connections.
   *
   * @param at the time of the last of them
   * @param entries the number of the missing events
   */
  record Lost(Duration at, long entries) implements Entry {
    @Override
    public long connection() {
      return 0;
    }
  }

  /** The end of a recording that has reached its maximum size: later events are missing. */
  record Full(Duration at) implements Entry {
    @Override
    public long connection() {
      return 0;
    }
  }
}
