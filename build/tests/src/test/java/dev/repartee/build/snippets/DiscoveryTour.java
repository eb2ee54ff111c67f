package dev.repartee.build.snippets;

import dev.repartee.*;
import dev.repartee.json.Inline;
import dev.repartee.json.Json;
import dev.repartee.json.OneOf;
import java.util.List;
import java.util.Optional;

/** The code of docs/discovery.md. */
final class DiscoveryTour {
  private DiscoveryTour() {}

  record Item(String name, int cents) {}

  record Order(int id, List<Item> items, Optional<Order> replaces) {}

  record Missing(List<Integer> similar) {}

  static class Shop {
    @Rpc(summary = "Finds an order", description = "Finds an order by its id", tags = "orders")
    @Rpc.Error(code = 404, message = "No such order", data = Missing.class)
    @Rpc.Example(
        name = "an order without items",
        params = "[7]",
        result = "{\"id\":7,\"items\":[]}")
    public Order find(@Param(description = "The id on the bill") int id) {
      if (id != 7) {
        throw new RpcException(404, "No such order", new Missing(List.of(7)));
      }
      return new Order(7, List.of(), Optional.empty());
    }

    @Deprecated
    @Rpc
    public int count() {
      return 1;
    }
  }

  interface ShopEvents {
    @Rpc(value = "order/changed", notification = true)
    void changed(Order order);
  }

  static Service service() {
    return Service.of(new Shop()).sends(ShopEvents.class).described("Shop", "1.0");
  }

  @OneOf(member = "type")
  sealed interface Shape permits Circle, Polygon {}

  record Circle(double radius) implements Shape {} // {"type":"circle","radius":2.5}

  @OneOf.Name("poly")
  record Polygon(List<Integer> corners) implements Shape {} // {"type":"poly","corners":[3,4]}

  @OneOf
  sealed interface Block permits Tag, Height, ByHash {}

  enum Tag implements Block {
    @OneOf.Name("latest")
    LATEST,
    @OneOf.Name("safe")
    SAFE
  }

  @Inline
  record Height(int number) implements Block {} // 17

  record ByHash(String hash) implements Block {} // {"hash":"0x1f"}

  static List<Block> blocks() {
    return List.of(
        Json.parse("\"latest\"").as(Block.class), // Tag.LATEST
        Json.parse("17").as(Block.class), // new Height(17)
        Json.parse("{\"hash\":\"0x1f\"}").as(Block.class)); // new ByHash("0x1f")
  }
}
