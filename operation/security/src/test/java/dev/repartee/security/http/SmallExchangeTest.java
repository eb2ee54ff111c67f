package dev.repartee.security.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests exchanges with a server that is broken or hostile. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmallExchangeTest {
  private ServerSocket server;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private CompletableFuture<SmallExchange.Answer> send() {
    return SmallExchange.send(HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + server.getLocalPort() + "/keys?secret=1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"two hundred\r\n\r\n", "200 OK\r\nContent-Length: many\r\n\r\n"})
  void anAnswerThatIsNotHttpClosesItsConnection(String answer) throws Exception {
    CompletableFuture<SmallExchange.Answer> sent = send();
    try (RawConnection issuer = new RawConnection(server.accept())) {
      issuer.head();
      issuer.send("HTTP/1.1 " + answer);

      assertThatThrownBy(sent::get)
          .hasCauseInstanceOf(IOException.class)
          .message()
          .contains("http://127.0.0.1:" + server.getLocalPort() + "/keys gives no answer: ")
          .doesNotContain("secret", "two hundred", "many");
      assertThat(issuer.rest()).isIn("", RawConnection.RESET);
    }
  }

  @Test
  void aBodyAboveTheLimitClosesItsConnection() throws Exception {
    CompletableFuture<SmallExchange.Answer> sent = send();
    try (RawConnection issuer = new RawConnection(server.accept())) {
      issuer.head();
      issuer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
      issuer.send(new byte[SmallExchange.BODY + 1]);

      assertThatThrownBy(sent::get).hasMessageContaining("the body has more than");
      assertThat(issuer.rest()).isIn("", RawConnection.RESET);
    }
  }

  @Test
  void aCancelledExchangeClosesItsConnection() throws Exception {
    CompletableFuture<SmallExchange.Answer> sent = send();
    try (RawConnection issuer = new RawConnection(server.accept())) {
      issuer.head();
      issuer.send("HTTP/1.1 200 OK\r\n");

      sent.cancel(true);

      assertThat(issuer.rest()).isIn("", RawConnection.RESET);
    }
  }
}
