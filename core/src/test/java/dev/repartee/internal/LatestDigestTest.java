package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import org.junit.jupiter.api.Test;

class LatestDigestTest {
  private final LatestDigest digests = new LatestDigest();

  private void isDigested(byte[] text) throws Exception {
    assertThat(digests.of(text)).isEqualTo(MessageDigest.getInstance("SHA-256").digest(text));
  }

  @Test
  void everyTextGetsItsOwnDigest() throws Exception {
    for (int length = 0; length < 40; length++) {
      byte[] text = "x".repeat(length).getBytes(US_ASCII);
      isDigested(text);
      for (int i = 0; i < length; i++) {
        byte[] other = text.clone();
        other[i] ^= 0x40;
        isDigested(other);
        isDigested(text);
      }
    }
  }

  @Test
  void theLatestTextIsNotDigestedAgain() {
    byte[] digest = digests.of("token".getBytes(US_ASCII));
    assertThat(digests.of("token".getBytes(US_ASCII))).isSameAs(digest);
    digests.of("other".getBytes(US_ASCII));
    assertThat(digests.of("token".getBytes(US_ASCII))).isNotSameAs(digest).isEqualTo(digest);
  }

  @Test
  void aLongTextIsNotKept() {
    byte[] token = new byte[10_000];
    assertThat(digests.of(token)).isNotSameAs(digests.of(token)).isEqualTo(digests.of(token));
  }
}
