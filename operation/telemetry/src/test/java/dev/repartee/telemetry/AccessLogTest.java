package dev.repartee.telemetry;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AccessLogTest {
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-11-29T18:04:05.123Z"), ZoneOffset.UTC);

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Service service = Service.builder()
      .method("add", call -> 1)
      .method("fail", call -> {
        throw new RpcException(7, "no");
      })
      .build();

  private Server listen(AccessLog log, Options.Builder options) throws Exception {
    return Repartee.listen(
        "tcp://127.0.0.1:0",
        service,
        log.instrument(options.listener(Listener.NONE).build()));
  }

  private static Peer connect(Server server) throws Exception {
    return Repartee.connect(server.endpoint());
  }

  /** Closes a server, which waits for the lines of the calls of clients that are still connected. */
  private static void awaitLines(Server server) {
    server.close(Duration.ofSeconds(30));
  }

  private String next() throws InterruptedException {
    String line = lines.poll(30, SECONDS);
    assertThat(line).isNotNull();
    return line;
  }

  @Test
  void aCallIsALineOfText() throws Exception {
    try (AccessLog log = AccessLog.to(lines::add).clock(CLOCK).build();
        Server server = listen(log, Options.builder().access(access -> access.deny("admin")));
        Peer peer = connect(server)) {
      assertThat(next()).isEqualTo("#Version: 1.0");
      assertThat(next()).startsWith("#Fields: date time");
      peer.call("add", int.class);
      assertThat(next())
          .matches("2026-11-29 18:04:05[.]123 127[.]0[.]0[.]1:\\d+ - add \\d+ - 0[.]\\d{6}");
      assertThat(catchThrowable(() -> peer.call("fail", Json.class))).isNotNull();
      assertThat(next()).matches(".* - fail \\d+ 7 0[.]\\d{6}");
      assertThat(catchThrowable(() -> peer.call("admin", Json.class))).isNotNull();
      assertThat(next()).matches(".* - admin \\d+ 401 0[.]000000");
      assertThat(catchThrowable(() -> peer.call("no\n- such \"x\"", Json.class)))
          .isNotNull();
      assertThat(next()).matches(".* - no[+]-[+]such[+]\"x\" \\d+ -32601 0[.]\\d{6}");
      peer.notify("add");
      assertThat(next()).matches(".* - add - - 0[.]\\d{6}");
    }
  }

  @Test
  void aCallIsALineOfJson() throws Exception {
    try (AccessLog log = AccessLog.to(lines::add).json().clock(CLOCK).build();
        Server server = listen(log, Options.builder());
        Peer peer = connect(server)) {
      assertThat(catchThrowable(() -> peer.call("x".repeat(500), Json.class))).isNotNull();
      Json line = Json.parse(next());
      assertThat(line.string("time")).isEqualTo("2026-11-29T18:04:05.123Z");
      assertThat(line.string("method")).isEqualTo("x".repeat(200));
      assertThat(line.string("error")).isEqualTo("-32601");
      assertThat(line.get("seconds")).isNotNull();
    }
  }

  @Test
  void onlyFailuresAreCertainToBeLoggedInASample() throws Exception {
    try (AccessLog log = AccessLog.to(lines::add).json().sample(0).build();
        Server server = listen(log, Options.builder());
        Peer peer = connect(server)) {
      for (int i = 0; i < 100; i++) {
        peer.call("add", int.class);
      }
      assertThat(catchThrowable(() -> peer.call("fail", Json.class))).isNotNull();
      assertThat(next()).contains("\"fail\"");
      assertThat(lines).isEmpty();
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccessLog.to(lines::add).sample(1.1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccessLog.to(lines::add).sample(Double.NaN));
  }

  @Test
  void aSlowTargetLosesLinesAndDelaysNoCall() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    List<String> written = new ArrayList<>(); // by one thread, read after its end
    AccessLog log = AccessLog.to(line -> {
          try {
            slow.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          written.add(line);
        })
        .json()
        .capacity(10)
        .build();
    try (Server server = listen(log, Options.builder());
        Peer peer = connect(server)) {
      for (int i = 0; i < 100; i++) {
        assertThat(peer.call("add", int.class)).isEqualTo(1);
      }
      awaitLines(server);
    }
    assertThat(log.lost()).isBetween(89L, 90L);
    slow.countDown();
    log.close();
    assertThat(written).hasSizeBetween(11, 12).endsWith("{\"lost\":" + log.lost() + "}");
  }

  @Test
  void linesThatTheTargetRefusesAreLostAndCounted() throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    CountDownLatch refused = new CountDownLatch(3);
    List<String> written = new ArrayList<>(); // by one thread, read after its end
    AccessLog log = AccessLog.to(line -> {
          if (full.get()) {
            refused.countDown();
            throw new IllegalStateException("the disk is full");
          }
          written.add(line);
        })
        .json()
        .build();
    try (Server server = listen(log, Options.builder());
        Peer peer = connect(server)) {
      for (int i = 0; i < 3; i++) {
        peer.call("add", int.class);
      }
      assertThat(refused.await(60, SECONDS)).isTrue();
      full.set(false);
      peer.call("add", int.class);
      awaitLines(server);
    }
    log.close();
    assertThat(log.lost()).isEqualTo(3);
    assertThat(written).hasSize(2).endsWith("{\"lost\":3}");
  }

  @Test
  void aFileHasTheLines(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("access.log");
    try (AccessLog log = AccessLog.to(file).build();
        Server server = listen(log, Options.builder());
        Peer peer = connect(server)) {
      peer.call("add", int.class);
      awaitLines(server);
    }
    assertThat(Files.readAllLines(file)).hasSize(3).last().asString().contains(" add ");
  }

  @Test
  void aFileThatReplacesAFullOneHasTheNamesOfTheFields(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("access.log");
    Files.writeString(file, "x".repeat(10 << 20));
    try (AccessLog log = AccessLog.to(file).build();
        Server server = listen(log, Options.builder());
        Peer peer = connect(server)) {
      peer.call("add", int.class);
      awaitLines(server);
    }
    assertThat(Files.readAllLines(file)).hasSize(3).element(1).asString().startsWith("#Fields: ");
  }
}
