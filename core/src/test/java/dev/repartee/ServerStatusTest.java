package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The member {@code server} of the answer to {@code rpc.status}. */
@Timeout(60)
class ServerStatusTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Service service = Service.of(new Methods());

  @AfterEach
  void release() {
    released.countDown();
  }

  /** A method that runs until it is released, and others that the reader runs. */
  public final class Methods {
    @Rpc
    public void hold() throws InterruptedException {
      begun.countDown();
      released.await();
    }

    @Rpc(lane = Lane.INLINE)
    public int one() {
      return 1;
    }

    @Rpc(lane = Lane.INLINE)
    public void fail() {
      throw new RpcException(7, "failed");
    }

    @Rpc(lane = Lane.INLINE)
    public void failSeen(Call call) {
      throw new RpcException(7, "failed");
    }
  }

  private static Json status(Peer peer) {
    return peer.call("rpc.status", Json.class);
  }

  private static String server(Peer peer, String member) {
    return RawPeer.at(status(peer), "/server/" + member).toString();
  }

  private static Server listen(Service service) throws Exception {
    return Repartee.listen("tcp://127.0.0.1:0", service);
  }

  private static Peer connect(Server server) throws Exception {
    return Repartee.connect(server.endpoint());
  }

  @Test
  void theServerCountsTheCallsAndErrorsOfAllConnections() throws Exception {
    try (Server server = listen(service);
        Peer other = connect(server)) {
      Peer one = connect(server);
      CallFuture<Json> held = one.callAsync("hold", Json.class);
      assertThat(begun.await(30, SECONDS)).isTrue();
      assertThat(other.call("one", int.class)).isEqualTo(1);
      assertThatThrownBy(() -> other.call("fail", Json.class)).isInstanceOf(RpcException.class);
      Json status = status(other);
      assertThat(RawPeer.at(status, "/running")).hasToString("0");
      assertThat(RawPeer.at(status, "/server/connections")).hasToString("{\"open\":2,\"total\":2}");
      assertThat(RawPeer.at(status, "/server/calls"))
          .hasToString("{\"running\":1,\"waiting\":0,\"total\":4}");
      assertThat(RawPeer.at(status, "/server/errors")).hasToString("{\"total\":1}");
      released.countDown();
      held.get(30, SECONDS);
      one.close();
      String connections = "";
      while (!connections.equals("{\"open\":1,\"total\":2}")) { // the server notices the end later
        connections = server(other, "connections");
      }
    }
  }

  @Test
  void everyErrorResponseAndEveryFailedNotificationIsAnError() throws Exception {
    try (Server server = listen(service);
        RawPeer raw = new RawPeer(server);
        Peer peer = connect(server)) {
      raw.send("""
          [{"jsonrpc":"2.0","id":1,"method":"none"},\
          {"jsonrpc":"2.0","id":2,"method":"fail"},\
          {"jsonrpc":"2.0","id":3,"method":"failSeen"},\
          {"jsonrpc":"2.0","id":4,"method":"one"}]""");
      raw.read();
      raw.send("""
          {"jsonrpc":"2.0","method":"failSeen"}""");
      raw.send("""
          {"jsonrpc":"2.0","method":"fail"}""");
      raw.send("not JSON");
      raw.read();
      assertThat(server(peer, "errors")).isEqualTo("{\"total\":6}");
      assertThat(server(peer, "calls/total")).isEqualTo("7"); // "none" was not started
    }
  }

  @Test
  void thePeersOfAFactoryBelongToTheServer() throws Exception {
    PeerFactory factory = channel -> Peer.open(channel, service, Options.DEFAULT);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", factory, Options.DEFAULT);
        Peer one = connect(server);
        Peer other = connect(server)) {
      assertThatThrownBy(() -> one.call("fail", Json.class)).isInstanceOf(RpcException.class);
      assertThat(server(other, "connections/total")).isEqualTo("2");
      assertThat(server(other, "errors/total")).isEqualTo("1");
    }
  }

  @Test
  void aConnectionThatTheFactoryRefusesIsNotOpen() throws Exception {
    CountDownLatch refused = new CountDownLatch(1);
    PeerFactory factory = channel -> {
      if (refused.getCount() > 0) {
        refused.countDown();
        throw new IllegalStateException("refused");
      }
      return Peer.open(channel, service, Options.DEFAULT);
    };
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", factory, Options.DEFAULT);
        RawPeer raw = new RawPeer(server)) {
      assertThat(refused.await(30, SECONDS)).isTrue();
      assertThatThrownBy(raw::read).hasMessageContaining("ended");
      try (Peer peer = connect(server)) {
        assertThat(server(peer, "connections")).isEqualTo("{\"open\":1,\"total\":2}");
      }
    }
  }

  @Test
  void aPeerWithoutAServerReportsOnlyItsConnection() throws Exception {
    try (Server server = listen(service);
        Peer client = Repartee.connect(server.endpoint(), service, Options.DEFAULT)) {
      assertThat(client.call("one", int.class)).isEqualTo(1);
      Peer back = server.peers().iterator().next();
      assertThat(status(back)).hasToString("{\"running\":0,\"waiting\":0,\"pending\":0}");
    }
  }

  @Test
  void theReportHasTheVersionOfADescribedService() throws Exception {
    try (Server server = listen(service.described("secret title", "4.5"));
        Peer peer = connect(server)) {
      assertThat(server(peer, "version")).isEqualTo("\"4.5\"");
    }
    try (Server server = listen(service);
        Peer peer = connect(server)) {
      assertThat(RawPeer.at(status(peer), "/server").get("version")).isNull();
    }
  }

  @Test
  void theReportTellsAStrangerNothingButVersionsAndNumbers() throws Exception {
    try (Server server = listen(service.described("secret title", "4.5"));
        Peer peer = connect(server)) {
      assertThat(status(peer).toString().replaceAll("\"[a-zA-Z]+\":", "").replaceAll("[{},]", " "))
          .matches("[\\d ]+\"\\Q" + Repartee.version() + "\\E\" \"4[.]5\"[\\d ]+");
    }
  }

  @Test
  void theUptimeIsCountedInSeconds() {
    FakeClock clock = new FakeClock();
    ServerStatus status = new ServerStatus(clock);
    clock.advance(Duration.ofSeconds(90).minusNanos(1));
    assertThat(status.report(service).get("uptimeSeconds")).hasToString("89");
    clock.advance(Duration.ofNanos(1));
    assertThat(status.report(service).get("uptimeSeconds")).hasToString("90");
  }

  @Test
  void theDocumentDescribesTheStatusWhereItIsOffered() throws Exception {
    try (Server server = listen(service.described("title", "4.5"));
        Peer peer = connect(server)) {
      Json methods = RawPeer.at(peer.call("rpc.discover", Json.class), "/methods");
      Json described = methods.elements().stream()
          .filter(method -> Json.of("rpc.status").equals(method.get("name")))
          .findAny()
          .orElseThrow();
      assertFits(status(peer), RawPeer.at(described, "/result/schema"));
    }
    Options others = Options.builder().builtins(Options.Builtin.DISCOVER).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.NONE, others);
        Peer peer = connect(server)) {
      assertThat(RawPeer.at(peer.call("rpc.discover", Json.class), "/methods"))
          .isEqualTo(Json.EMPTY_ARRAY);
    }
  }

  /** Requires that the value has the members that the schema describes, and no others. */
  private static void assertFits(Json value, Json schema) {
    Map<String, Json> properties = RawPeer.at(schema, "/properties").members();
    assertThat(value.members()).containsOnlyKeys(properties.keySet());
    assertThat(RawPeer.at(schema, "/required").elements())
        .allMatch(name -> properties.containsKey(name.as(String.class)));
    properties.forEach((name, type) -> {
      Json member = Objects.requireNonNull(value.get(name));
      String expected = Objects.requireNonNull(type.get("type")).as(String.class);
      assertThat(member.kind())
          .as(name)
          .isEqualTo(expected.equals("integer") ? Json.Kind.NUMBER : kind(expected));
      if (expected.equals("object")) {
        assertFits(member, type);
      }
    });
  }

  private static Json.Kind kind(String type) {
    return type.equals("object") ? Json.Kind.OBJECT : Json.Kind.STRING;
  }
}
