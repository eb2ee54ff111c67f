package dev.repartee.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import io.opentelemetry.api.baggage.Baggage;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BaggageTest {
  public static final class Baggages {
    @Rpc
    public int baggage() {
      return Baggage.current().size();
    }
  }

  private final Logger logger = Logger.getLogger("io.opentelemetry.api.baggage");
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord line) {
      lines.add(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void end() {
    logger.removeHandler(handler);
  }

  @Test
  void aMalformedBaggageWritesNoLinesIntoTheLogOfTheServer() throws Exception {
    try (Recorder recorder = new Recorder();
        Server server = Repartee.listen(
            "tcp://127.0.0.1:0",
            Service.of(new Baggages()),
            Telemetry.builder(recorder.api())
                .carriers(Carrier.MEMBERS)
                .build()
                .instrument(Options.DEFAULT));
        Peer peer = Repartee.connect(server.endpoint().toString())) {
      assertThat(baggage(peer, "a=%20b;p=1,\tc=d")).isEqualTo(2);
      for (String malformed : List.of(
          "a=%zz,b=%g0", "a=1;p=\u0000", "a=1;p=\"", "a=1;p=\\", "a=1;p=\u00e9", "a=%0", "a=%")) {
        assertThat(baggage(peer, malformed)).isZero();
      }
    }
    assertThat(lines).isEmpty();
  }

  private static int baggage(Peer peer, String baggage) {
    return peer.request("baggage").member("baggage", Json.of(baggage)).call(int.class);
  }
}
