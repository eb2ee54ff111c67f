package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.internal.FakeClock;
import dev.repartee.json.JsonTypes;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Common mistakes of users: the message names the cause and the remedy. */
class MistakesTest {
  /** A class that somebody serves. */
  public static final class Shop {
    /** Returns a price. */
    public int price() {
      return 5;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http, repartee-netty",
    "HTTPS, repartee-netty",
    "ws, repartee-netty",
    "wss, repartee-netty",
    "tls, repartee-netty",
    "nats+tls, repartee-nats",
    "amqp, repartee-amqp",
    "zmq+tcp, repartee-zeromq",
    "ssh, repartee-ssh",
    "xmpp, repartee-xmpp",
  })
  void aSchemeOfAModuleThatIsNotOnTheClassPathNamesTheArtifact(String scheme, String artifact) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.connect(scheme + "://127.0.0.1:8645/"))
        .withMessageContaining("the scheme '" + scheme.toLowerCase(java.util.Locale.ROOT) + "'")
        .withMessageContaining("put dev.repartee:" + artifact + " on the class path");
  }

  @ParameterizedTest
  @CsvSource({
    "htpp, ' did you mean http:?'",
    "unxi, ' did you mean unix:?'",
    "gopher, ''",
  })
  void anUnknownSchemeNamesTheOneThatIsMeantOrAll(String scheme, String remedy) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.connect(scheme + "://127.0.0.1:1/"))
        .withMessageEndingWith("has the unknown scheme '" + scheme + "';" + remedy
            + " known are exec, mem, pipe, stdio, tcp, unix");
  }

  @Test
  void anAddressOfAnotherMachineIsNotBlamedOnThePort() {
    assertThatThrownBy(() -> Repartee.listen("tcp://192.0.2.1:7000", Service.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("192.0.2.1 is no address of this machine")
        .hasMessageNotContaining("port");
  }

  @Test
  void aPortInUseAtAnotherLoopbackAddressIsBlamedOnThePort() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))) {
      assertThatThrownBy(
              () -> Repartee.listen("tcp://127.0.0.1:" + taken.getLocalPort(), Service.NONE))
          .hasMessageContaining("choose another port");
    }
  }

  @Test
  void aClassIsNoObjectWithMethodsToServe() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(Shop.class))
        .withMessage("pass an object to Service.of, not its class: new Shop(), not Shop.class");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(Shop.class, JsonTypes.standard()))
        .withMessageContaining("not its class");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Service.of(Runnable.class))
        .withMessage("pass an object that implements Runnable to Service.of, not Runnable.class");
  }

  @Test
  void anObjectToServeThatIsNullIsNamed() {
    for (Callable<?> mistake : new Callable<?>[] {
      () -> Service.of((Object) null), () -> Service.of(Shop.class, (Shop) null),
    }) {
      assertThatNullPointerException()
          .isThrownBy(mistake::call)
          .withMessage("the object to serve is null");
    }
  }

  @Test
  void aMethodThatIsDefinedTwiceIsNamed() {
    Service.Builder twice = Service.builder().method("price", call -> 1).method("price", call -> 2);
    assertThatIllegalArgumentException()
        .isThrownBy(twice::build)
        .withMessage("method 'price' is defined twice; give one of the two another name");
  }

  @ParameterizedTest
  @CsvSource({"prize, price", "Price, price", "rpc.discovr, rpc.discover"})
  void anUnknownMethodThatIsLikelyATypoNamesTheOneThatIsMeant(String typo, String meant)
      throws Exception {
    try (Server server = Repartee.listen("mem:typo-" + typo, Service.of(new Shop()));
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThatThrownBy(() -> peer.call(typo, int.class))
          .hasMessageEndingWith("Method not found (-32601): did you mean '" + meant + "'?"
              + " rpc.discover lists the methods there are");
    }
  }

  /** A search takes time on the thread that reads, and peers choose the number of searches. */
  @Test
  void atMostTenUnknownMethodsASecondNameTheOneThatIsMeant() throws Exception {
    FakeClock clock = new FakeClock();
    Options options = Options.builder().clock(clock).build();
    String hint = "did you mean 'price'?";
    try (Server server = Repartee.listen("mem:typos", Service.of(new Shop()), options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThatThrownBy(() -> peer.call("prize", int.class)).hasMessageContaining(hint);
      assertThatThrownBy(() -> peer.call("prize", int.class))
          .hasMessageEndingWith("(-32601): rpc.discover lists the methods there are");
      clock.advance(Duration.ofMillis(100));
      assertThatThrownBy(() -> peer.call("prize", int.class)).hasMessageContaining(hint);
    }
  }

  static List<Options> secretive() {
    return List.of(
        Options.builder().builtins().build(),
        Options.builder().layer((call, next) -> next.handle(call)).build());
  }

  @ParameterizedTest
  @MethodSource("secretive")
  void aTypoNamesNoMethodIfTheirNamesAreNotPublishedOrMayBeProtected(Options secret)
      throws Exception {
    try (Server server = Repartee.listen("mem:no-hint", Service.of(new Shop()), secret);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThatThrownBy(() -> peer.call("prize", int.class))
          .message()
          .contains("Method not found (-32601)")
          .doesNotContain("price'");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tcp://127.0.0.1:1,tcp://127.0.0.1:2",
        "tcp://127.0.0.1:1, http://127.0.0.1:2/",
        "http://127.0.0.1:1/,http://127.0.0.1:2/",
        "tcp://127.0.0.1:1,tcp://127.0.0.1:2#framing=lines",
      })
  void aListOfUrisIsNotTakenForOne(String list) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Endpoint.parse(list))
        .withMessageStartingWith("'" + list + "' is more than one URI; an endpoint is one of them");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "exec:client tcp://127.0.0.1:1,tcp://127.0.0.1:2",
        "http://127.0.0.1:1/a,b",
        "http://127.0.0.1:1/?next=a,http://127.0.0.1:2/",
        "nats://127.0.0.1:1,127.0.0.1:2/subject",
      })
  void aCommaMayBelongToAUri(String uri) {
    assertThat(Endpoint.parse(uri).toString()).isEqualTo(uri);
  }

  @Test
  void theStandardStreamsCarryTheMessagesOfOneConnection() throws Exception {
    Channel first =
        Transport.open(Endpoint.parse("stdio:#prints=keep"), Limits.DEFAULT, Headers.NONE);
    try {
      assertThatThrownBy(() -> Repartee.listen("stdio:#prints=keep", Service.NONE))
          .isInstanceOf(IOException.class)
          .hasMessage("cannot open stdio: again: another connection of this process uses standard"
              + " input and output; close that one first");
    } finally {
      first.abort(null);
    }
  }

  @Test
  void aServiceThatIsNullIsNamedBeforeAnythingIsOpened() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.NONE)) {
      String uri = server.endpoint().toString();
      Endpoint free = Endpoint.parse("mem:null-service");
      for (Callable<?> mistake : new Callable<?>[] {
        () -> Repartee.connect(uri, null, Options.DEFAULT),
        () -> Repartee.listen(free.toString(), (Service) null),
        () -> HttpRoutes.builder().at("/", (Service) null),
      }) {
        assertThatNullPointerException()
            .isThrownBy(mistake::call)
            .withMessage("the service is null; Service.NONE serves no methods");
      }
      assertThat(server.peers()).isEmpty();
      Repartee.listen(free.toString(), Service.NONE).close(); // the name is free
    }
  }

  @Test
  void theTextOfAnErrorIsShownWithoutTheEscapesOfJson() {
    assertThat(new RpcException(1, "Invalid", "expected one of \"S\", \"L\" in C:\\a/b"))
        .hasMessage("Invalid (1): expected one of \"S\", \"L\" in C:\\a/b");
    assertThat(new RpcException(1, "Invalid", "a\nb\u001b\\n"))
        .hasMessage("Invalid (1): a\\nb\\u001b\\n"); // no control character appears
    assertThat(new RpcException(1, "Invalid", "\"".repeat(200)).getMessage())
        .startsWith("Invalid (1): \"\"\"")
        .endsWith("...");
    assertThat(new RpcException(1, "Invalid", java.util.Map.of("a", "\"")))
        .hasMessage("Invalid (1): {\"a\":\"\\\"\"}");
  }
}
