package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Naming;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

@NullMarked
class ReparteeExtensionTest {
  /** A service with a state. */
  public static final class Counter {
    private final AtomicInteger count = new AtomicInteger();

    public int next() {
      return count.incrementAndGet();
    }
  }

  interface Annotated {
    @Rpc("next")
    int following();
  }

  interface Plain {
    int next();
  }

  @RegisterExtension
  static final ReparteeExtension RPC = ReparteeExtension.serving(Counter::new).proxies(Plain.class);

  private final Server constructed;

  ReparteeExtensionTest(Server constructed) {
    this.constructed = constructed;
  }

  @BeforeEach
  void theStateIsNew(Peer client) {
    assertThat(client.call("next", int.class)).isEqualTo(1);
  }

  @Test
  void aTestGetsAServerAClientAndProxies(
      Server server, Peer client, Annotated annotated, Plain plain, ScriptedPeer scripted) {
    assertThat(server).isSameAs(constructed);
    assertThat(server.endpoint().toString()).startsWith("mem:").isNotEqualTo("mem:*");
    assertThat(client.call("next", int.class)).isEqualTo(2);
    assertThat(annotated.following()).isEqualTo(3);
    assertThat(plain.next()).isEqualTo(4);
    scripted.send("""
        {"jsonrpc":"2.0","method":"next","id":1}""");
    scripted.expect("""
        {"jsonrpc":"2.0","result":5,"id":1}""");
  }

  @Test
  void eachTestHasAServerOfItsOwn(Peer client) {
    assertThat(client.call("next", int.class)).isEqualTo(2);
  }

  private static TestExecutionSummary run(Class<?> tests) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    return listener.getSummary();
  }

  /** Run by the tests below. */
  static class OverTcp {
    static final List<Object> SEEN = new ArrayList<>();

    record Point(int leftSide) {}

    @RegisterExtension
    static final ReparteeExtension TCP = ReparteeExtension.serving(Service.builder()
            .method("back", call -> call.peer().call("own", String.class))
            .method("point", call -> new Point(3))
            .build())
        .at("tcp://127.0.0.1:0")
        .clientService(Service.builder().method("own", call -> "of the client").build())
        .serverOptions(Options.builder().naming(Naming.SNAKE_CASE).build())
        .clientOptions(Options.builder().naming(Naming.SNAKE_CASE).build());

    @BeforeAll
    static void before(Server server, Peer client) {
      SEEN.add(server);
      SEEN.add(client);
    }

    @Test
    void one(Peer client, Server server) {
      assertThat(List.of(server, client)).isEqualTo(SEEN);
      assertThat(server.endpoint().scheme()).isEqualTo("tcp");
      assertThat(client.call("back", String.class)).isEqualTo("of the client");
    }

    @Test
    void other(Peer client) {
      assertThat(client).isSameAs(SEEN.get(1));
      assertThat(client.call("point", Point.class)).isEqualTo(new Point(3));
    }

    @AfterAll
    static void after(Peer client) {
      assertThat(client.isOpen()).isTrue();
    }
  }

  @Test
  void theServerOfAMethodBeforeAllLivesForTheClassAndIsClosedAfterIt() {
    OverTcp.SEEN.clear();
    assertThat(run(OverTcp.class).getTestsSucceededCount()).isEqualTo(2);
    Peer client = (Peer) OverTcp.SEEN.get(1);
    assertThat(client.isOpen()).isFalse();
  }

  /** Run by the test below. */
  static class Failing {
    static final List<Peer> SEEN = new ArrayList<>();

    @RegisterExtension
    static final ReparteeExtension RPC = ReparteeExtension.serving(new Counter());

    @Test
    void fails(Peer client) {
      SEEN.add(client);
      throw new AssertionError("on purpose");
    }
  }

  @Test
  void theClientIsClosedAfterATestThatFails() {
    Failing.SEEN.clear();
    assertThat(run(Failing.class).getTestsFailedCount()).isEqualTo(1);
    assertThat(Failing.SEEN).hasSize(1).noneMatch(Peer::isOpen);
  }

  @Test
  void anErrorOfTheServiceReachesTheTest(Peer client) {
    assertThatExceptionOfType(RpcException.class)
        .isThrownBy(() -> client.call("unknown", int.class))
        .withMessageContaining("Method not found");
  }
}
