package dev.repartee.build.snippets;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeInfo.Id;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.io.IOException;
import java.time.LocalDate;

/** The code of binding/jackson/README.md. */
final class JacksonShop {
  private JacksonShop() {}

  enum Size {
    SMALL,
    LARGE
  }

  record Order(Size size, LocalDate due) {}

  @JsonTypeInfo(use = Id.NAME, property = "kind")
  @JsonSubTypes({
    @Type(value = Accepted.class, name = "accepted"),
    @Type(value = Refused.class, name = "refused")
  })
  sealed interface Outcome {}

  record Accepted(LocalDate due) implements Outcome {}

  record Refused(String why) implements Outcome {}

  static class Shop {
    public Outcome place(Order order) {
      return order.size() == Size.SMALL ? new Accepted(order.due()) : new Refused("too large");
    }
  }

  /** Places an order. Order and outcome are JSON texts. */
  static String place(String order) throws IOException {
    try (Server server = Repartee.listen("mem:shop", Service.of(new Shop()));
        Peer client = Repartee.connect(server.endpoint())) {
      return client.call("place", Json.class, Json.parse(order)).toString();
    }
  }
}
