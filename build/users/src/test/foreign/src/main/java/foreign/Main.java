package foreign;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelPair;
import java.time.LocalDate;

/**
 * Calls a method over HTTP with a date, which needs Netty and Jackson, and tests it with testkit.
 */
public class Main {
  private static final Service DESK = Service.of(new Desk());

  private Main() {}

  /** A stay of a guest. */
  public record Stay(String guest, LocalDate from) {}

  /** The service. */
  public static class Desk {
    /** Returns the stay some days later. */
    public Stay postpone(Stay stay, int days) {
      return new Stay(stay.guest(), stay.from().plusDays(days));
    }
  }

  /** Prints the module that it runs in, and the answer. */
  public static void main(String[] args) throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", DESK);
        Peer peer = Repartee.connect(server.endpoint())) {
      Stay stay = new Stay("Ada", LocalDate.of(2024, 2, 28));
      System.out.println(
          Main.class.getModule() + ": " + peer.call("postpone", Stay.class, stay, 2));
    }
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    try (Peer server = Peer.open(pair.server(), DESK, Options.DEFAULT);
        ScriptedPeer client = ScriptedPeer.on(pair.client())) {
      client.send("{\"jsonrpc\":\"2.0\",\"method\":\"none\",\"id\":1}");
      System.out.println(client.receive().contains("-32601"));
    }
  }
}
