package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.frame;
import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpException;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.testkit.RawConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of a server, and of its servlet. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class CloseTest extends ServletFixture {
  @Test
  void closingLetsRunningCallsFinishAndAsksClientsToClose() throws Exception {
    try (RawConnection raw = serve();
        RawConnection other = raw()) {
      raw.send(post(call("await", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      CompletableFuture<Void> closed = beginToClose(Duration.ofSeconds(20));
      assertThat(other.send(post(SUBTRACT)).answer())
          .containsIgnoringCase("connection: close")
          .endsWith(result("19"));
      assertThat(closed).isNotDone();
      methods.released.countDown();
      assertThat(raw.answer()).endsWith(result("\"released\""));
      closed.get(60, TimeUnit.SECONDS);
    }
  }

  /** Starts to close the server, and waits until it knows the calls that have begun before. */
  private CompletableFuture<Void> beginToClose(Duration limit) throws Exception {
    try (RawConnection idle = raw().upgrade()) {
      assertThat(idle.send(frame(0x81, SUBTRACT.getBytes(UTF_8))).message())
          .isEqualTo(result("19"));
      CompletableFuture<Void> closed =
          CompletableFuture.runAsync(() -> server().close(limit), work -> new Thread(work).start());
      assertThat(idle.message()).isEqualTo("<close> 1001"); // WebSockets end after that
      return closed;
    }
  }

  @Test
  void closingWaitsOnlyForCallsThatHaveBegunBefore() throws Exception {
    try (RawConnection raw = serve();
        RawConnection after = raw()) {
      raw.send(post(call("later", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      CompletableFuture<Void> closed = beginToClose(Duration.ofMinutes(5));
      after.send(post(call("await", "[]")));
      assertThat(happens(methods.bothWait)).isTrue();
      assertThat(closed).isNotDone();
      methods.later.complete("late");
      assertThat(raw.answer()).endsWith(result("\"late\""));
      closed.get(60, TimeUnit.SECONDS);
      methods.released.countDown();
      assertThat(after.answer()).endsWith(result("\"released\""));
    }
  }

  @Test
  void closingCancelsCallsThatTakeTooLong() throws Exception {
    try (RawConnection raw = serve()) {
      raw.send(post(call("await", "[]")));
      assertThat(happens(methods.waiting)).isTrue();
      server().close(Duration.ZERO);
      assertThat(happens(methods.cancelled)).isTrue();
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("retry-after: 1")
          .as("the call has run")
          .doesNotContainIgnoringCase("repartee-unsent");
    }
  }

  /** 1001: an endpoint is going away, such as a server that is going down (RFC 6455 section 7.4.1). */
  @Test
  void aContextThatStopsAnnouncesToWebSocketsThatItGoesAway() throws Exception {
    try (RawConnection raw = serve().upgrade()) {
      assertThat(raw.send(frame(0x81, SUBTRACT.getBytes(UTF_8))).message()).isEqualTo(result("19"));
      Objects.requireNonNull(container).undeploy();
      assertThat(raw.message()).isEqualTo("<close> 1001");
    }
  }

  @Test
  void aPeerThatIsClosedAloneEndsNormally() throws Exception {
    try (RawConnection raw = serve().upgrade()) {
      assertThat(raw.send(frame(0x81, SUBTRACT.getBytes(UTF_8))).message()).isEqualTo(result("19"));
      server().peers().forEach(Peer::close);
      assertThat(raw.message()).isEqualTo("<close> 1000");
    }
  }

  @Test
  void aServletThatIsDestroyedRefusesRequests() throws Exception {
    try (RawConnection raw = serve()) {
      servlet().destroy();
      assertThat(raw.send(post(SUBTRACT)).answer())
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("repartee-unsent: 1");
      assertThatThrownBy(() -> Repartee.connect(uri("ws")).close())
          .hasRootCauseInstanceOf(HttpException.class);
    }
  }
}
