package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a client's output: the client may still wait for responses, or it may have died. */
@Timeout(60)
class EndOfInputTest {
  private static final Duration SOON = Duration.ofMillis(200);
  private static final Duration NEVER = Duration.ZERO;

  private final FakeClock clock = new FakeClock();
  private final CountDownLatch jobStarted = new CountDownLatch(1);
  private final CountDownLatch jobCancelled = new CountDownLatch(1);
  private final CountDownLatch noteStarted = new CountDownLatch(1);
  private final CountDownLatch noteMayEnd = new CountDownLatch(1);
  private final CountDownLatch noteEnded = new CountDownLatch(1);
  private final CountDownLatch inputClosed = new CountDownLatch(1);
  private final CompletableFuture<String> result = new CompletableFuture<>();
  private Path directory = Path.of("");

  private final Service service = Service.builder()
      .method("job", call -> {
        call.cancellation().onCancel(jobCancelled::countDown);
        call.peer().flow().onInputClosed(inputClosed::countDown);
        jobStarted.countDown();
        return result;
      })
      .method("note", call -> {
        noteStarted.countDown();
        noteMayEnd.await();
        call.cancellation().throwIfCancelled();
        noteEnded.countDown();
        return null;
      })
      .method("ping", call -> "pong")
      .build();

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory("rp");
  }

  @AfterEach
  void release() throws IOException {
    noteMayEnd.countDown();
    result.complete("late");
    Files.delete(directory);
  }

  private Server listen(String transport, Duration halfCloseTimeout) throws IOException {
    Limits limits = Limits.builder()
        .connections(1)
        .closeTimeout(Duration.ZERO)
        .halfCloseTimeout(halfCloseTimeout)
        .build();
    String uri = transport.equals("tcp") ? "tcp://127.0.0.1:0" : "unix:" + directory.resolve("s");
    return Repartee.listen(
        uri, service, ClockOptions.builder(clock).limits(limits).build());
  }

  private static SocketChannel connect(Server server) throws IOException {
    Endpoint endpoint = server.endpoint();
    SocketAddress address = endpoint.scheme().equals("unix")
        ? UnixDomainSocketAddress.of(endpoint.address())
        : new InetSocketAddress("127.0.0.1", Recorder.port(endpoint));
    return SocketChannel.open(address);
  }

  private static void send(SocketChannel client, String... messages) throws IOException {
    String text = String.join("\n", messages) + "\n";
    client.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
  }

  private static String request(String method) {
    return """
        {"jsonrpc":"2.0","method":"%s","id":1}""".formatted(method);
  }

  private static String notification(String method) {
    return """
        {"jsonrpc":"2.0","method":"%s"}""".formatted(method);
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(Recorder.SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** Checks that the only connection that the server allows is free again. */
  private static void servesTheNext(Server server) {
    String answer = null;
    while (answer == null) {
      try (Peer next = Repartee.connect(server.endpoint())) {
        answer = next.call("ping", String.class);
      } catch (IOException | DisconnectedException e) {
        Thread.yield(); // refused while the last connection is still open
      }
    }
    assertThat(answer).isEqualTo("pong");
    while (server.peers().size() > 1) { // the last peer leaves after its socket was closed
      if (Thread.interrupted()) { // by the time-out of the test
        throw new AssertionError(server.peers().toString());
      }
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPeerIsNotOpenWhenACallFailsByTheEndOfItsConnection(boolean reset) throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Peer peer = Repartee.connect("tcp://127.0.0.1:" + other.getLocalPort())) {
      CompletableFuture<Boolean> open = new CompletableFuture<>();
      peer.callAsync("ping", String.class).whenComplete((answer, failure) -> {
        if (failure instanceof DisconnectedException) {
          open.complete(peer.isOpen());
        }
      });
      assertThat(peer.isOpen()).isTrue();
      try (Socket accepted = other.accept()) {
        accepted.setSoLinger(reset, 0);
      }
      assertThat(open.get(Recorder.SECONDS, TimeUnit.SECONDS)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "unix"})
  void aClientThatEndedItsOutputIsAnswered(String transport) throws Exception {
    try (Server server = listen(transport, Duration.ofDays(1));
        SocketChannel client = connect(server)) {
      send(client, request("job"));
      client.shutdownOutput();
      await(jobStarted);
      await(inputClosed);
      result.complete("done");
      assertThat(new String(Channels.newInputStream(client).readAllBytes(), UTF_8))
          .isEqualTo("""
              {"jsonrpc":"2.0","result":"done","id":1}
              """);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "unix"})
  void theCallsOfAClientThatEndedItsOutputAreCancelledInTime(String transport) throws Exception {
    try (Server server = listen(transport, SOON);
        SocketChannel client = connect(server)) {
      send(client, request("job"));
      client.shutdownOutput();
      await(inputClosed);
      while (jobCancelled.getCount() > 0) {
        clock.advance(SOON);
      }
      assertThat(Channels.newInputStream(client).readAllBytes()).isEmpty();
      servesTheNext(server);
    }
  }

  @Test
  void aHandlerThatDoesNotStopForADisconnectedClientKeepsNoConnection() throws Exception {
    try (Server server = listen("tcp", SOON)) {
      try (SocketChannel client = connect(server)) {
        send(client, notification("note"), notification("note"), request("job"));
      }
      await(noteStarted);
      while (!server.peers().isEmpty()) { // the server may detect the end later
        clock.advance(SOON);
      }
      servesTheNext(server);
      assertThat(jobStarted.getCount()).as("calls that waited and were run").isEqualTo(1);
    }
  }

  @Test
  void theCallsOfAClientThatClosedItsUnixSocketAreCancelledAtOnce() throws Exception {
    try (Server server = listen("unix", NEVER)) {
      try (SocketChannel client = connect(server)) {
        send(client, request("job"));
        await(jobStarted);
      }
      await(jobCancelled);
      servesTheNext(server);
    }
  }

  @Test
  void theCallsOfATcpClientThatIsResetAfterItEndedItsOutputAreCancelledAtOnce() throws Exception {
    try (Server server = listen("tcp", NEVER)) {
      try (SocketChannel client = connect(server)) {
        send(client, request("job"));
        client.shutdownOutput();
        await(inputClosed);
        client.setOption(StandardSocketOptions.SO_LINGER, 0);
      }
      await(jobCancelled);
      servesTheNext(server);
    }
  }

  @Test
  void theNotificationsOfADisconnectedClientStillRun() throws Exception {
    try (Server server = listen("unix", NEVER)) {
      try (SocketChannel client = connect(server)) {
        send(client, request("job"), notification("note"), notification("note"), request("job"));
        await(noteStarted);
      }
      await(jobCancelled);
      noteMayEnd.countDown();
      await(noteEnded);
      servesTheNext(server);
    }
  }

  @Test
  void theCallsOfADisconnectedClientAreCancelledThoughReadingIsPaused() throws Exception {
    Limits limits =
        Limits.builder().queuedMessages(1).closeTimeout(Duration.ZERO).build();
    String uri = "unix:" + directory.resolve("s");
    try (Server server =
        Repartee.listen(uri, service, Options.builder().limits(limits).build())) {
      try (SocketChannel client = connect(server)) {
        send(client, request("job"));
        send(client, Collections.nCopies(100, notification("note")).toArray(new String[0]));
        await(jobStarted);
        await(noteStarted);
      }
      await(jobCancelled);
    }
  }
}
