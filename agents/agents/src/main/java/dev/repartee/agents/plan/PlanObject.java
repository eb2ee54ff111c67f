package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonMembers;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the members of an object of a plan. Errors name its place. Not thread-safe. */
final class PlanObject extends JsonMembers {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)?");

  /** The names that were looked up; {@link #requireNoOthers} rejects all others. */
  private final Set<String> known = new LinkedHashSet<>();

  private PlanObject(String place, Json object) {
    super(place, object.members());
  }

  static PlanObject of(Json value, String place) {
    PlanObject object = new PlanObject(place, value);
    if (value.kind() != Json.Kind.OBJECT) {
      throw object.unfit(place, "an object", value);
    }
    return object;
  }

  @Override
  protected PlanException unfit(String path, String expected, @Nullable Json value) {
    String found = value == null ? "a missing member" : value.kind().phrase();
    return new PlanException(path, "expected " + expected + ", not " + found);
  }

  PlanException error(String member, String reason) {
    return new PlanException(path(member), reason);
  }

  @Override
  public @Nullable Json get(String name) {
    known.add(name);
    return super.get(name);
  }

  @Nullable String text(String name) {
    String text = optionalString(name);
    if (text != null && text.isBlank()) {
      throw error(name, "expected a text with at least one character");
    }
    return text;
  }

  /** Returns an integer from 1 to a maximum; 0 if the member is missing. */
  int count(String name, int most) {
    Json value = get(name, Json.Kind.NUMBER);
    if (value == null) {
      return 0;
    }
    int count;
    try {
      count = value.as(int.class);
    } catch (JsonException e) {
      count = 0;
    }
    if (count < 1 || count > most) {
      throw error(name, "expected an integer from 1 to " + most + ", not " + value);
    }
    return count;
  }

  @Nullable Duration duration(String name) {
    Json value = get(name);
    if (value == null) {
      return null;
    }
    String text = value.text();
    Matcher matcher = DURATION.matcher(text.strip());
    if (!matcher.matches() || matcher.group(1).matches("0+")) {
      throw error(
          name, "expected a time such as 300ms, 2s, 1m, 1h or a number of seconds, not " + value);
    }
    long amount = Long.parseLong(matcher.group(1));
    String unit = matcher.group(2) == null ? "s" : matcher.group(2);
    return switch (unit) {
      case "ms" -> Duration.ofMillis(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofSeconds(amount);
    };
  }

  @Nullable PlanObject object(String name) {
    Json value = get(name);
    return value == null ? null : of(value, path(name));
  }

  /** Returns a JSON Schema: an object or a boolean. */
  @Nullable Json schema(String name) {
    Json value = get(name);
    if (value != null && value.kind() != Json.Kind.OBJECT && value.kind() != Json.Kind.BOOLEAN) {
      throw unfit(path(name), "a JSON Schema", value);
    }
    return value;
  }

  List<Json> elements(String name) {
    Json value = get(name, Json.Kind.ARRAY);
    List<Json> elements = value == null ? List.of() : value.elements();
    if (elements.isEmpty()) {
      throw error(name, "expected an array with at least one step");
    }
    return elements;
  }

  /** Throws if the object has a member that was not looked up. Call it after all look-ups. */
  void requireNoOthers() {
    for (String name : members().keySet()) {
      if (!known.contains(name)) {
        throw error(name, "unknown member; known here: " + String.join(", ", known));
      }
    }
  }
}
