package dev.repartee.build.snippets;

import dev.repartee.*;
import dev.repartee.jackson.JacksonBinder;
import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.Naming;
import java.util.List;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** The code of core/README.md and binding/jackson/README.md on the types of an endpoint. */
final class TypesTour {
  private TypesTour() {}

  record Quantity(long value) {
    static Quantity parse(String text) {
      return new Quantity(Long.decode(text));
    }

    String hex() {
      return "0x" + Long.toHexString(value);
    }
  }

  record Block(Quantity blockNumber, byte[] extraData) {}

  static Block latest(String uri) throws Exception {
    Options options = Options.builder()
        .naming(Naming.SNAKE_CASE) // "block_number", "extra_data"
        .binder(
            Binder.text(Quantity.class, "a quantity such as 0x1f", Quantity::parse, Quantity::hex))
        .binder(Binder.base64()) // byte[] as text, not as an array of numbers
        .build();
    try (Peer chain = Repartee.connect(uri, options)) {
      return chain.call("latest", Block.class, new Quantity(31));
    }
  }

  static class Account {
    public String ownerName = "";
  }

  static List<Json> create(String one, String other) throws Exception {
    JsonMapper mapper = JacksonBinder.builder()
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .build();
    Options snakeCase = Options.builder().binder(new JacksonBinder(mapper)).build();
    try (Peer bank = Repartee.connect(one, snakeCase);
        Peer shop = Repartee.connect(other)) {
      Json atBank = bank.call("create", Json.class, new Account()); // "owner_name"
      Json atShop = shop.call("create", Json.class, new Account()); // "ownerName"
      return List.of(atBank, atShop);
    }
  }
}
