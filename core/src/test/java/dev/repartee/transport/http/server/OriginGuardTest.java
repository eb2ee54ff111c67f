package dev.repartee.transport.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which names a server is known by. */
class OriginGuardTest {
  private final OriginGuard guard = new OriginGuard("0.0.0.0", Set.of(), Set.of());

  private static InetSocketAddress local(String address) throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(address), 80);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7:8080, 192.0.2.7, true",
    "192.0.2.8, 192.0.2.7, false",
    "999.1.1.1, 192.0.2.7, false",
    "[2001:db8::7]:8080, 2001:db8:0:0:0:0:0:7, true",
    "[2001:DB8:0::7], 2001:db8::7, true",
    "[2001:db8::8], 2001:db8::7, false",
    "[.::], 2001:db8::7, false",
    "[:::], 2001:db8::7, false"
  })
  void anAddressIsKnownIfTheClientHasConnectedToIt(String host, String address, boolean known)
      throws Exception {
    assertThat(guard.isKnown(host, local(address))).isEqualTo(known);
  }

  @Test
  void aNameWithACharacterThatNoHeaderFieldMayHaveIsNotKnown() {
    OriginGuard any = new OriginGuard("0.0.0.0", Set.of("*"), Set.of());
    assertThat(any.isKnown("rpc.example:80", null)).isTrue();
    assertThat(any.isKnown("rpc\u0001.example", null)).isFalse();
    assertThat(any.isKnown("b\u00fccher.example", null)).isFalse();
  }

  @Test
  void noAddressIsKnownIfTheServerDoesNotKnowItsOwn() {
    assertThat(guard.isKnown("192.0.2.7", null)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://shop.example", "shop.example:8080", "shop.example/rpc", "[::1]"})
  void aListedHostThatCanNeverMatchIsRefused(String host) {
    assertThatThrownBy(() -> new OriginGuard("localhost", Set.of(host), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("hosts=" + host + ": expected a name or address without scheme");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop.example", "https://shop.example/", "https://shop.example/a", "*"})
  void aListedOriginThatCanNeverMatchIsRefused(String origin) {
    assertThatThrownBy(() -> new OriginGuard("localhost", Set.of(), Set.of(origin)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("origins=" + origin + ": expected scheme and host without a path");
  }

  @Test
  void hostsAndOriginsOfEachFormMayBeListed() {
    OriginGuard listed = new OriginGuard(
        "localhost",
        Set.of("shop.example", "192.0.2.7", "2001:db8::7"),
        Set.of("https://shop.example:8443", "chrome-extension://abc", "null"));
    assertThat(listed.isKnown("shop.example:80", null)).isTrue();
    assertThat(listed.isKnown("[2001:db8::7]:80", null)).isTrue();
    assertThat(listed.admits("https://shop.example:8443", null, null)).isTrue();
  }
}
