package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.Principal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenListenerTest {
  private static final Service EMPTY = Service.builder().build();

  private static List<String> warnings(String uri, Options options) throws Exception {
    try (LogRecords records = LogRecords.ofThisThread();
        Server server = Repartee.listen(uri, EMPTY, options)) {
      assertThat(server.endpoint().scheme()).isEqualTo("tcp");
      return records.all.stream().map(LogRecord::getMessage).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://0.0.0.0:0", "tcp://[::]:0"})
  void anOpenTcpPortIsReportedOnceWithTheRemedy(String uri) throws Exception {
    assertThat(warnings(uri, Options.DEFAULT))
        .singleElement()
        .asString()
        .contains(uri)
        .contains("listen at 127.0.0.1 or unix:, at tls: with #ca=FILE, or set an authenticator");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"tcp://127.0.0.1:0", "tcp://localhost:0", "tcp://:0", "tcp://127.0.0.2:0"})
  void aPortOfThisMachineIsNotReported(String uri) throws Exception {
    assertThat(warnings(uri, Options.DEFAULT)).isEmpty();
  }

  @Test
  void aPortWithAuthenticationIsNotReported() throws Exception {
    Principal known = new Principal("known", Set.of(), Set.of(), "test");
    Options options = Options.builder()
        .access(to -> to.authenticator(from -> CompletableFuture.completedStage(known)))
        .build();
    assertThat(warnings("tcp://0.0.0.0:0", options)).isEmpty();
  }
}
