package dev.repartee.cli;

import static dev.repartee.testkit.RawConnection.chunkedPost;
import static dev.repartee.testkit.RawConnection.frame;
import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.attack.WellBehavedClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hostile HTTP and WebSocket clients against {@code repartee serve} with 256 MB of memory. The
 * server must reject the request or close the connection, and must keep serving other clients. The
 * process would exit immediately if it ran out of memory.
 */
@Tag("ci")
class HttpAttackTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";
  private static final String ECHO = """
      {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":1}""".formatted("x".repeat(60_000));
  private static final String BLOCK = "x".repeat(1 << 20);
  private static final int CALLS = 5;
  private static final int TEXT = 0x81;
  private static final int CONTINUATION = 0x00;
  private static final int PING = 0x89;

  private static Child server;
  private static String uri;
  private static List<WellBehavedClient> neighbours;

  @BeforeAll
  @Timeout(300) // the first class of the module creates the archive of the command
  static void serve() throws Exception {
    server = Child.start(
        List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
        "serve",
        "--listen",
        "http://127.0.0.1:0/");
    uri = server.listening();
    neighbours =
        List.of(WellBehavedClient.at(uri), WellBehavedClient.at(uri.replaceFirst("http", "ws")));
  }

  @AfterAll
  static void nothingOfItStaysInMemory() throws Exception {
    try (Child closing = server) {
      for (WellBehavedClient neighbour : neighbours) {
        neighbour.close();
      }
      long most = 48 << 20;
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      long used = heapInUse(closing);
      while (used >= most && System.nanoTime() < end) { // the server may not have seen all ends yet
        used = heapInUse(closing);
      }
      assertThat(used).isLessThan(most);
    }
  }

  @AfterEach
  void theNeighboursAreServed() throws InterruptedException {
    servedAgain(CALLS);
    assertThat(server.process().isAlive()).isTrue();
  }

  private static void servedAgain(int calls) throws InterruptedException {
    for (WellBehavedClient neighbour : neighbours) {
      neighbour.awaitServed(calls);
    }
  }

  /** Returns the heap use of the server after a collection, in bytes. */
  private static long heapInUse(Child server) throws Exception {
    System.setProperty("sun.tools.attach.attachTimeout", "60000"); // 10 s are short after attacks
    VirtualMachine machine =
        VirtualMachine.attach(String.valueOf(server.process().pid()));
    JMXServiceURL agent = new JMXServiceURL(machine.startLocalManagementAgent());
    machine.detach();
    try (JMXConnector connector = JMXConnectorFactory.connect(agent)) {
      MBeanServerConnection connection = connector.getMBeanServerConnection();
      MemoryMXBean memory = ManagementFactory.newPlatformMXBeanProxy(
          connection, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
      memory.gc();
      return memory.getHeapMemoryUsage().getUsed();
    }
  }

  private static RawConnection raw() throws IOException {
    return new RawConnection(uri);
  }

  private static RawConnection webSocket() throws IOException {
    return raw().upgrade();
  }

  /** Returns a request with the bytes, repeated and compressed, as its body. */
  private static String packed(byte[] bytes, int times) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      for (int i = 0; i < times; i++) {
        gzip.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return post(packed.toString(ISO_8859_1), "Content-Encoding: gzip");
  }

  private static byte[] text(int first, String payload) {
    return frame(first, payload.getBytes(UTF_8));
  }

  /** Sends the bytes repeatedly, in a separate thread, until the connection is closed. */
  private static void flood(RawConnection raw, byte[] bytes) {
    Thread sender = new Thread(() -> {
      try {
        while (!raw.socket().isClosed()) {
          raw.send(bytes);
        }
      } catch (IOException e) {
        // Closed by the test or by the server.
      }
    });
    sender.setDaemon(true);
    sender.start();
  }

  /** Sends a text up to {@code times} times, as long as the connection is open. */
  private static void sendUntilRefused(RawConnection raw, String text, int times)
      throws IOException {
    try {
      for (int i = 0; i < times; i++) {
        raw.send(text);
      }
    } catch (SocketException e) {
      // Rejected while sending.
    }
  }

  private static void closeAll(List<RawConnection> all) throws IOException {
    for (RawConnection raw : all) {
      raw.close();
    }
  }

  // ---------------------------------------------------------------- slow

  @Test
  void slowHeadersAndBodiesHoldNobodyUpAndAreServedInTheEnd() throws Exception {
    String request = post(CALL);
    List<RawConnection> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        slow.add(raw());
      }
      int step = 8;
      for (int from = 0; from < request.length(); from += step) {
        for (RawConnection raw : slow) {
          raw.send(request.substring(from, Math.min(from + step, request.length())));
        }
        servedAgain(1);
      }
      for (RawConnection raw : slow) {
        assertThat(raw.body()).isEqualTo(ANSWER);
      }
    } finally {
      closeAll(slow);
    }
  }

  @Test
  void silentAndHalfOpenConnectionsHoldNobodyUp() throws Exception {
    List<RawConnection> all = new ArrayList<>();
    String request = post(CALL);
    try {
      for (int i = 0; i < 100; i++) {
        all.add(raw());
        all.add(raw().send(request.substring(0, 30)).endOutput());
        all.add(raw().send(request.substring(0, request.length() - 5)).endOutput());
        RawConnection vanished = webSocket().send(text(0x01, "{"));
        vanished.socket().setSoLinger(true, 0);
        vanished.close();
      }
      servedAgain(CALLS);
      for (RawConnection raw : all) {
        assertThat(raw.socket().isOutputShutdown() ? raw.rest() : "").isEmpty();
      }
    } finally {
      closeAll(all);
    }
  }

  // ---------------------------------------------------------------- huge

  @Test
  void aBodyInChunksThatNeverEndsIsRefused() throws Exception {
    try (RawConnection raw = raw()) {
      raw.send(chunkedPost());
      sendUntilRefused(raw, Integer.toHexString(BLOCK.length()) + "\r\n" + BLOCK + "\r\n", 2_000);
      assertThat(raw.rest()).startsWith("HTTP/1.1 413 ");
    }
  }

  @Test
  void aBodyPastTheLimitIsRefusedAndNotKept() throws Exception {
    try (RawConnection raw = raw()) {
      raw.send(post("").replace("Length: 0", "Length: " + (2_000L << 20)));
      sendUntilRefused(raw, BLOCK, 2_000);
      assertThat(raw.rest()).startsWith("HTTP/1.1 413 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"16777216", "9223372036854775807", "9223372036854775808", "-1", "1, 2", "x"})
  void anAnnouncedLengthThatCannotBeIsRefusedBeforeAnythingComes(String length) throws Exception {
    try (RawConnection raw = raw()) {
      raw.send(post("").replace("Length: 0", "Length: " + length));
      assertThat(raw.rest()).containsPattern("^HTTP/1.1 (400|413) ");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {16 << 20, 1L << 40, Long.MAX_VALUE})
  void aWebSocketFramePastTheLimitIsRefusedBeforeItComes(long length) throws Exception {
    try (RawConnection raw = webSocket()) {
      raw.send(new byte[] {(byte) TEXT, (byte) 0xFF})
          .send(java.nio.ByteBuffer.allocate(8).putLong(length).array())
          .send(new byte[4]);
      assertThat(raw.message()).isEqualTo("<close> 1009");
    }
  }

  @Test
  void aWebSocketMessageIsRefusedWhereItsFragmentsPassTheLimit() throws Exception {
    try (RawConnection raw = webSocket()) {
      raw.send(text(0x01, BLOCK.substring(0, 60_000)));
      String part = new String(text(CONTINUATION, BLOCK.substring(0, 60_000)), ISO_8859_1);
      sendUntilRefused(raw, part, 2_000);
      assertThat(raw.message()).isEqualTo("<close> 1009");
    }
  }

  @Test
  void aBodyThatUnpacksPastTheLimitIsRefused() throws Exception {
    String bomb = packed(new byte[1 << 20], 300); // more than the memory of the server
    for (int i = 0; i < 8; i++) {
      try (RawConnection raw = raw()) {
        sendUntilRefused(raw, bomb, 1);
        assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GET /%s", "POST / HTTP/1.1\r\nX-Padding: %s", "POST / HTTP/1.1\r\n%s: x"})
  void aHeaderThatNeverEndsIsRefused(String start) throws Exception {
    try (RawConnection raw = raw()) {
      raw.send(start.replace("%s", ""));
      sendUntilRefused(raw, BLOCK, 200);
      assertThat(raw.rest()).containsPattern("^HTTP/1.1 (400|414|431) ");
    }
  }

  @Test
  void headerFieldsWithoutEndAreRefused() throws Exception {
    try (RawConnection raw = raw()) {
      raw.send("POST / HTTP/1.1\r\nHost: localhost\r\n");
      sendUntilRefused(raw, "A: b\r\n".repeat(10_000), 1_000);
      assertThat(raw.rest()).startsWith("HTTP/1.1 431 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1;extension=%s", "%s", "0\r\nX-Trailer: %s", "0\r\n"})
  void chunkSizesAndTrailersWithoutEndAreRefused(String chunk) throws Exception {
    try (RawConnection raw = raw()) {
      raw.send(chunkedPost()).send(chunk.replace("%s", ""));
      sendUntilRefused(raw, chunk.contains("%s") ? BLOCK : "A: b\r\n".repeat(10_000), 200);
      assertThat(raw.rest()).containsPattern("^HTTP/1.1 4[0-9]{2} ");
    }
  }

  // ---------------------------------------------------------------- many

  @Test
  void aBodyInAHundredThousandChunksIsServed() throws Exception {
    StringBuilder request = new StringBuilder(chunkedPost());
    for (int i = 0; i < 100_000; i++) {
      request.append("1\r\n \r\n");
    }
    CALL.chars().forEach(c -> request.append("1\r\n").append((char) c).append("\r\n"));
    try (RawConnection raw = raw()) {
      assertThat(raw.send(request.append("0\r\n\r\n").toString()).body()).isEqualTo(ANSWER);
    }
  }

  @Test
  void aMessageInAHundredThousandFragmentsIsServed() throws Exception {
    byte[] empty = text(CONTINUATION, "");
    byte[] blank = text(CONTINUATION, " ");
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    frames.writeBytes(text(0x01, ""));
    for (int i = 0; i < 50_000; i++) {
      frames.writeBytes(empty);
      frames.writeBytes(blank);
    }
    frames.writeBytes(text(0x80, CALL));
    try (RawConnection raw = webSocket()) {
      assertThat(raw.send(frames.toByteArray()).message()).isEqualTo(ANSWER);
    }
  }

  @Test
  void clientsThatSendAndNeverReadAreNotReadFromAnyMore() throws Exception {
    List<RawConnection> greedy = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        flood(add(greedy, raw()), post(ECHO).getBytes(UTF_8));
        flood(add(greedy, raw()), post(CALL).repeat(100).getBytes(UTF_8));
        flood(add(greedy, webSocket()), text(TEXT, ECHO));
        flood(add(greedy, webSocket()), text(TEXT, CALL));
      }
      servedAgain(CALLS);
    } finally {
      closeAll(greedy);
    }
  }

  @Test
  void pingsAndFragmentsWithoutEndHoldNobodyUp() throws Exception {
    List<RawConnection> greedy = new ArrayList<>();
    try {
      flood(add(greedy, webSocket()), text(PING, "x".repeat(125)));
      flood(add(greedy, webSocket()), text(PING, ""));
      flood(add(greedy, webSocket().send(text(0x01, ""))), text(CONTINUATION, ""));
      flood(add(greedy, raw()), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      flood(add(greedy, raw()), "\r\n".repeat(1_000).getBytes(UTF_8));
      servedAgain(CALLS);
    } finally {
      closeAll(greedy);
    }
  }

  private static RawConnection add(List<RawConnection> all, RawConnection raw) {
    all.add(raw);
    return raw;
  }

  // ---------------------------------------------------------------- more than the memory holds

  private static final int MANY = 24;

  /** The number of messages of 15 MiB that fit into a quarter of 256 MB. */
  private static final int FIT = 4;

  private static final String SPACES = " ".repeat(1 << 20);
  private static final String SLEEP = """
      {"jsonrpc":"2.0","method":"sleep","params":[60000""";
  private static final String SLEEP_ENDS = "],\"id\":1}";

  /** A compressed call of 15 MiB. To compress it for each connection would need most of the time. */
  private static final String PACKED =
      packed((SLEEP + SPACES.repeat(15) + SLEEP_ENDS).getBytes(UTF_8), 1);

  private static final int SIZE = SLEEP.length() + 15 * SPACES.length() + SLEEP_ENDS.length();

  /** A way to send a call of 15 MiB. */
  enum Way {
    BODY {
      @Override
      void send(RawConnection raw, String end) throws IOException {
        raw.send(post("").replace("Length: 0", "Length: " + SIZE)).send(SLEEP);
        blocks(raw);
        raw.send(end);
      }
    },

    PACKED_BODY {
      @Override
      void send(RawConnection raw, String end) throws IOException {
        raw.send(PACKED);
      }
    },

    FRAME {
      @Override
      void send(RawConnection raw, String end) throws IOException {
        raw.upgrade()
            .send(new byte[] {(byte) TEXT, (byte) 0xFF})
            .send(java.nio.ByteBuffer.allocate(12).putLong(SIZE).array())
            .send(SLEEP);
        blocks(raw);
        raw.send(end);
      }
    },

    FRAGMENTS {
      @Override
      void send(RawConnection raw, String end) throws IOException {
        raw.upgrade().send(text(0x01, SLEEP));
        for (int i = 0; i < 15 * 32; i++) {
          raw.send(text(CONTINUATION, SPACES.substring(0, SPACES.length() / 32)));
        }
        raw.send(end.isEmpty() ? new byte[0] : text(0x80, end));
      }
    };

    abstract void send(RawConnection raw, String end) throws IOException;

    private static void blocks(RawConnection raw) throws IOException {
      for (int i = 0; i < 15; i++) {
        raw.send(SPACES);
      }
    }

    String hear(RawConnection raw) throws IOException {
      return this == BODY || this == PACKED_BODY ? raw.answer() : raw.message();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BODY", "FRAME", "FRAGMENTS"})
  void messagesInPartThatAreMoreThanTheMemoryHoldsAreRefused(Way way) throws Exception {
    refusedPastTheMemory(way, "");
  }

  @ParameterizedTest
  @EnumSource
  void callsThatAreMoreThanTheMemoryHoldsWhileTheyRunAreRefused(Way way) throws Exception {
    refusedPastTheMemory(way, SLEEP_ENDS);
  }

  private static void refusedPastTheMemory(Way way, String end) throws Exception {
    List<RawConnection> all = new ArrayList<>();
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    try {
      for (int i = 0; i < MANY; i++) {
        RawConnection raw = raw();
        all.add(raw);
        try {
          way.send(raw, end);
        } catch (SocketException e) {
          // Rejected while sending.
        }
        hear(way, raw, said);
      }
      servedAgain(CALLS);
      List<String> refused = new ArrayList<>();
      for (int i = FIT; i < MANY; i++) {
        refused.add(said.poll(30, TimeUnit.SECONDS));
      }
      assertThat(refused).allMatch(HttpAttackTest::isRefusal).anyMatch(one -> !isReset(one));
      servedAgain(CALLS);
    } finally {
      for (RawConnection raw : all) {
        raw.socket().setSoLinger(true, 0);
        raw.close();
      }
    }
    aBodyOf15MiBIsServed();
  }

  private static void hear(Way way, RawConnection raw, BlockingQueue<String> said) {
    Thread thread = new Thread(() -> {
      try {
        said.add(way.hear(raw));
      } catch (SocketTimeoutException e) {
        // The message was accepted.
      } catch (IOException e) {
        said.add(RawConnection.RESET);
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  private static boolean isReset(String said) {
    return said.equals(RawConnection.RESET) || said.equals("<end>");
  }

  private static boolean isRefusal(String said) {
    return isReset(said)
        || said.equals("<close> 1013")
        || said.contains("-32000") && said.contains("heldBytes")
        || said.startsWith("HTTP/1.1 503 ") && said.contains("heldBytes");
  }

  /** Waits until the server has noticed that the other connections are closed. */
  private static void aBodyOf15MiBIsServed() throws IOException {
    String said;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    do {
      try (RawConnection raw = raw()) {
        said = raw.send(post(SPACES.repeat(15) + CALL)).body();
      } catch (IOException e) {
        said = String.valueOf(e.getMessage());
      }
    } while (!said.equals(ANSWER) && System.nanoTime() < end);
    assertThat(said).isEqualTo(ANSWER);
  }

  // ---------------------------------------------------------------- nonsense

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void binaryNoiseIsAnsweredOrEndsTheConnection(boolean upgraded) throws Exception {
    for (int seed = 0; seed < 40; seed++) {
      byte[] noise = new byte[100_000];
      new Random(seed).nextBytes(noise);
      if (seed % 4 == 0) {
        System.arraycopy(chunkedPost().getBytes(UTF_8), 0, noise, 0, 80);
      }
      try (RawConnection raw = upgraded ? webSocket() : raw()) {
        sendUntilRefused(raw, new String(noise, ISO_8859_1), 1);
        raw.endOutput();
        assertThat(raw.rest()).doesNotContain("\"result\"");
      } catch (SocketException e) {
        // The server has closed the connection, which is a valid reaction too.
      }
    }
  }
}
