package consumer;

import dev.repartee.Json;

public final class Main {
  private Main() {}

  public static void main(String[] args) {
    if (!Json.class.getModule().isNamed()) {
      throw new IllegalStateException("dev.repartee is on the class path");
    }
    System.out.println(Json.parse("[1,2]"));
  }
}
