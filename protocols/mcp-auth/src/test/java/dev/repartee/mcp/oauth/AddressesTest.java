package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.mcp.auth.HttpAuthorization.Refusal;
import dev.repartee.mcp.auth.HttpAuthorization.Request;
import dev.repartee.transport.Headers;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the addresses in metadata. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AddressesTest {
  private static final Map<String, String> HOSTS = Map.of(
      "mcp.example", "203.0.114.1",
      "auth.example", "2606:4700::1",
      "inside.example", "10.1.2.3",
      "wiki.example", "192.168.3.4",
      "back.example", "127.0.0.1");

  private static InetAddress[] resolve(String host) throws UnknownHostException {
    if (host.equals("both.example")) {
      return new InetAddress[] {
        InetAddress.getByName("203.0.114.1"), InetAddress.getByName("10.0.0.1")
      };
    }
    if (host.equals("mixed.example")) {
      return new InetAddress[] {
        InetAddress.getByName("10.0.0.1"), InetAddress.getByName("127.0.0.1")
      };
    }
    String address = HOSTS.getOrDefault(host, host);
    if (address.matches("[a-z.]+")) {
      throw new UnknownHostException(host);
    }
    return new InetAddress[] {InetAddress.getByName(address)};
  }

  private static URI check(String server, String address) {
    return new Addresses(URI.create(server), AddressesTest::resolve).check("endpoint", address);
  }

  private static void refuses(String server, String address, String why) {
    assertThatThrownBy(() -> check(server, address))
        .isInstanceOf(AuthorizationException.class)
        .message()
        .contains("endpoint", why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://auth.example/x",
        "https://[2606:4700::1]/",
        "https://8.8.8.8:8443/x?y",
        "HTTPS://AUTH.example",
        "https://[64:ff9b::808:808]/",
        "https://[2002:808:808::]/",
        "https://[2001:0:808:808::f7f7:f7f7]/",
        "https://[2606:4700::5efe:808:808]/"
      })
  void aPublicServerMayNamePublicAddresses(String address) {
    assertThat(check("https://mcp.example/mcp", address)).isEqualTo(URI.create(address));
  }

  @ParameterizedTest
  @CsvSource({
    "https://127.0.0.1/, loopback",
    "https://127.8.9.1/, loopback",
    "http://localhost:8080/, loopback",
    "https://a.localhost/, loopback",
    "https://[::1]/, loopback",
    "https://[::ffff:127.0.0.1]/, loopback",
    "https://[64:ff9b::7f00:1]/, loopback",
    "https://back.example/, loopback",
    "https://2130706433/, loopback",
    "https://10.0.0.1/, private",
    "https://172.31.0.1/, private",
    "https://192.168.1.1/, private",
    "https://100.64.0.1/, private",
    "https://[fd00::1]/, private",
    "https://[fec0::1]/, private",
    "https://[2002:a00:1::]/, private",
    "https://[64:ff9b:1::808:808]/, reserved",
    "https://[64:ff9b:1:a00:1::]/, reserved",
    "https://[2001:0:a00:1::f7f7:f7f7]/, private",
    "https://[2001:0:808:808::f5ff:fffe]/, private",
    "https://[2001:0:808:808::80ff:fffe]/, loopback",
    "https://[2606:4700::5efe:a00:1]/, private",
    "https://[2606:4700::200:5efe:a9fe:a9fe]/, link-local",
    "https://inside.example/, private",
    "https://both.example/, private",
    "https://169.254.169.254/, link-local",
    "https://[fe80::1]/, link-local",
    "https://0.0.0.0/, link-local",
    "https://[::]/, link-local",
    "https://224.0.0.1/, link-local",
    "https://255.255.255.255/, link-local",
    "https://198.18.0.1/, link-local",
    "http://auth.example/, not HTTPS",
    "ftp://auth.example/, not an HTTPS address",
    "file:///etc/passwd, not an HTTPS address",
    "javascript:alert(1), not an HTTPS address",
    "/relative, not an HTTPS address",
    "https://user:secret@auth.example/, user",
    "https://auth.example/#x, fragment",
    "https://un known/, no URI",
    "https://unknown.example/, unknown"
  })
  void aPublicServerMayNameNoOthers(String address, String why) {
    refuses("https://mcp.example/mcp", address, why);
  }

  @Test
  void aServerInAPrivateNetworkMayNameOthersOfIt() {
    assertThat(check("https://inside.example/mcp", "https://wiki.example/x")).isNotNull();
    assertThat(check("https://inside.example/mcp", "https://auth.example/x")).isNotNull();
    refuses("https://inside.example/mcp", "http://wiki.example/x", "private");
    refuses("https://inside.example/mcp", "https://127.0.0.1/x", "loopback");
    refuses("https://inside.example/mcp", "https://169.254.169.254/x", "link-local");
    refuses("https://both.example/mcp", "https://wiki.example/x", "private");
    refuses("https://inside.example/mcp", "https://mixed.example/x", "loopback");
  }

  @Test
  void aServerOnLoopbackMayNameAllButPlainHttpElsewhere() {
    assertThat(check("http://localhost:1/mcp", "http://127.0.0.1:2/x")).isNotNull();
    assertThat(check("http://127.0.0.1:1/mcp", "https://inside.example/x")).isNotNull();
    refuses("http://localhost:1/mcp", "http://auth.example/x", "not HTTPS");
    refuses("http://localhost:1/mcp", "http://back.example/x", "not HTTPS");
  }

  @Test
  void aNameThatResolvesToLoopbackIsNoServerOnLoopback() {
    refuses("https://back.example/mcp", "http://127.0.0.1:2/x", "loopback");
  }

  @Test
  void metadataOfAPublicServerCausesNoRequestToThisMachine() throws Exception {
    try (ScriptedServers local = new ScriptedServers()) {
      OAuthClient client =
          ScriptedServers.browsing().resolver(AddressesTest::resolve).build();
      URI server = URI.create("https://mcp.example/mcp");
      String challenge = "Bearer resource_metadata=\"" + local.origin() + "/x\"";
      Refusal refusal = new Refusal(
          new Request("POST", server, server),
          Headers.NONE,
          401,
          Map.of("www-authenticate", List.of(challenge)),
          1);
      assertThatThrownBy(() -> ScriptedServers.await(client.refused(refusal)))
          .isInstanceOf(AuthorizationException.class)
          .message()
          .contains("resource_metadata", "loopback");
      assertThat(local.heard).isEmpty();
    }
  }

  /**
   * A login may take minutes. In that time the name may change to an address of an internal
   * network.
   */
  @Test
  void anEndpointIsCheckedAgainBeforeSecretsAreSentToIt() throws Exception {
    AtomicReference<String> address = new AtomicReference<>("203.0.114.9");
    Addresses addresses =
        new Addresses(URI.create("https://mcp.example/mcp"), host -> new InetAddress[] {
          InetAddress.getByName(host.equals("mcp.example") ? "203.0.114.1" : address.get())
        });
    URI token = addresses.check("token_endpoint", "https://moving.invalid/token");
    address.set("10.0.0.1");
    assertThatThrownBy(() -> new Http(addresses).post(token, Map.of(), "code=c"))
        .isInstanceOf(AuthorizationException.class)
        .message()
        .contains("https://moving.invalid/token", "a private address");
    assertThatThrownBy(() ->
            new Http(addresses).post(URI.create("http://moving.invalid/token"), Map.of(), "code=c"))
        .isInstanceOf(AuthorizationException.class);
  }

  @Test
  void noTokenIsObtainedForAServerWithoutEncryption() {
    OAuthClient client =
        ScriptedServers.browsing().resolver(AddressesTest::resolve).build();
    URI server = URI.create("http://mcp.example/mcp");
    Refusal refusal =
        new Refusal(new Request("POST", server, server), Headers.NONE, 401, Map.of(), 1);
    assertThatThrownBy(() -> ScriptedServers.await(client.refused(refusal)))
        .message()
        .contains("only be sent by HTTPS");
  }
}
