package consumer;

import consumer.shut.Shut;
import dev.repartee.Param;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.time.LocalDate;

/** Serves an object of a package that is not exported, and calls it. */
public final class Main {
  private Main() {}

  record Stay(LocalDate from, @Param(defaultsTo = "1") int nights) {}

  interface Inn {
    Stay move(Stay stay, int days);

    default LocalDate end(Stay stay) {
      return stay.from().plusDays(stay.nights());
    }
  }

  static final class Desk implements Inn {
    @Override
    public Stay move(Stay stay, int days) {
      return new Stay(stay.from().plusDays(days), stay.nights());
    }
  }

  public static void main(String[] args) throws Exception {
    if (!Json.class.getModule().isNamed()) {
      throw new IllegalStateException("dev.repartee is on the class path");
    }
    for (String uri : args) {
      try (Server server = Repartee.listen(uri, Service.of(new Desk()));
          Peer peer = Repartee.connect(server.endpoint())) {
        Inn inn = peer.proxy(Inn.class);
        Stay moved = inn.move(new Stay(LocalDate.of(2024, 2, 28), 2), 1);
        Json raw = peer.request("move")
            .params(Json.parse("[{\"from\":\"2024-12-31\"},1]"))
            .call(Json.class);
        System.out.println(
            peer.channel().transport() + " " + moved + " " + inn.end(moved) + " " + raw);
      }
    }
    Shut.show();
  }
}
