package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Lane;
import dev.repartee.LowLatencyCalls;
import dev.repartee.Peer;
import dev.repartee.Recorder;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LowLatencyTest {
  private static final String LOW = "tcp://127.0.0.1:0#latency=low";
  private static final int CALLS = 500;

  private static final Service ECHO = Service.builder()
      .method("inline", Lane.INLINE, call -> call.params())
      .method("worker", Lane.CONCURRENT, call -> call.params())
      .build();

  @ParameterizedTest
  @ValueSource(strings = {"inline", "worker"})
  void threadsThatWaitGetTheirAnswers(String method) throws Exception {
    try (Server server = Repartee.listen(LOW, ECHO);
        Peer peer = Repartee.connect(server.endpoint())) {
      List<CompletableFuture<Integer>> callers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int first = i * CALLS;
        callers.add(CompletableFuture.supplyAsync(
            () -> sum(peer, method, first, first + CALLS), work -> new Thread(work).start()));
      }
      for (int i = 0; i < 4; i++) {
        int first = i * CALLS;
        assertThat(callers.get(i).get(Recorder.SECONDS, TimeUnit.SECONDS))
            .isEqualTo(CALLS * (2 * first + CALLS - 1) / 2);
      }
    }
  }

  private static int sum(Peer peer, String method, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      sum += peer.call(method, int[].class, i)[0];
    }
    return sum;
  }

  @Test
  void aLoopLooksOnlyWhileItHasSuchAConnection() throws Exception {
    Endpoint endpoint = Endpoint.parse(LOW);
    CompletableFuture<Recorder> one = new CompletableFuture<>();
    try (Transport.Listening listening = Transport.of(endpoint)
        .listen(endpoint, Limits.DEFAULT, channel -> {
          one.complete(Recorder.on(channel));
        })) {
      Channel client = Transport.open(listening.endpoint(), Limits.DEFAULT, Headers.NONE);
      Recorder atClient = Recorder.on(client);
      Recorder.send(client, "[]");
      Recorder atServer = one.get(Recorder.SECONDS, TimeUnit.SECONDS);
      atServer.next();
      Loop ofClient = ((LoopChannel) client).loop();
      Loop ofServer = ((LoopChannel) atServer.channel).loop();
      assertThat(client.isLowLatency()).isTrue();
      assertThat(urgent(ofClient)).isTrue();
      assertThat(urgent(ofServer)).isTrue();
      client.close();
      atClient.end();
      atServer.end();
      awaitCalm(ofClient);
      awaitCalm(ofServer);
    }
  }

  /**
   * Waits until no socket needs the low-latency mode. Sockets, also those of earlier tests, are
   * closed a little after their end is reported.
   */
  private static void awaitCalm(Loop loop) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Recorder.SECONDS);
    while (urgent(loop)) {
      assertThat(System.nanoTime()).as("now").isLessThan(end);
    }
  }

  /** Returns the mode of the loop, after the tasks that it has already. */
  private static boolean urgent(Loop loop) throws Exception {
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    loop.execute(() -> seen.complete(loop.isUrgent()));
    return seen.get(Recorder.SECONDS, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0#latency=lowest", "unix:x.sock#latency=lowest"})
  void anUnknownLatencyIsRefused(String uri) {
    String message = "'" + uri + "' has the unknown latency 'lowest'; known are low, normal";
    assertThatThrownBy(() -> Repartee.connect(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> Repartee.listen(uri, ECHO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void onOneCpuNoThreadStarves() throws Exception {
    Path taskset = Path.of("/usr/bin/taskset");
    assumeTrue(Files.isExecutable(taskset), "there is no taskset here");
    Process process = new ProcessBuilder(
            taskset.toString(),
            "-c",
            "0",
            System.getProperty("java.home") + "/bin/java",
            "-cp",
            System.getProperty("java.class.path"),
            LowLatencyCalls.class.getName())
        .redirectErrorStream(true)
        .start();
    try (var out = process.getInputStream()) {
      assertThat(new String(out.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("done\n");
    } finally {
      process.destroyForcibly();
    }
  }
}
