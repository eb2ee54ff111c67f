package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.ToolResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests calls that wait for a new connection to a slow server. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NewConnectionTest {
  private final CountDownLatch answers = new CountDownLatch(1);
  private ServerSocket socket;
  private McpClient client;

  /** Connects to a server that ends the first connection after the discovery. */
  @BeforeEach
  void connect() throws Exception {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread script = new Thread(this::script);
    script.setDaemon(true);
    script.start();
    String uri = "tcp://127.0.0.1:" + socket.getLocalPort();
    Connector.forget(uri); // an earlier server may have used the port
    client = McpClient.builder("t", "1").timeout(Duration.ofSeconds(20)).connect(uri);
    client.requests().last().peer().closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private void script() {
    try {
      try (Socket first = socket.accept()) {
        answer(first, 1);
      }
      try (Socket second = socket.accept()) {
        answers.await();
        answer(second, Integer.MAX_VALUE);
      }
    } catch (IOException | InterruptedException e) {
      // The test has ended.
    }
  }

  private static void answer(Socket connection, int messages) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
    String line = in.readLine();
    for (int i = 0; line != null; line = in.readLine()) {
      Json message = Json.parse(line);
      String result = message.get("method").equals(Json.of("server/discover"))
          ? ScriptedServer.DISCOVERED
          : "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}";
      String text = """
          {"jsonrpc":"2.0","id":%s,"result":%s}
          """.formatted(message.get("id"), result);
      connection.getOutputStream().write(text.getBytes(UTF_8));
      if (++i == messages) {
        return;
      }
    }
  }

  @AfterEach
  void close() throws IOException {
    answers.countDown();
    client.close();
    socket.close();
  }

  @Test
  void theTimeOutOfAStartContainsANewConnection() {
    assertThatThrownBy(() ->
            client.request("t").timeout(Duration.ofMillis(200)).start().get(60, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(CallTimeoutException.class)
        .hasMessageContaining("no answer to 'tools/call' within 200 ms");
  }

  @Test
  void aCallerThatGivesANewConnectionUpDoesNotEndTheCallsOfOthers() throws Exception {
    CompletableFuture<ToolResult> call = client.request("t").send();

    client.requests().link().cancel(true);
    answers.countDown();

    assertThat(call.get(60, TimeUnit.SECONDS).content()).containsExactly(Content.text("done"));
  }
}
