package dev.repartee.trace;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.transport.ChannelInfo;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lines of a recording, as docs/recording.md specifies them. */
final class EntryText {
  static final int VERSION = 1;
  private static final String KIND = "recording";

  private EntryText() {}

  // ---------------------------------------------------------------- writing

  /** Returns the first line. */
  static JsonWriter header(Instant started, Mask mask) {
    return new JsonWriter()
        .ascii("{\"repartee\":\"" + KIND + "\",\"version\":")
        .number(VERSION)
        .ascii(",\"started\":")
        .string(started.toString())
        .ascii(",\"mask\":")
        .string(mask.label())
        .ascii("}\n");
  }

  static JsonWriter line(Entry entry) {
    JsonWriter out = new JsonWriter(512)
        .ascii("{\"t\":")
        .number(entry.at().toNanos() / 1000)
        .ascii(",\"conn\":")
        .number(entry.connection());
    if (entry instanceof Entry.Frame frame) {
      frame(out, frame);
    } else if (entry instanceof Entry.Opened opened) {
      ChannelInfo channel = opened.channel();
      event(out, "opened");
      member(out, "transport", channel.transport());
      member(out, "peer", channel.remote());
      member(out, "framing", channel.framing());
    } else if (entry instanceof Entry.Closed closed) {
      event(out, "closed");
      member(out, "reason", closed.reason());
    } else if (entry instanceof Entry.Fault fault) {
      event(out, "fault");
      member(out, "reason", fault.reason());
    } else if (entry instanceof Entry.Lost lost) {
      event(out, "lost");
      out.ascii(",\"entries\":").number(lost.entries());
    } else {
      event(out, "full");
    }
    return out.ascii("}\n");
  }

  private static void frame(JsonWriter out, Entry.Frame frame) {
    member(out, "dir", frame.direction().label());
    out.ascii(",\"size\":").number(frame.size());
    if (frame.cut()) {
      out.ascii(",\"cut\":true");
    }
    Json message = frame.message();
    if (message != null) {
      out.ascii(",\"message\":").json(message);
    }
    member(out, "text", frame.text());
    member(out, "base64", frame.base64());
  }

  private static void event(JsonWriter out, String event) {
    member(out, "event", event);
  }

  private static void member(JsonWriter out, String name, @Nullable String value) {
    if (value != null) {
      out.put(',').string(name).put(':').string(value);
    }
  }

  // ---------------------------------------------------------------- reading

  /**
   * Reads the first line.
   *
   * @throws JsonException if it is not that of a recording of this version
   */
  static Recording.Header header(Json line) {
    Map<String, Json> members = line.members(); // none if it is no object
    if (!KIND.equals(optional(members, "repartee"))) {
      throw new JsonException("expected the first line of a recording, {\"repartee\":\"" + KIND
          + "\",\"version\":" + VERSION + ",...}");
    }
    long version = number(members, "version");
    if (version != VERSION) {
      throw new JsonException("member 'version': this release reads the version " + VERSION
          + " of recordings, not " + version);
    }
    try {
      String mask = optional(members, "mask");
      return new Recording.Header(
          Instant.parse(text(members, "started")), mask == null ? "" : mask);
    } catch (DateTimeException e) {
      throw new JsonException("member 'started': expected a time such as 2026-01-31T12:00:00Z");
    }
  }

  /**
   * Reads a line behind the first.
   *
   * @return null for an event of a later release
   * @throws JsonException if a member is missing or does not fit; the message names it
   */
  static @Nullable Entry entry(Json line) {
    if (line.kind() != Json.Kind.OBJECT) {
      throw new JsonException("expected an object, got " + line.kind().phrase());
    }
    Map<String, Json> members = line.members();
    Duration at = Duration.of(number(members, "t"), ChronoUnit.MICROS);
    long connection = number(members, "conn");
    String event = optional(members, "event");
    if (event == null) {
      return new Entry.Frame(
          at,
          connection,
          direction(text(members, "dir")),
          number(members, "size"),
          members.get("message"),
          optional(members, "text"),
          optional(members, "base64"),
          members.containsKey("cut") && required(members, "cut").as(boolean.class));
    }
    return switch (event) {
      case "opened" ->
        new Entry.Opened(
            at,
            connection,
            new ChannelInfo(
                text(members, "transport"), text(members, "peer"), text(members, "framing")));
      case "closed" -> new Entry.Closed(at, connection, optional(members, "reason"));
      case "fault" -> new Entry.Fault(at, connection, text(members, "reason"));
      case "lost" -> new Entry.Lost(at, number(members, "entries"));
      case "full" -> new Entry.Full(at);
      default -> null;
    };
  }

  private static Direction direction(String label) {
    for (Direction direction : Direction.values()) {
      if (direction.label().equals(label)) {
        return direction;
      }
    }
    throw new JsonException("member 'dir': expected \"in\" or \"out\"");
  }

  private static long number(Map<String, Json> members, String name) {
    return member(name, required(members, name), long.class);
  }

  private static String text(Map<String, Json> members, String name) {
    return member(name, required(members, name), String.class);
  }

  private static @Nullable String optional(Map<String, Json> members, String name) {
    Json value = members.get(name);
    return value == null ? null : member(name, value, String.class);
  }

  private static Json required(Map<String, Json> members, String name) {
    Json value = members.get(name);
    if (value == null) {
      throw new JsonException("the member '" + name + "' is missing");
    }
    return value;
  }

  private static <T> T member(String name, Json value, Class<T> type) {
    try {
      return value.as(type);
    } catch (JsonException e) {
      throw new JsonException("member '" + name + "': " + e.getMessage());
    }
  }
}
