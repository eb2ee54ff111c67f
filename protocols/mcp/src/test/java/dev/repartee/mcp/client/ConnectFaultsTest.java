package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests HTTP servers with which the client cannot agree on a revision. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectFaultsTest {
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void endStreams() {
    over.countDown();
  }

  /** Answers a GET with a stream that contains the address for messages and stays open. */
  private void openStream(ScriptedServer.Heard request) throws Exception {
    request.http().getResponseHeaders().set("Content-Type", "text/event-stream");
    request.http().sendResponseHeaders(200, 0);
    request.http().getResponseBody().write("event: endpoint\ndata: /messages\n\n".getBytes(UTF_8));
    request.http().getResponseBody().flush();
    over.await();
    request.http().close();
  }

  private static boolean isGet(ScriptedServer.Heard request) {
    return request.http().getRequestMethod().equals("GET");
  }

  private static boolean isMessage(ScriptedServer.Heard request) {
    return request.http().getRequestURI().getPath().equals("/messages");
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 405})
  void aServerWhoseAddressForMessagesIsRefusedIsTriedOnceAndTheStatusNamed(int status)
      throws Exception {
    try (ScriptedServer server = ScriptedServer.of(request -> {
      if (isGet(request)) {
        openStream(request);
      } else {
        request.answer(isMessage(request) ? status : 405, "text/plain", "not here");
      }
    })) {
      assertThatThrownBy(() -> McpClient.connect(server.uri()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("HTTP status " + status);
      assertThat(server.heard.stream().filter(ConnectFaultsTest::isGet)).hasSize(1);
      assertThat(server.heard.stream().filter(ConnectFaultsTest::isMessage)).hasSize(1);
    }
  }

  @Test
  void theTimeOutLimitsAllAttemptsToConnectTogether() throws Exception {
    try (ScriptedServer server = ScriptedServer.of(request -> {
      over.await(600, TimeUnit.MILLISECONDS); // each answer is in time, but not all together
      request.answer(404, "text/plain", "not here");
    })) {
      assertThatThrownBy(() ->
              McpClient.builder("t", "1").timeout(Duration.ofSeconds(1)).connect(server.uri()))
          .isInstanceOf(CallTimeoutException.class);
    }
  }
}
