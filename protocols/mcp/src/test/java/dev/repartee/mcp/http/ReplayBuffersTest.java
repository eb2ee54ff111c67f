package dev.repartee.mcp.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReplayBuffersTest {
  private static final int MAX = 10_000;

  private final FakeClock clock = new FakeClock();
  private final AtomicInteger gone = new AtomicInteger();
  private final ReplayBuffers buffers = new ReplayBuffers(MAX, clock);

  private ReplayBuffers.Buffer buffer() {
    return buffers.buffer(gone::incrementAndGet);
  }

  private static List<String> messages(ReplayBuffers.Buffer buffer) {
    return buffer.after(0).stream()
        .map(event -> new String(event.message, UTF_8))
        .toList();
  }

  private static byte[] message(String text, int size) {
    return (text + " ".repeat(size - text.length())).getBytes(UTF_8);
  }

  private static ReplayBuffers.Buffer with(ReplayBuffers.Buffer buffer, int... numbers) {
    for (int number : numbers) {
      buffer.add(number, message("e" + number, 2_000));
    }
    return buffer;
  }

  @Test
  void allStreamsShareOneLimitAndTheOldestEventsAreDroppedFirst() {
    ReplayBuffers.Buffer one = with(buffer(), 1);
    ReplayBuffers.Buffer other = with(buffer(), 1, 2);
    with(one, 2);
    assertThat(buffers.held()).isBetween(8_000L, (long) MAX);
    with(other, 3);
    assertThat(buffers.held()).isBetween(8_000L, (long) MAX);
    assertThat(messages(one)).hasSize(1).first().asString().startsWith("e2");
    assertThat(messages(other)).hasSize(3);
    with(other, 4);
    assertThat(messages(one)).hasSize(1);
    assertThat(messages(other)).hasSize(3).first().asString().startsWith("e2");
  }

  @Test
  void aStreamThatWasTakenToItsEndIsDroppedBeforeOlderEvents() {
    ReplayBuffers.Buffer waiting = with(buffer(), 1, 2);
    ReplayBuffers.Buffer read = with(buffer(), 1, 2);
    read.end(true);
    with(waiting, 3);
    assertThat(messages(read)).isEmpty();
    assertThat(messages(waiting)).hasSize(3);
    assertThat(gone).hasValue(1);
  }

  @Test
  void aStreamThatWasTakenToItsEndIsKeptForAShortTime() {
    ReplayBuffers.Buffer read = with(buffer(), 1);
    ReplayBuffers.Buffer lost = with(buffer(), 1);
    read.end(true);
    lost.end(false);
    clock.advance(Duration.ofSeconds(29));
    assertThat(messages(read)).hasSize(1);
    clock.advance(Duration.ofSeconds(2));
    assertThat(messages(read)).isEmpty();
    assertThat(messages(lost)).hasSize(1);
    assertThat(gone).hasValue(1);
  }

  @Test
  void anEventLargerThanTheLimitIsNotKeptNorTheEventsBeforeIt() {
    ReplayBuffers.Buffer buffer = with(buffer(), 1);
    buffer.add(2, message("large", MAX));
    assertThat(messages(buffer)).isEmpty();
    assertThat(buffers.held()).isZero();
    assertThat(gone).hasValue(0); // the stream has not ended
    buffer.end(false);
    assertThat(gone).hasValue(1);
  }

  @Test
  void streamsThatMakeRoomConcurrentlyStayWithinTheLimit() throws Exception {
    Thread[] senders = new Thread[4];
    for (int t = 0; t < senders.length; t++) {
      senders[t] = new Thread(() -> {
        for (int i = 0; i < 200; i++) {
          ReplayBuffers.Buffer buffer = with(buffer(), 1, 2, 3);
          buffer.end(i % 2 == 0);
        }
      });
      senders[t].start();
    }
    for (Thread sender : senders) {
      sender.join();
    }
    assertThat(buffers.held()).isBetween(1L, (long) MAX);
    clock.advance(Duration.ofMinutes(1));
    ReplayBuffers.Buffer last = buffer();
    for (int i = 1; i <= 4; i++) {
      with(last, i);
    }
    assertThat(messages(last)).hasSize(4);
    assertThat(gone).hasValue(800);
    last.close();
    assertThat(buffers.held()).isZero();
  }
}
