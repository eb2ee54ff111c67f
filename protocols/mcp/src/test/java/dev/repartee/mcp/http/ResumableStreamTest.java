package dev.repartee.mcp.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ResumableStreamTest {
  private final ReplayBuffers buffers = new ReplayBuffers(2 << 20, new FakeClock());
  private final ResumableStream stream = new ResumableStream("7", buffers, () -> {});

  /** A connection of a client, which may break. */
  private static final class Connection implements HttpReply {
    final List<String> heard = new ArrayList<>();

    @Nullable Runnable gone;

    boolean broken;
    boolean ended;

    void breakOff() {
      broken = true;
      if (gone != null) {
        gone.run();
      }
    }

    @Override
    public void send(Event event) {
      if (broken) {
        throw new DisconnectedException("broken", null);
      }
      heard.add(
          event.data() == null
              ? "retry " + event.retry().toMillis()
              : event.id() + " " + new String(event.data(), UTF_8));
    }

    @Override
    public boolean stream(Map<String, String> headers) {
      return true;
    }

    @Override
    public void onGone(Runnable action) {
      gone = action;
    }

    @Override
    public void end() {
      ended = true;
    }

    @Override
    public boolean takesEvents() {
      return true;
    }

    @Override
    public boolean answer(int status, Map<String, String> headers, byte[] body) {
      return false;
    }

    @Override
    public void mayStream(Map<String, String> headers) {}

    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      return true;
    }
  }

  private void send(String... messages) {
    for (String message : messages) {
      stream.send(message.getBytes(UTF_8));
    }
  }

  private Connection attach(@Nullable Long after, boolean primed) {
    Connection connection = new Connection();
    stream.attach(connection, Map.of(), after, primed);
    return connection;
  }

  @Test
  void aClientThatResumesGetsTheEventsAfterItsLastOne() {
    Connection first = attach(0L, true);
    send("a", "b");
    assertThat(first.heard).containsExactly("7-0 ", "7-1 a", "7-2 b");
    first.breakOff();
    send("c");
    assertThat(attach(1L, false).heard).containsExactly("7-2 b", "7-3 c");
  }

  @Test
  void eventsWithoutAConnectionWaitForTheNextOne() {
    send("a");
    Connection first = attach(null, false);
    first.broken = true;
    send("b");
    assertThat(attach(null, false).heard).containsExactly("7-2 b");
  }

  @Test
  void anEndedStreamIsSentToItsEnd() {
    attach(0L, false).breakOff();
    send("answer");
    stream.end();
    Connection back = attach(0L, false);
    assertThat(back.heard).containsExactly("7-1 answer");
    assertThat(back.ended).isTrue();
  }

  @Test
  void theNewestConnectionCarriesTheStream() {
    Connection first = attach(null, false);
    Connection second = attach(null, false);
    send("a");
    assertThat(first.ended).isTrue();
    assertThat(first.heard).isEmpty();
    assertThat(second.heard).containsExactly("7-1 a");
  }

  @Test
  void letGoSendsTheRetryTime() {
    Connection first = attach(0L, false);
    stream.closeSseStream(Duration.ofMillis(20));
    send("a");
    assertThat(first.heard).containsExactly("retry 20");
    assertThat(first.ended).isTrue();
    assertThat(attach(0L, false).heard).containsExactly("7-1 a");
  }

  @Test
  void aForgottenStreamSendsEventsButKeepsNone() {
    Connection first = attach(0L, false);
    stream.forget();
    send("x".repeat(100_000));
    assertThat(first.heard).hasSize(1);
    assertThat(buffers.held()).isZero();
    assertThat(attach(0L, false).heard).isEmpty();
  }

  @Test
  void atMostAThousandEventsAndOneMebibyteAreKept() {
    for (int i = 1; i <= 1_500; i++) {
      send(Integer.toString(i));
    }
    assertThat(attach(0L, false).heard).hasSize(1_000).first().isEqualTo("7-501 501");
    send("x".repeat(700_000), "y".repeat(700_000));
    assertThat(buffers.held()).isBetween(700_000L, 1_400_000L);
    assertThat(attach(0L, false).heard).hasSize(1);
    stream.forget();
    assertThat(buffers.held()).isZero();
  }
}
