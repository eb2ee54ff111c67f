package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class SystemErrorsTest {
  @Test
  void theReasonIsTheMessageOfTheSystemWithoutItsPrefix() {
    assertThat(SystemErrors.reason(new IOException(
            "writevAddresses(..) failed with error(-104): Connection reset by peer")))
        .isEqualTo("Connection reset by peer");
    assertThat(SystemErrors.reason(new IOException("Broken pipe"))).isEqualTo("Broken pipe");
    assertThat(SystemErrors.reason(new ClosedChannelException())).isEqualTo("it was closed");
  }
}
