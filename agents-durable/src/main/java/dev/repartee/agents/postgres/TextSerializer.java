package dev.repartee.agents.postgres;

import dev.dbos.transact.json.DBOSSerializer;
import dev.repartee.json.Json;
import java.util.List;

/**
 * Stores the texts of this package as they are. The default of the engine writes the names of Java
 * classes, and creates objects of any class that the database names.
 */
final class TextSerializer implements DBOSSerializer {
  @Override
  public String name() {
    return "repartee";
  }

  /** Writes a text as it is, and the arguments of a workflow as an array of texts. */
  @Override
  public String serialize(Object value) {
    return value instanceof Object[] arguments
        ? Json.of(List.of(arguments)).toString()
        : value.toString();
  }

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
