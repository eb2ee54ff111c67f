package consumer;

import dev.repartee.Json;
import java.time.DayOfWeek;
import java.util.List;

public final class Main {
  private Main() {}

  public static void main(String[] args) {
    if (!Json.class.getModule().isNamed()) {
      throw new IllegalStateException("dev.repartee is on the class path");
    }
    Object known = args.length > 0 ? DayOfWeek.valueOf(args[0]) : List.of(1, 2);
    System.out.println(Json.of(known));
  }
}
