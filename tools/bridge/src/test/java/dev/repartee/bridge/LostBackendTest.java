package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.HttpException;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.ReparteeException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls while a shared backend is not connected. */
@Timeout(60)
class LostBackendTest {
  private static final Service ECHO =
      Service.builder().method("echo", call -> call.params()).build();

  /** For Unix sockets: another process could bind a TCP port after its server has closed. */
  @TempDir
  Path folder;

  private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();

  private Bridge bridge(Server backend, Duration connecting) throws IOException {
    return Bridge.to(backend.endpoint().toString())
        .patience(Duration.ofMinutes(1))
        .backendOptions(Options.builder()
            .limits(limits -> limits.connectTimeout(connecting))
            .listener(new Listener() {
              @Override
              public void notice(ChannelInfo channel, String event) {
                notices.add(event);
              }
            })
            .build())
        .open();
  }

  @Test
  void theErrorOfACallTellsWhetherItMayHaveRun() throws Exception {
    RuntimeException rejected = new ReparteeException("no") {
      @Override
      public String unsent() {
        return "the circuit breaker is open";
      }
    };
    assertThat(refused(rejected).error())
        .isEqualTo(new RpcError(
            Bridge.UNREACHABLE,
            "The call did not reach the other side of the bridge and was not run:"
                + " the circuit breaker is open"));
    assertThat(refused(DisconnectedException.unsent("no", "the queue is full", null))
            .code())
        .isEqualTo(Bridge.UNREACHABLE);
    RpcError closing = RpcError.limit(RpcError.BUSY, "Closing", "closing", 0);
    assertThat(refused(new RemoteRpcException("echo", "127.0.0.1:1", closing)).code())
        .isEqualTo(Bridge.UNREACHABLE);
    assertThat(refused(new DisconnectedException("lost", null)).code()).isEqualTo(Bridge.LOST);
    assertThat(refused(new CallTimeoutException("late")).code()).isEqualTo(Bridge.LOST);
    assertThat(refused(new HttpException("no", 500, null, null)).code())
        .isEqualTo(RpcError.INTERNAL_ERROR);
  }

  /** Returns the error that a client gets for a call that fails in this way. */
  private static RemoteRpcException refused(RuntimeException failure) throws IOException {
    Options failing = Options.builder()
        .callLayer((call, next) -> CompletableFuture.failedFuture(failure))
        .build();
    try (Server backend = Repartee.listen("tcp://127.0.0.1:0", ECHO);
        Bridge bridge =
            Bridge.to(backend.endpoint().toString()).backendOptions(failing).open();
        Peer client =
            Repartee.connect(bridge.listen("tcp://127.0.0.1:0").endpoint().toString())) {
      return catchThrowableOfType(RemoteRpcException.class, () -> client.call("echo", Json.class));
    }
  }

  @Test
  void aCallThatWaitsForAConnectionFailsLongBeforeItsTimeForTheAnswer() throws Exception {
    Server backend = Repartee.listen("unix:" + folder.resolve("s"), ECHO);
    try (Bridge bridge = bridge(backend, Duration.ofSeconds(3));
        Peer client =
            Repartee.connect(bridge.listen("tcp://127.0.0.1:0").endpoint().toString())) {
      client.call("echo", Json.class);
      backend.close();
      assertThat(notices.poll(60, TimeUnit.SECONDS)).contains("was lost");
      for (int i = 0; i < 2; i++) {
        RemoteRpcException failure = catchThrowableOfType(
            RemoteRpcException.class,
            () -> client.request("echo").timeout(Duration.ofSeconds(55)).call(Json.class));
        assertThat(failure.code()).isEqualTo(Bridge.UNREACHABLE);
        assertThat(failure.error().message())
            .endsWith("was not run: no connection was open within 3 s");
      }
    }
  }

  @Test
  void theDefaultTimeToConnectLeavesTimeForTheAnswerToAClientWithDefaults() {
    assertThat(Limits.DEFAULT.connectTimeout())
        .isLessThan(Limits.DEFAULT.callTimeout().dividedBy(3));
  }

