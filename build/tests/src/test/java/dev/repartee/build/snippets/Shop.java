package dev.repartee.build.snippets;

import java.util.List;
import java.util.Optional;

/** The class of docs/openrpc.md. */
public class Shop {
  public record Item(String name, int cents) {}

  public record Order(int id, List<Item> items, Optional<String> note) {}

  public Order order(int id) {
    return new Order(id, List.of(new Item("pen", 250), new Item("ink", 400)), Optional.empty());
  }

  public int total(Order order) {
    return order.items().stream().mapToInt(Item::cents).sum();
  }
}
