package dev.repartee.transport.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void noAddressIsKnownIfTheServerDoesNotKnowItsOwn() {
    assertThat(guard.isKnown("192.0.2.7", null)).isFalse();
  }
}
