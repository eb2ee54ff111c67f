package dev.repartee.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

final class AddressTextsTest {
  private static final int ADDRESSES = 5000;

  private final AddressTexts texts = new AddressTexts();

  @Test
  void theTextOfEachOfManyAddressesIsItsOwn() throws Exception {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < ADDRESSES; i++) {
        byte low = (byte) i;
        byte high = (byte) (i >> Byte.SIZE);
        assertText(InetAddress.getByAddress(new byte[] {10, high, 0, low}));
        assertText(InetAddress.getByAddress(
            new byte[] {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, high, low}));
      }
    }
  }

  @Test
  void theTextOfAnAddressIsFormattedOnce() throws Exception {
    byte[] address = {127, 0, 0, 1};
    String text = texts.of(InetAddress.getByAddress(address));
    assertThat(texts.of(InetAddress.getByAddress(address))).isSameAs(text);
  }

  @Test
  void theScopeOfAnAddressIsPartOfItsText() throws Exception {
    byte[] local = {(byte) 0xfe, (byte) 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    assertThat(texts.of(Inet6Address.getByAddress(null, local, 1))).endsWith("%1");
    assertThat(texts.of(Inet6Address.getByAddress(null, local, 2))).endsWith("%2");
    assertThat(texts.of(InetAddress.getByAddress(local))).doesNotContain("%");
  }

  private void assertText(InetAddress address) {
    assertThat(texts.of(address)).isEqualTo(address.getHostAddress());
  }
}
