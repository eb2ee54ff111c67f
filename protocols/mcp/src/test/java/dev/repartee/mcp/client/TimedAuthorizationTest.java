package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.Headers;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests that the time of a login does not count as silence of the server. */
class TimedAuthorizationTest {
  private static final URI SERVER = URI.create("https://example.com/mcp");
  private static final HttpAuthorization.Request REQUEST =
      new HttpAuthorization.Request("POST", SERVER, SERVER);

  private final CompletableFuture<Boolean> login = new CompletableFuture<>();
  private final TimedAuthorization timed = new TimedAuthorization(new HttpAuthorization() {
    @Override
    public CompletionStage<Headers> headers(Request request) {
      throw new IllegalStateException("no token");
    }

    @Override
    public CompletionStage<Boolean> refused(Refusal refusal) {
      return login;
    }
  });

  @Test
  void theServerIsSilentOnlyWhileNoStepRuns() {
    awaitSilence();
    timed.refused(new HttpAuthorization.Refusal(REQUEST, Headers.NONE, 401, Map.of(), 1));
    assertThat(timed.idleNanos()).isZero();
    assertThatIllegalStateException().isThrownBy(() -> timed.headers(REQUEST));
    assertThat(timed.idleNanos()).isZero();
    login.complete(true);
    awaitSilence();
  }

  /** The clock may have a coarse resolution. */
  private void awaitSilence() {
    while (timed.idleNanos() == 0) {
      Thread.onSpinWait();
    }
  }
}
