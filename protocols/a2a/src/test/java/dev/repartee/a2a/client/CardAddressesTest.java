package dev.repartee.a2a.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.ProtocolException;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.limits.NetworkRange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CardAddressesTest {
  private static final Map<String, String> NAMES = Map.of(
      "public.example", "93.184.216.34",
      "other.example", "93.184.216.35",
      "trap.example", "127.0.0.1",
      "office.example", "10.1.2.3",
      "metadata.example", "169.254.169.254");

  private static InetAddress[] resolve(String host) throws UnknownHostException {
    if (host.matches("[0-9.]+|.*:.*")) {
      return InetAddress.getAllByName(host);
    }
    String address = NAMES.get(host);
    if (address == null) {
      throw new UnknownHostException(host);
    }
    return InetAddress.getAllByName(address);
  }

  private void check(String from, String to) {
    check(from, to, CardAddressesTest::resolve);
  }

  private static void check(String from, String to, NetworkRange.Resolver resolver) {
    new CardAddresses(URI.create("https://" + from + "/card.json"), resolver)
        .check(URI.create("https://" + to));
  }

  @ParameterizedTest
  @CsvSource({
    "public.example, other.example",
    "public.example, public.example:8443",
    "public.example, unknown.example",
    "office.example, 10.9.9.9",
    "office.example, public.example",
    "127.0.0.1, 127.0.0.1:8080",
    "localhost, 10.1.2.3",
    "trap.example, trap.example:8080",
    "metadata.example, metadata.example",
    "[::1], 127.0.0.1",
  })
  void aCardLeadsToItsHostAndToNoMorePrivateNetwork(String from, String to) {
    check(from, to);
  }

  @ParameterizedTest
  @CsvSource({
    "public.example, 127.0.0.1:8080",
    "public.example, localhost",
    "public.example, [::1]",
    "public.example, trap.example",
    "public.example, office.example",
    "public.example, metadata.example",
    "trap.example, 127.0.0.1",
    "trap.example, office.example",
    "office.example, 127.0.0.1",
    "office.example, metadata.example",
    "unknown.example, office.example",
  })
  void aCardLeadsToNoNetworkThatIsMorePrivate(String from, String to) {
    NetworkRange.Resolver all =
        host -> host.equals("localhost") ? InetAddress.getAllByName("127.0.0.1") : resolve(host);
    assertThatThrownBy(() -> check(from, to, all))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("endpoint()");
  }

  @ParameterizedTest
  @CsvSource({
    "93.184.216.34, 127.0.0.1",
    "93.184.216.34, 10.1.2.3",
    "10.1.2.3, 127.0.0.1",
    "'', 10.1.2.3"
  })
  void aCardDoesNotLeadToItsHostInAMorePrivateNetwork(String fetched, String now) {
    Map<String, String> names = new HashMap<>(Map.of("rebound.example", fetched));
    CardAddresses addresses = new CardAddresses(URI.create("https://rebound.example/"), host -> {
      if (names.get(host).isEmpty()) {
        throw new UnknownHostException(host);
      }
      return InetAddress.getAllByName(names.get(host));
    });
    addresses.check(URI.create("https://rebound.example:6379/"));
    names.put("rebound.example", now);
    assertThatThrownBy(() -> addresses.check(URI.create("https://rebound.example:6379/")))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("rebound.example names its host, which has now an address");
    names.put("rebound.example", "93.184.216.35");
    addresses.check(URI.create("https://rebound.example:6379/"));
  }

  @Test
  void theCardOfAPublicHostLeadsToNoPrivateAddress() throws Exception {
    AgentCard card = AgentCard.builder("Trap", "Names an internal address", "1.0.0")
        .interfaces(AgentInterface.jsonRpc("http://office.example/admin", "1.0"))
        .build();
    byte[] body = A2aJson.lenient(ProtocolVersion.V1_0).card(card).toString().getBytes(UTF_8);
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
    proxy.start();
    try {
      A2aClient.Builder client = A2aClient.builder()
          .http(HttpClient.newBuilder()
              .proxy(ProxySelector.of(proxy.getAddress()))
              .build())
          .resolver(CardAddressesTest::resolve);
      assertThatThrownBy(() -> client.connect("http://public.example/"))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("names office.example, an address in a private network");
      assertThat(client.connect("http://office.example/").card()).isNotNull();
    } finally {
      proxy.stop(0);
    }
  }
}
