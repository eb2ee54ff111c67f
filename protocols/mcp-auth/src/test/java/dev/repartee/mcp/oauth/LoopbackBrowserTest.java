package dev.repartee.mcp.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listens on 127.0.0.1 for the redirect of the browser. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopbackBrowserTest {
  private static final URI PAGE = URI.create("https://auth.example/x?state=right&x=1");

  private final AtomicReference<URI> opened = new AtomicReference<>();
  private final Browser browser = Browser.loopback(opened::set);
  private Browser.Visit visit;
  private CompletionStage<URI> back;

  @BeforeEach
  void open() throws Exception {
    visit = browser.visit();
    back = visit.open(PAGE);
  }

  @AfterEach
  void close() {
    visit.close();
  }

  private String send(String request) throws IOException {
    try (RawConnection connection = new RawConnection(visit.redirect().toString())) {
      return connection.send(request).rest();
    }
  }

  private String get(String target) throws IOException {
    return send("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  @Test
  void theAnswerWithTheStateEndsTheLogin() throws Exception {
    assertThat(opened).hasValue(PAGE);
    assertThat(get("/callback?code=c&state=right"))
        .startsWith("HTTP/1.1 200 OK")
        .contains("You can close this page", "no-store", "default-src 'none'")
        .doesNotContain("code=c");
    assertThat(ScriptedServers.await(back))
        .isEqualTo(URI.create(visit.redirect() + "?code=c&state=right"));
  }

  @Test
  void nothingElseEndsTheLogin() throws Exception {
    assertThat(get("/callback?code=c&state=wrong")).startsWith("HTTP/1.1 400");
    assertThat(get("/callback?code=c")).startsWith("HTTP/1.1 400");
    assertThat(get("/callback?code=c&state=right&state=right")).startsWith("HTTP/1.1 400");
    assertThat(get("/callback?state=right&x=<script>")).startsWith("HTTP/1.1 400");
    assertThat(get("/favicon.ico")).startsWith("HTTP/1.1 404");
    assertThat(get("//evil.example/callback?state=right")).startsWith("HTTP/1.1 404");
    assertThat(send("POST /callback?state=right HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404");
    assertThat(send("GET /callback?state=right&x=" + "x".repeat(20_000) + " HTTP/1.1\r\n\r\n"))
        .isEmpty();
    assertThat(back.toCompletableFuture()).isNotDone();
    get("/callback?state=right");
    assertThat(ScriptedServers.await(back)).isNotNull();
  }

  @Test
  void aConnectionWithoutARequestDoesNotStopTheLogin() throws Exception {
    try (RawConnection silent = new RawConnection(visit.redirect().toString())) {
      silent.send("G");
      assertThat(get("/callback?state=right")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void theListenerEndsWithTheLogin() throws Exception {
    try (Browser.Visit other = browser.visit()) {
      assertThat(other.redirect()).isNotEqualTo(visit.redirect());
    }
    visit.close();
    assertThat(back.toCompletableFuture()).isCancelled();
    String answer;
    try {
      answer = get("/callback?state=right");
    } catch (IOException e) {
      answer = "";
    }
    assertThat(answer).doesNotStartWith("HTTP/1.1 200");
  }

  @Test
  void aFixedPortThatIsInUseIsNamed() {
    int port = visit.redirect().getPort();
    assertThatThrownBy(() -> Browser.loopback(port, page -> {}).visit())
        .isInstanceOf(IOException.class)
        .message()
        .contains("port " + port, "in use");
  }
}
