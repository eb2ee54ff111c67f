package dev.repartee.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.benchmarks.peers.NotificationCounter;
import dev.repartee.benchmarks.peers.ReparteeMethods;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoadGeneratorTest {
  private static final Duration TIME = Duration.ofMillis(500);
  private static final Duration LONG_TIME = Duration.ofSeconds(30);

  @Test
  void measuresTheLatencyIfOneCallIsInFlight() throws IOException {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", ReparteeMethods.inline())) {
      Sample sample = run(server, TIME);
      for (int i = 0; i < 20 && sample.rate() == 0; i++) {
        sample = run(server, TIME); // the machine may stall for a slice
      }
      assertThat(sample.rate()).isPositive();
      assertThat(sample.median()).isPositive();
      assertThat(sample.tail()).isGreaterThanOrEqualTo(sample.median());
    }
  }

  @Test
  void allConnectionsThatTakeTurnsAreCalled() throws IOException {
    Set<Peer> called = ConcurrentHashMap.newKeySet();
    AtomicLong calls = new AtomicLong();
    Service counting = Service.builder()
        .method("subtract", Lane.INLINE, call -> {
          calls.incrementAndGet();
          called.add(call.peer());
          return 19;
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", counting)) {
      Shape shape = Shape.of("2x1of5");
      while (calls.get() < 100) { // in one run
        called.clear();
        calls.set(0);
        run(server, shape, TIME);
      }
      assertThat(shape).hasToString("2x1of5");
      assertThat(called).as("five, and the connection of the first answer").hasSize(6);
    }
  }

  @Test
  void aServerThatAnswersWithErrorsIsNotMeasured() throws IOException {
    Service failing = Service.builder()
        .method("subtract", call -> {
          throw new RpcException(1, "will not");
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", failing)) {
      assertThatThrownBy(() -> run(server, TIME))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("will not");
    }
  }

  @Test
  void anAnswerOfAnotherLengthIsDetected() throws IOException {
    AtomicLong asked = new AtomicLong();
    Service changing = Service.builder()
        .method("subtract", Lane.INLINE, call -> asked.incrementAndGet() < 50 ? 19 : "otherwise")
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", changing)) {
      assertThatThrownBy(() -> run(server, LONG_TIME))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("not as long");
    }
  }

  @Test
  void lostNotificationsAreDetected() throws IOException {
    NotificationCounter notes = new NotificationCounter();
    Service losing = Service.builder()
        .method("note", Lane.INLINE, call -> null)
        .method("noted", Lane.INLINE, call -> notes.taken())
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", losing)) {
      Address address = Address.at(server.endpoint());
      LoadGenerator lines = new LoadGenerator(WireFormat.LINES);
      assertThatThrownBy(() -> lines.run(address, Workload.NOTIFY, new Shape(1, 1), TIME))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("does not answer with a result");
    }
  }

  private static Sample run(Server server, Duration time) throws IOException {
    return run(server, new Shape(1, 1), time);
  }

  private static Sample run(Server server, Shape shape, Duration time) throws IOException {
    Address address = Address.at(server.endpoint());
    return new LoadGenerator(WireFormat.LINES).run(address, Workload.SUBTRACT, shape, time);
  }
}
