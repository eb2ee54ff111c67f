package consumer;

import dev.repartee.json.Json;
import java.time.DayOfWeek;

/** Writes a day of the week, which needs a binder from another module. */
public final class Week {
  private Week() {}

  public static void main(String[] args) {
    System.out.println(Json.of(DayOfWeek.valueOf(args[0])));
  }
}
