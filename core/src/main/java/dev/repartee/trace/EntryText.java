package dev.repartee.trace;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonMembers;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonWriter;
import dev.repartee.transport.ChannelInfo;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The lines of a recording, as docs/recording.md specifies them. */
final class EntryText {
  static final int VERSION = 1;
  private static final String KIND = "recording";

  private EntryText() {}

  // ---------------------------------------------------------------- writing

  /** Returns the first line. */
  static JsonWriter header(Instant started, Mask mask) {
    return line(new JsonObjectBuilder()
        .put("repartee", KIND)
        .put("version", VERSION)
        .put("started", started.toString())
        .put("mask", mask.label())
        .build());
  }

  static JsonWriter line(Entry entry) {
    JsonObjectBuilder line = new JsonObjectBuilder()
        .put("t", entry.at().toNanos() / 1000)
        .put("conn", entry.connection());
    if (entry instanceof Entry.Frame frame) {
      line.put("dir", frame.direction().label())
          .put("size", frame.size())
          .flag("cut", frame.cut())
          .put("message", frame.message())
          .put("text", frame.text())
          .put("base64", frame.base64());
    } else if (entry instanceof Entry.Opened opened) {
      ChannelInfo channel = opened.channel();
      line.put("event", "opened")
          .put("transport", channel.transport())
          .put("peer", channel.remote())
          .put("framing", channel.framing());
    } else if (entry instanceof Entry.Closed closed) {
      line.put("event", "closed").put("reason", closed.reason());
    } else if (entry instanceof Entry.Fault fault) {
      line.put("event", "fault").put("reason", fault.reason());
    } else if (entry instanceof Entry.Lost lost) {
      line.put("event", "lost").put("entries", lost.entries());
    } else {
      line.put("event", "full");
    }
    return line(line.build());
  }

  private static JsonWriter line(Json object) {
    return new JsonWriter(object.length() + 1).json(object).put('\n');
  }

  // ---------------------------------------------------------------- reading

  /** The members of a line. */
  private static final class Line extends JsonMembers {
    Line(Json object) {
      super("", object.members());
    }

    @Override
    protected JsonException unfit(String path, String expected, @Nullable Json value) {
      return new JsonException(
          value == null
              ? "the member '" + path + "' is missing"
              : "member '" + path + "': expected " + expected + ", got "
                  + value.kind().phrase());
    }

    Direction direction() {
      String label = string("dir");
      return Arrays.stream(Direction.values())
          .filter(direction -> direction.label().equals(label))
          .findFirst()
          .orElseThrow(() -> new JsonException("member 'dir': expected \"in\" or \"out\""));
    }
  }

  /**
   * Reads the first line.
   *
   * @throws JsonException if it is not the header of a recording of this version
   */
  static Recording.Header header(Json first) {
    Line line = new Line(first); // none if it is not an object
    if (!KIND.equals(line.optionalString("repartee"))) {
      throw new JsonException("expected the first line of a recording, {\"repartee\":\"" + KIND
          + "\",\"version\":" + VERSION + ",...}");
    }
    long version = line.integer("version");
    if (version != VERSION) {
      throw new JsonException("member 'version': this release reads the version " + VERSION
          + " of recordings, not " + version);
    }
    try {
      String mask = line.optionalString("mask");
      return new Recording.Header(Instant.parse(line.string("started")), mask == null ? "" : mask);
    } catch (DateTimeException e) {
      throw new JsonException("member 'started': expected a time such as 2026-01-31T12:00:00Z");
    }
  }

  /**
   * Reads a line after the first.
   *
   * @return null for an event of a later release
   * @throws JsonException if a member is missing or does not fit; the message names it
   */
  static @Nullable Entry entry(Json json) {
    if (json.kind() != Json.Kind.OBJECT) {
      throw new JsonException("expected an object, got " + json.kind().phrase());
    }
    Line line = new Line(json);
    Duration at = Duration.of(line.integer("t"), ChronoUnit.MICROS);
    long connection = line.integer("conn");
    String event = line.optionalString("event");
    if (event == null) {
      return new Entry.Frame(
          at,
          connection,
          line.direction(),
          line.integer("size"),
          line.get("message"),
          line.optionalString("text"),
          line.optionalString("base64"),
          line.flag("cut"));
    }
    return switch (event) {
      case "opened" ->
        new Entry.Opened(
            at,
            connection,
            new ChannelInfo(line.string("transport"), line.string("peer"), line.string("framing")));
      case "closed" -> new Entry.Closed(at, connection, line.optionalString("reason"));
      case "fault" -> new Entry.Fault(at, connection, line.string("reason"));
      case "lost" -> new Entry.Lost(at, line.integer("entries"));
      case "full" -> new Entry.Full(at);
      default -> null;
    };
  }
}
