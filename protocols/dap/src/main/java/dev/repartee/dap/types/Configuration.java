package dev.repartee.dap.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a debug session: the arguments of {@code launch}, {@code attach} and
 * {@code restart}. The protocol defines two of the members; each debugger defines more.
 *
 * <pre>{@code
 * record Launch(String program, Optional<Boolean> stopOnEntry) {}
 *
 * Launch launch = configuration.as(Launch.class);
 * }</pre>
 *
 * @param json all members, an object
 */
@GeneratedType
public record Configuration(Json json) {
  /**
   * Creates a configuration.
   *
   * @throws IllegalArgumentException if the value is not an object
   */
  public Configuration {
    if (json.kind() != Json.Kind.OBJECT) {
      throw new IllegalArgumentException(
          "a configuration has to be an object, but is " + json.kind().phrase());
    }
  }

  /**
   * Returns the configuration with the members of an object, such as a map or a record.
   *
   * @throws IllegalArgumentException if the object is not written as a JSON object
   */
  public static Configuration of(Object members) {
    return new Configuration(Json.of(members));
  }

  /**
   * Returns the members as an object of this type; other members are ignored.
   *
   * @throws JsonException if a member is missing or has a wrong type
   */
  public <T> T as(Class<T> type) {
    byte[] text = UnsafeJson.array(json);
    return JsonType.of(type).read(text, 0, text.length, UnknownMembers.IGNORE);
  }

  /** Returns a member; null if there is none. */
  public @Nullable Json get(String name) {
    return json.get(name);
  }

  /** Returns whether the program should be launched without debugging. */
  public boolean noDebug() {
    return Json.TRUE.equals(json.get("noDebug"));
  }

  /** Returns the data from the event {@code terminated} of the previous session. */
  public @Nullable Json restart() {
    return json.get("__restart");
  }

  static Configuration read(JsonReader in) {
    if (in.kind() != Json.Kind.OBJECT) {
      throw Wire.unexpected(in, "an object");
    }
    return new Configuration(Wire.json(in));
  }

  static void write(JsonWriter out, Configuration value) {
    out.json(value.json);
  }
}
