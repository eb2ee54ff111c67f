package consumer.shut;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;

/** Shows the errors for types in a package that is neither exported nor opened. */
public final class Shut {
  private Shut() {}

  record Point(int x) {}

  public static final class Desk {
    public int price() {
      return 1;
    }
  }

  interface Plain {
    String name();
  }

  interface WithDefault {
    default int price() {
      return 1;
    }
  }

  public static void show() {
    print("service", () -> Service.of(new Desk()));
    print("written", () -> Json.of(new Point(1)));
    print("read", () -> Json.parse("{\"x\":1}").as(Point.class));
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Service service = Service.builder().method("name", call -> "Ada").build();
    Peer.open(pair.server(), service, Options.DEFAULT);
    try (Peer client = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      System.out.println("proxy: " + client.proxy(Plain.class).name());
      print("default", () -> client.proxy(WithDefault.class).price());
    }
  }

  private static void print(String what, Runnable use) {
    try {
      use.run();
    } catch (RuntimeException e) {
      System.out.println(what + ": " + e);
    }
  }
}
