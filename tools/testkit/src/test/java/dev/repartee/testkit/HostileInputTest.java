package dev.repartee.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.testkit.attack.WellBehavedClient;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hostile input to a server with 256 MB of memory. The server must answer with an error or close
 * the connection, and must keep serving another client.
 */
@Tag("ci")
class HostileInputTest {
  private static final byte[] BLOCK = new byte[1 << 20];
  private static final byte[] SPACES = " ".repeat(1 << 20).getBytes(UTF_8);

  @SuppressWarnings("NullAway.Init")
  private static Demo.Child server;

  @SuppressWarnings("NullAway.Init")
  private WellBehavedClient otherClient;

  @BeforeAll
  static void start() throws IOException {
    server = Demo.start();
    Arrays.fill(BLOCK, (byte) 'x');
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void moveIn() throws IOException {
    otherClient = WellBehavedClient.at(server.uri());
  }

  @AfterEach
  void theOtherClientWasServedAllTheTime() throws InterruptedException {
    otherClient.awaitServed(10);
    otherClient.close();
    assertThat(server.process().isAlive()).isTrue();
  }

  private static final String INVALID = """
      {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request",\
      "data":"the member 'jsonrpc' is missing, but has to be '2.0'"},"id":null}""";
  private static final String PING = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":1}""";
  private static final String PONG = """
      {"jsonrpc":"2.0","result":"pong","id":1}""";

  @Test
  void aHundredThousandOpenBracketsAreAParseErrorAndTheConnectionGoesOn() throws IOException {
    try (RawConnection raw = new RawConnection(server.uri())) {
      raw.send("[".repeat(100_000) + "\n");
      assertThat(raw.line()).contains("-32700");
      assertThat(raw.send(PING + "\n").line()).isEqualTo(PONG);
    }
  }

  @Test
  void anAnnouncedGigabyteIsRefusedBeforeItComes() throws IOException {
    try (RawConnection raw = new RawConnection(server.uri())) {
      raw.send("Content-Length: 1073741824\r\n\r\n");
      assertThat(raw.line()).startsWith("Content-Length: ");
      raw.line();
      assertThat(raw.bytes(60)).contains("-32003");
    }
    try (RawConnection raw = new RawConnection(server.uri())) {
      raw.send("\0\0\0\2{}").bytes(4 + INVALID.length());
      raw.send("\177\0\0\0");
      assertThat(raw.bytes(100)).contains("-32003");
    }
  }

  @Test
  void aHeaderThatNeverEndsEndsTheConnection() throws IOException {
    try (RawConnection raw = new RawConnection(server.uri())) {
      raw.send("Content-Length: 5\r\nX-Padding: ");
      try {
        for (int i = 0; i < 64; i++) {
          raw.send(BLOCK);
        }
      } catch (SocketException e) {
        // Rejected while sending.
      }
      assertThat(raw.rest()).containsAnyOf("-32700", RawConnection.RESET);
    }
  }

  @Test
  void aLineThatNeverEndsIsRefusedOnceAndNotKept() throws IOException {
    try (RawConnection raw = new RawConnection(server.uri())) {
      raw.send("\"");
      for (int i = 0; i < 400; i++) {
        raw.send(BLOCK);
      }
      assertThat(raw.line()).contains("-32003", "frameBytes");
      assertThat(raw.send("\"\n" + PING + "\n").line()).isEqualTo(PONG);
    }
  }

  @Test
  void silentConnectionsCostNobodyElseAnything() throws IOException {
    List<RawConnection> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        silent.add(new RawConnection(server.uri()));
      }
      for (RawConnection raw : silent) {
        assertThat(raw.send(PING + "\n").line()).isEqualTo(PONG);
      }
    } finally {
      for (RawConnection raw : silent) {
        raw.close();
      }
    }
  }

  @Test
  void binaryNoiseIsAnsweredOrEndsTheConnection() throws IOException {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      byte[] noise = new byte[100_000];
      random.nextBytes(noise);
      if (seed < 8) {
        noise[0] = new byte[] {0, 0x1E, 'C', '{', '[', '"', (byte) 0xFF, '\n'}[seed];
      }
      try (RawConnection raw = new RawConnection(server.uri())) {
        Thread reader = new Thread(() -> drain(raw));
        reader.start();
        raw.send(noise);
        raw.endOutput();
        reader.join();
      } catch (SocketException e) {
        // The server has closed the connection, which is a valid reaction too.
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void drain(RawConnection raw) {
    try {
      raw.rest();
    } catch (SocketTimeoutException e) {
      throw new AssertionError("neither answered nor ended", e);
    } catch (IOException e) {
      // Ended.
    }
  }

  @Test
  void anHttpClientIsCutOffAndNothingOfItsBodyRuns() throws IOException {
    String body = PING + "\n";
    for (String request : List.of(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\n\r\n",
        "Host: localhost\r\n")) {
      try (RawConnection raw = new RawConnection(server.uri())) {
        raw.send(request + body);
        assertThat(raw.rest()).doesNotContain("pong");
      }
    }
  }

  @Test
  void aClientThatSendsAndNeverReadsIsNotReadFromAnyMore()
      throws IOException, InterruptedException {
    String text = "x".repeat(64 << 10);
    byte[] request = """
        {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":1}
        """.formatted(text).getBytes(UTF_8);
    List<RawConnection> greedy = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        RawConnection raw = new RawConnection(server.uri());
        greedy.add(raw);
        Thread sender = new Thread(() -> {
          try {
            for (int k = 0; k < 10_000; k++) {
              raw.send(request);
            }
          } catch (IOException e) {
            // Closed by the test or by the server.
          }
        });
        sender.setDaemon(true);
        sender.start();
      }
      otherClient.awaitServed(20_000);
    } finally {
      for (RawConnection raw : greedy) {
        raw.close();
      }
    }
  }

  // ---------------------------------------------------------------- more than the memory holds

  private static final int MANY = 24;

  /** The number of messages of 15 MiB that fit into a quarter of 256 MB. */
  private static final int FIT = 4;

  private static final List<String> STARTS =
      List.of("\"", "Content-Length: 16000000\r\n\r\n", "\0\377\0\0", "\036\"", "{\"a\":\"");

  @Test
  void messagesInPartThatAreMoreThanTheMemoryHoldsAreRefused() throws Exception {
    refusedPastTheMemory((i, raw, said) -> {
      hear(raw, raw::rest, said);
      sendUntilRefused(raw, STARTS.get(i % STARTS.size()), "");
    });
  }

  @Test
  void callsThatAreMoreThanTheMemoryHoldsWhileTheyRunAreRefused() throws Exception {
    refusedPastTheMemory((i, raw, said) -> {
      hear(raw, raw::line, said);
      sendUntilRefused(
          raw,
          "{\"jsonrpc\":\"2.0\",\"method\":\"sleep\",\"params\":[60000",
          i % 2 == 0 ? "],\"id\":1}\n" : "]}\n");
    });
  }

  /** The action of one of many connections; it adds the reaction of the server to {@code said}. */
  private interface Greedy {
    void send(int i, RawConnection raw, BlockingQueue<String> said) throws IOException;
  }

  private void refusedPastTheMemory(Greedy greedy) throws Exception {
    List<RawConnection> all = new ArrayList<>();
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    try {
      for (int i = 0; i < MANY; i++) {
        RawConnection raw = new RawConnection(server.uri());
        all.add(raw);
        greedy.send(i, raw, said);
      }
      theRestIsRefused(said);
    } finally {
      resetAll(all);
    }
    aMessageOf15MiBIsServed();
  }

  private interface Hearing {
    String hear() throws IOException;
  }

  private static void hear(RawConnection raw, Hearing hearing, BlockingQueue<String> said) {
    Thread thread = new Thread(() -> {
      try {
        said.add(hearing.hear());
      } catch (SocketTimeoutException e) {
        // The message was accepted.
      } catch (IOException e) {
        said.add(RawConnection.RESET);
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  private static void sendUntilRefused(RawConnection raw, String start, String end)
      throws IOException {
    try {
      raw.send(start);
      for (int i = 0; i < 15; i++) {
        raw.send(SPACES);
      }
      raw.send(end);
    } catch (SocketException e) {
      // Rejected while sending.
    }
  }

  private void theRestIsRefused(BlockingQueue<String> said) throws InterruptedException {
    otherClient.awaitServed(50);
    List<String> refused = new ArrayList<>();
    for (int i = FIT; i < MANY; i++) {
      String one = said.poll(30, TimeUnit.SECONDS);
      assertThat(one).containsAnyOf("heldBytes", RawConnection.RESET, "<end>");
      refused.add(one);
    }
    assertThat(refused).anyMatch(one -> one.contains("-32000") && one.contains("heldBytes"));
    otherClient.awaitServed(50);
  }

  private static void resetAll(List<RawConnection> all) throws IOException {
    for (RawConnection raw : all) {
      raw.socket().setSoLinger(true, 0);
      raw.close();
    }
  }

  /** Waits until the server has noticed that the other connections are closed. */
  private static void aMessageOf15MiBIsServed() throws IOException {
    String said;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    do {
      try (RawConnection raw = new RawConnection(server.uri())) {
        sendUntilRefused(raw, "{", PING.substring(1) + "\n");
        said = raw.line();
      } catch (SocketException e) {
        said = RawConnection.RESET;
      }
    } while (!said.equals(PONG) && System.nanoTime() < end);
    assertThat(said).isEqualTo(PONG);
  }
}
