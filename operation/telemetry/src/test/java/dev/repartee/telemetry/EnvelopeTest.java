package dev.repartee.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingDialect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls in an envelope that is chosen after {@link Telemetry#instrument}, as an endpoint does. */
@Timeout(60)
class EnvelopeTest {
  private static final Dialect OTHER = new ForwardingDialect(Dialect.PLAIN) {
    @Override
    public boolean isJsonRpc2() {
      return false;
    }
  };

  private final Recorder recorder = new Recorder();

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void aCallInAnotherEnvelopeHasNoVersionOfJsonRpc() throws Exception {
    Options given = Options.builder()
        .listener(Listener.NONE)
        .access(access -> access.deny("refused"))
        .build();
    Options options = Telemetry.of(recorder.api()).instrument(given).toBuilder()
        .dialect(OTHER)
        .build();
    Service service = Service.builder()
        .method("served", call -> 1)
        .method("refused", call -> 2)
        .build();
    try (var server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = Repartee.connect(server.endpoint(), options)) {
      assertThat(peer.call("served", int.class)).isEqualTo(1);
      assertThat(catchThrowable(() -> peer.call("refused", int.class))).isNotNull();
      assertThat(recorder.spans(4))
          .extracting(span -> Recorder.text(span, "jsonrpc.protocol.version"))
          .containsOnlyNulls();
    }
  }
}
