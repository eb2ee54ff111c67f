package consumer;

import dev.repartee.json.Json;
import java.net.URI;
import java.time.DayOfWeek;

/** Writes a day of the week and a schema, which need a binder from another module. */
public final class Week {
  private Week() {}

  public static void main(String[] args) {
    System.out.println(Json.of(DayOfWeek.valueOf(args[0])));
    System.out.println(Json.schemaOf(URI.class));
  }
}
