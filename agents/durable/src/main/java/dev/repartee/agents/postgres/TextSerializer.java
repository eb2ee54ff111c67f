package dev.repartee.agents.postgres;

import dev.dbos.transact.json.DBOSSerializer;
import dev.repartee.json.Json;
import java.util.List;

/**
 * Stores the JSON texts of this package unchanged. The default serializer of the engine is not
 * safe: it reads class names from the database, and creates objects of these classes.
 */
final class TextSerializer implements DBOSSerializer {
  @Override
  public String name() {
    return "repartee";
  }

  /** Writes a text unchanged, and the arguments of a workflow as an array of texts. */
  @Override
  public String serialize(Object value) {
    return value instanceof Object[] arguments
        ? Json.of(List.of(arguments)).toString()
        : value.toString();
  }

  /** Reads an array as the arguments of a workflow; all other texts of this package are objects. */
  @Override
  public Object deserialize(String text) {
    return text.startsWith("[")
        ? Json.parse(text).elements().stream()
            .map(element -> element.as(String.class))
            .toArray()
        : text;
  }

  @Override
  public String serializeThrowable(Throwable throwable) {
    return throwable.toString();
  }

  @Override
  public Throwable deserializeThrowable(String text) {
    return new IllegalStateException(text);
  }
}
