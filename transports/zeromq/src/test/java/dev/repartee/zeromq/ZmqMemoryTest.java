package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.json.Json;
import dev.repartee.testkit.attack.TargetServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A service with 64 MB of memory, and attackers that try to use more. */
@Tag("ci")
class ZmqMemoryTest {
  private static final int CLIENTS = 10;

  private final List<RawPeer> peers = new CopyOnWriteArrayList<>();
  private Process service;
  private String uri;

  @BeforeEach
  void start() throws IOException {
    start(TargetServer.class);
  }

  private void start(Class<?> program) throws IOException {
    service = new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx64m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            "zmq+tcp://127.0.0.1:0")
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
    BufferedReader errors = service.errorReader(UTF_8);
    String line = errors.readLine();
    while (line != null && !line.startsWith("listening on ")) {
      line = errors.readLine(); // the JVM may write warnings first
    }
    assertThat(line).isNotNull();
    uri = line.substring("listening on ".length());
    Thread reader = new Thread(() -> {
      try {
        errors.transferTo(Writer.nullWriter()); // a full pipe would block the service
      } catch (IOException e) {
        // The service has ended.
      }
    });
    reader.setDaemon(true);
    reader.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (RawPeer peer : peers) {
      peer.close();
    }
    service.destroyForcibly().waitFor();
  }

  private RawPeer dealer() throws IOException {
    RawPeer peer = RawPeer.connect(uri, "DEALER", "");
    peers.add(peer);
    return peer;
  }

  private void requireThatOthersAreServed() throws IOException {
    Options patient = Options.builder()
        .limits(limits -> limits.connectTimeout(Duration.ofSeconds(60)))
        .build();
    try (Peer client = Repartee.connect(uri, patient)) {
      assertThat(client.call("text", String.class, 3)).hasSize(3);
    }
    assertThat(service.isAlive()).isTrue();
  }

  private static String call(String method, Object param) {
    return """
        {"jsonrpc":"2.0","id":1,"method":"%s","params":[%s]}""".formatted(method, param);
  }

  @Test
  void largeRepliesThatNobodyReadsAreBoundedForAllClientsTogether() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      dealer();
    }
    try (Peer other = Repartee.connect(uri)) {
      for (int i = 0; i < 16; i++) {
        for (RawPeer client : peers) {
          client.send("", call("text", 500_000));
        }
        assertThat(other.call("text", String.class, 3)).hasSize(3);
      }
    }
    requireThatOthersAreServed();
  }

  /** Replaces the service with a {@link StalledService}, and waits until its calls run. */
  private void startStalled() throws Exception {
    stop();
    start(StalledService.class);
    for (int i = 0; i < StalledService.CALLS; i++) {
      dealer().send("", call("text", 500_000));
    }
    try (Peer client = Repartee.connect(uri)) {
      while (client.call("running", int.class) < StalledService.CALLS) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void repliesAreBoundedWhileTheThreadOfTheSocketsWritesNone() throws Exception {
    startStalled();
    String[] frames = new String[20];
    Arrays.fill(frames, "x");
    dealer().send(frames); // is reported, and the report stalls the thread
    requireThatOthersAreServed();
    int refused = 0;
    for (RawPeer client : peers.subList(0, StalledService.CALLS)) {
      refused += client.receive().get(1).contains("-32000") ? 1 : 0;
    }
    assertThat(refused).isBetween(1, StalledService.CALLS - 1);
  }

  @Test
  void aCallWhosePartWasDroppedFails() throws Exception {
    startStalled();
    try (Peer client = Repartee.connect(uri)) {
      List<Json> parts = new CopyOnWriteArrayList<>();
      assertThatThrownBy(() -> client.request("progress").onProgress(parts::add).call(String.class))
          .hasMessageContaining("was dropped");
      assertThat(parts).isEmpty();
    }
  }

  @Test
  void envelopesAreBounded() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      String[] frames = new String[16];
      Arrays.fill(frames, "x".repeat(800_000));
      frames[14] = "";
      frames[15] = call("sleep", 60_000);
      dealer().send(frames);
    }
    requireThatOthersAreServed();
  }

  @Test
  void announcedFramesAreBoundedForAllClientsTogether() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      dealer().announce(10_000_000);
      RawPeer stranger = RawPeer.greet(uri, "NULL");
      peers.add(stranger);
      stranger.announce(10_000_000);
    }
    requireThatOthersAreServed();
    for (RawPeer peer : peers) {
      peer.close();
    }
    RawPeer large = dealer();
    for (String answer = "-32000";
        answer.contains("-32000");
        answer = large.receive().get(1)) {
      large.send("", call("missing", "\"" + "x".repeat(8_000_000) + "\""));
    }
  }

  @Test
  void theFramesOfAMessageAreBounded() throws Exception {
    byte[] frames = new byte[300_000];
    for (int i = 0; i < frames.length; i += 3) {
      frames[i] = 1;
      frames[i + 1] = 1;
      frames[i + 2] = 'x';
    }
    RawPeer client = dealer();
    for (int i = 0; i < 25; i++) { // more than TCP buffers
      client.write(frames);
    }
    requireThatOthersAreServed();
  }
}