  @Test
  void aCallThatWaitsIsSentWhenTheBackendIsBack() throws Exception {
    Server backend = Repartee.listen("unix:" + folder.resolve("s"), ECHO);
    String address = backend.endpoint().toString();
    try (Bridge bridge = bridge(backend, Duration.ofSeconds(50));
        Peer client =
            Repartee.connect(bridge.listen("tcp://127.0.0.1:0").endpoint().toString())) {
      client.call("echo", Json.class);
      backend.close();
      assertThat(notices.poll(60, TimeUnit.SECONDS)).contains("was lost");
      CallFuture<Json> waiting = client.request("echo").args(1).send(Json.class);
      Server again = Repartee.listen(address, ECHO);
      try {
        assertThat(waiting.get(50, TimeUnit.SECONDS)).hasToString("[1]");
      } finally {
        again.close();
      }
    }
  }

  /** Returns a backend that opens subscriptions and gives this answer to rpc.discover. */
  private Server subscribing(Object description) throws IOException {
    AtomicInteger ids = new AtomicInteger();
    Service service = Service.builder()
        .others(Lane.INLINE, call -> switch (call.method()) {
          case "rpc.discover" -> description;
          case "subscribe" -> "0x%032x".formatted(ids.incrementAndGet());
          default -> 1;
        })
        .build();
    Options plain = Options.builder().builtins().build();
    return Repartee.listen("unix:" + folder.resolve("s"), service, plain);
  }

  @Test
  void aSubscriptionEndsWithItsConnectionAlsoIfTheMethodsAreKnownOnlyInTheNextOne()
      throws Exception {
    Server first = subscribing(new CompletableFuture<>());
    try (Bridge bridge = bridge(first, Duration.ofSeconds(50));
        ScriptedPeer client = ScriptedPeer.on(Transport.open(
            bridge.listen("tcp://127.0.0.1:0").endpoint(), Limits.DEFAULT, Headers.NONE))) {
      client.send("""
          {"jsonrpc":"2.0","method":"subscribe","id":1}""");
      assertThat(client.receive()).contains("\"result\":\"0x");
      client.send("""
          [{"jsonrpc":"2.0","method":"subscribe","id":2}]"""); // waits
      client.send("""
          {"jsonrpc":"2.0","method":"ping","id":3}""");
      client.expect("""
          {"jsonrpc":"2.0","result":1,"id":3}""");
      first.close(Duration.ZERO);
      assertThat(client.receive()).startsWith("[").contains("\"id\":2");
      Server again = subscribing(SubscribersTest.DOCUMENT);
      try {
        for (int i = 1; i <= 2; i++) {
          assertThat(client.receive())
              .contains("\"method\":\"item\"", "-32006", "\"0x%032x\"".formatted(i));
        }
      } finally {
        again.close();
      }
    }
  }

  @Test
  void theReasonOfADaemonForTheEndOfTheConnectionReachesTheClientOfTheCall() throws Exception {
    try (ServerSocket daemon = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Bridge bridge = Bridge.to(
                "tcp://127.0.0.1:" + daemon.getLocalPort() + "#envelope=lazydap&framing=lines")
            .open();
        Peer client =
            Repartee.connect(bridge.listen("tcp://127.0.0.1:0").endpoint().toString());
        RawConnection connection = new RawConnection(daemon.accept())) {
      CallFuture<Json> unreadable = client.callAsync("Scopes", Json.class);
      CallFuture<Json> behind = client.callAsync("Status", Json.class);
      assertThat(connection.line()).contains("Scopes");
      assertThat(connection.line()).contains("Status");
      connection.send("""
          {"version":10,"id":0,"payload":{"Error":{"code":"BadRequest",\
          "message":"UUID parsing failed","details":{}}}}
          """).endOutput();
      RemoteRpcException failure =
          catchThrowableOfType(RemoteRpcException.class, unreadable::await);
      assertThat(failure.error().message()).isEqualTo("UUID parsing failed");
      assertThat(catchThrowableOfType(RemoteRpcException.class, behind::await).code())
          .isEqualTo(Bridge.LOST);
    }
  }
}
