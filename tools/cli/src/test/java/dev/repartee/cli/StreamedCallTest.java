package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.stream.Streamed;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code repartee call --stream} against {@code repartee serve} in another process. The call runs
 * in a separate process where a signal or the end of a pipe matters.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StreamedCallTest {
  /** The class that the other process serves. */
  public static final class Feed {
    private final AtomicLong produced = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();
    private final SubmissionPublisher<String> heads = new SubmissionPublisher<>();

    /** Returns a stream that counts its items. */
    @Rpc
    public Stream<Long> numbers(long count) {
      open.incrementAndGet();
      return LongStream.range(0, count)
          .boxed()
          .peek(i -> produced.incrementAndGet())
          .onClose(open::decrementAndGet);
    }

    /** Returns a stream that fails at its second item. */
    @Rpc
    public Stream<Integer> broken() {
      return Stream.of(1, 2).map(i -> {
        if (i == 2) {
          throw new RpcException(7, "broken");
        }
        return i;
      });
    }

    /** Opens a subscription. */
    @Rpc
    @Streamed(subscription = "head", unsubscribe = "unsubscribe")
    public Flow.Publisher<String> subscribe(String what) {
      return heads;
    }

    /** Returns the number of open streams and subscriptions. */
    @Rpc
    public int open() {
      return open.get() + heads.getNumberOfSubscribers();
    }

    /** Returns the number of items that streams have produced. */
    @Rpc
    public long produced() {
      return produced.get();
    }

    /** Publishes an item to the subscriptions. */
    @Rpc
    public void publish(String head) {
      heads.submit(head);
    }

    /** Returns a plain result. */
    @Rpc
    public String plain() {
      return "plain";
    }

    /** Returns a plain number. */
    @Rpc
    public int one() {
      return 1;
    }
  }

  private Child server;
  private String tcp;
  private String http;

  /** Asks the server for its state. */
  private Peer peer;

  @BeforeAll
  void serve() throws Exception {
    server = Child.start(
        "serve",
        "--class",
        Feed.class.getName(),
        "--listen",
        "tcp://127.0.0.1:0",
        "--listen",
        "http://127.0.0.1:0/");
    tcp = server.listening();
    http = server.listening();
    peer = Repartee.connect(tcp);
  }

  @AfterAll
  void end() {
    peer.close();
    server.close();
  }

  /**
   * Waits until the streams have ended, shortly after the last item: the next test counts its own
   * streams.
   */
  @AfterEach
  void awaitTheEndOfTheStreams() {
    awaitOpen(0);
  }

  private String uri(String scheme) {
    return scheme.equals("tcp") ? tcp : http.replaceFirst("^http", scheme);
  }

  private long ask(String method) {
    return peer.call(method, long.class);
  }

  private void awaitOpen(int count) {
    while (ask("open") != count) {
      Thread.onSpinWait();
    }
  }

  /** Starts a call without a reader of its output, which is a pipe of the given length. */
  private static Process start(String... words) throws Exception {
    return new ProcessBuilder(Child.command(words))
        .directory(new File("target"))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static BufferedReader reader(Process process) {
    return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  private static void failed(Outcome outcome, int exit, String... words) {
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    assertThat(outcome.err()).startsWith("repartee: ").contains(words).hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http", "ws"})
  void everyItemIsALineOfStandardOutput(String scheme) throws Exception {
    Outcome outcome = Captured.run("", "call", uri(scheme), "numbers", "1000", "--stream");
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out().lines())
        .isEqualTo(LongStream.range(0, 1000).mapToObj(String::valueOf).toList());
  }

  @Test
  void aStreamWithoutItemsPrintsNothing() throws Exception {
    assertThat(Captured.run("", "call", tcp, "numbers", "0", "--stream"))
        .isEqualTo(new Outcome(0, "", ""));
  }

  @Test
  void theNumberOfItemsIsPrintedOnRequest() throws Exception {
    Outcome outcome = Captured.run("", "call", tcp, "numbers", "3", "--stream", "-v");
    assertThat(outcome.out()).isEqualTo("0\n1\n2\n");
    assertThat(outcome.err()).contains("\n3 items in ");
  }

  @Test
  void anErrorFollowsTheItemsBeforeIt() throws Exception {
    assertThat(Captured.run("", "call", tcp, "broken", "--stream"))
        .isEqualTo(new Outcome(1, "1\n", "{\"code\":7,\"message\":\"broken\"}\n"));
  }

  @Test
  void aReaderThatTakesNothingHoldsTheStreamBack() throws Exception {
    long before = ask("produced");
    Process call = start("call", tcp, "numbers", "9000000000", "--stream");
    try (BufferedReader lines = reader(call)) {
      assertThat(lines.readLine()).isEqualTo("0");
      awaitOpen(1);
      long produced = -1;
      while (produced != ask("produced")) { // standard output is full
        produced = ask("produced");
      }
      assertThat(produced - before).isLessThan(1_000_000);
    } finally {
      call.destroyForcibly();
    }
    awaitOpen(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http", "ws"})
  void theEndOfTheReaderEndsTheStreamWithoutAMessage(String scheme) throws Exception {
    Process call = start("call", uri(scheme), "numbers", "9000000000", "--stream");
    try (BufferedReader lines = reader(call)) {
      assertThat(lines.readLine()).isEqualTo("0");
    }
    assertThat(call.waitFor()).isZero();
    awaitOpen(0);
  }

  @EnabledOnOs({OS.LINUX, OS.MAC})
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "ws"})
  void aSignalEndsASubscription(String scheme) throws Exception {
    Process call =
        start("call", uri(scheme), "subscribe", "new", "--subscribe", "head,unsubscribe");
    try (BufferedReader lines = reader(call)) {
      awaitOpen(1);
      for (String head : List.of("a", "b")) {
        peer.call("publish", Json.class, head);
        assertThat(lines.readLine()).isEqualTo('"' + head + '"');
      }
      call.toHandle().destroy(); // Process.destroy() would close the streams too
      assertThat(call.waitFor()).isEqualTo(143);
      awaitOpen(0);
    } finally {
      call.destroyForcibly();
    }
  }

  /** The peer is another process; the cancellation must therefore arrive over the wire. */
  @EnabledOnOs({OS.LINUX, OS.MAC})
  @Test
  void aSignalEndsTheConnection() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Process call = start("call", "tcp://127.0.0.1:" + listener.getLocalPort(), "m", "--stream");
      try (Socket socket = listener.accept();
          BufferedReader lines =
              new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
        assertThat(lines.readLine()).contains("\"method\":\"m\"");
        assertThat(lines.readLine()).contains("\"rpc.credit\"", "\"n\":256");
        call.toHandle().destroy();
        assertThat(lines.lines()).allMatch(line -> line.contains("\"rpc.cancel\""));
        assertThat(call.waitFor()).isEqualTo(143);
      } finally {
        call.destroyForcibly();
      }
    }
  }

  @Test
  void aPeerThatLeavesExitsWithFour() throws Exception {
    failed(
        Captured.run("", "call", "exec:sh -c 'read line; exit 3'", "m", "--stream"),
        4,
        "ended before the stream of 'm' did, after 0 items",
        "3");
  }

  @Test
  void aResultThatIsNoStreamIsToldSo() throws Exception {
    failed(
        Captured.run("", "call", tcp, "plain", "--stream"),
        5,
        "'plain'",
        "call it without --stream");
    failed(Captured.run("", "call", tcp, "one", "--stream"), 5, "call it without --stream");
  }

  @Test
  void aStreamThatIsCalledPlainlyNamesTheOption() throws Exception {
    Outcome outcome = Captured.run("", "call", http, "numbers", "3");
    assertThat(outcome.out()).isEqualTo("3\n");
    failed(outcome, 0, "'numbers' answers with a stream", "--stream");
    String answer = """
        {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request",\
        "data":"no credit was granted: send rpc.credit"}}""";
    String script = "read line; printf '%s\\n' '" + answer + "'; cat";
    Outcome refused = Captured.run(
        "", "call", "exec:[\"sh\",\"-c\"," + new JsonWriter().string(script) + "]", "m");
    assertThat(refused.exit()).as(refused.err()).isEqualTo(1);
    assertThat(refused.err()).contains("-32600").contains("repartee: 'm' answers with a stream");
  }

  @Test
  void aSubscriptionWhoseItemsHaveAnotherNameIsToldSoOnce() throws Exception {
    String item = """
        {"jsonrpc":"2.0","method":"%s","params":{%s}}""";
    String script = "read line; printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"7\"}'"
        + " '" + item.formatted("log", "\"level\":1") + "'"
        + " '" + item.formatted("item", "\"subscription\":\"7\",\"result\":1") + "'"
        + " '" + item.formatted("item", "\"subscription\":\"7\",\"result\":2") + "'";
    String uri = "exec:[\"sh\",\"-c\"," + new JsonWriter().string(script) + "]";
    Outcome outcome = Captured.run("", "call", uri, "sub", "--subscribe", "other,unsub");
    assertThat(outcome.exit()).isEqualTo(4); // the process ends
    assertThat(outcome.err())
        .startsWith("repartee: notifications 'item' arrive, but --subscribe names 'other'\n")
        .hasLineCount(2);
    assertThat(Captured.run("", "call", uri, "sub", "--subscribe", "item,unsub").out())
        .isEqualTo("1\n2\n");
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() throws Exception {
    failed(
        Captured.run("", "call", tcp, "numbers", "3", "--stream", "--subscribe", "head,end"),
        2,
        "--stream",
        "--subscribe");
    failed(
        Captured.run("", "call", tcp, "numbers", "3", "--stream", "--raw"), 2, "leave out --raw");
    failed(
        Captured.run("", "call", tcp, "m", "--subscribe", "head"), 2, "takes two names", "'head'");
    failed(
        Captured.run("", "call", http, "subscribe", "new", "--subscribe", "head,unsubscribe"),
        2,
        "such as a WebSocket, not http");
  }
}
