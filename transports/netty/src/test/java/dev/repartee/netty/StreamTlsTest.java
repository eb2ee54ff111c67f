package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON-RPC on a byte stream under TLS; {@link TlsTest} has the tests of certificates. */
class StreamTlsTest {
  private static final int SECONDS = 60;
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"echo","params":[1],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":[1],"id":1}""";

  private final Certificates ours;
  private final CountDownLatch waiting = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  private final BlockingQueue<Optional<Throwable>> ends = new LinkedBlockingQueue<>();
  private final Service service = Service.builder()
      .method("echo", call -> call.params())
      .method("user", StreamTlsTest::user)
      .method("wait", call -> {
        waiting.countDown();
        released.await(SECONDS, TimeUnit.SECONDS);
        return 1;
      })
      .build();

  private final Listener listener = new Listener() {
    @Override
    public void disconnected(Peer peer, @Nullable Throwable cause) {
      ends.add(Optional.ofNullable(cause));
    }

    @Override
    public void violation(ChannelInfo channel, String violation) {
      violations.add(violation);
    }
  };

  private @Nullable Server server;

  StreamTlsTest(@TempDir Path folder) throws Exception {
    ours = new Certificates(folder);
  }

  private static Object user(Call call) {
    List<X509Certificate> shown = call.attributes().get(Channel.PEER_CERTIFICATES);
    return shown == null ? "nobody" : shown.get(0).getSubjectX500Principal().getName();
  }

  private Server serve(String uri, Limits limits) throws IOException {
    Options options = Options.builder().limits(limits).listener(listener).build();
    server = Repartee.listen(uri, service, options);
    return server;
  }

  private Server serve(String options) throws Exception {
    return serve("tls://localhost:0#" + ours.named("localhost") + options, Limits.DEFAULT);
  }

  private String uri(Server at) throws IOException {
    return at.endpoint().bare() + "#ca=" + ours.ca();
  }

  @AfterEach
  void close() {
    released.countDown();
    if (server != null) {
      server.close();
    }
  }

  private SSLSocket socket(Server at, String version) throws Exception {
    return over(plain(at), version);
  }

  private SSLSocket over(Socket plain, String version) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, ours.trust().getTrustManagers(), null);
    SSLSocket socket = (SSLSocket)
        context.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
    socket.setEnabledProtocols(new String[] {version});
    return socket;
  }

  private static Socket plain(Server at) throws IOException {
    Socket socket = new Socket("localhost", at.port());
    socket.setSoTimeout(1_000 * SECONDS);
    return socket;
  }

  private static void send(Socket socket, String... lines) throws IOException {
    for (String line : lines) {
      socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
    }
  }

  private static BufferedReader lines(Socket socket) throws IOException {
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  private @Nullable Throwable end() throws InterruptedException {
    Optional<Throwable> end = ends.poll(SECONDS, TimeUnit.SECONDS);
    assertThat(end).as("the end of the connection").isNotNull();
    return end.orElse(null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lines", "content-length", "length-prefix", "json-seq"})
  void callsOfEachSizeAreMadeUnderEachFraming(String framing) throws Exception {
    Server at = serve("");
    try (Peer peer = Repartee.connect(uri(at) + "&framing=" + framing)) {
      for (int size : new int[] {0, 16_000, 17_000, 70_000, 3_000_000}) {
        String sent = "x".repeat(size);
        assertThat(peer.call("echo", String[].class, sent)).containsExactly(sent);
      }
      assertThat(peer.channel().transport()).isEqualTo("tls");
      assertThat(peer.channel().framing()).isEqualTo(framing);
    }
    assertThat(end()).isNull();
  }

  @Test
  void aClientShowsItsCertificate() throws Exception {
    Server at = serve("&ca=" + ours.ca());
    try (Peer peer = Repartee.connect(uri(at) + "&" + ours.named("client"))) {
      assertThat(peer.call("user", String.class)).isEqualTo("CN=client");
    }
    assertThatThrownBy(() -> {
          try (Peer peer = Repartee.connect(uri(at))) {
            peer.call("user", String.class); // under TLS 1.3 the refusal comes after the handshake
          }
        })
        .hasStackTraceContaining("#cert=FILE&key=FILE names one, in PEM");
    assertThat(violations.poll(SECONDS, TimeUnit.SECONDS)).contains("the TLS handshake failed");
  }

  @Test
  void theCertificateHasToNameTheHost() throws Exception {
    Server at = serve("tls://localhost:0#" + ours.named("rpc.example"), Limits.DEFAULT);
    assertThatThrownBy(() -> Repartee.connect(uri(at)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot connect to tls://localhost:")
        .hasMessageContaining("its certificate is not one for localhost");
    assertThatThrownBy(() -> Repartee.connect(at.endpoint().bare().toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("#ca=FILE names one to trust");
  }

  @Test
  void optionsThatAreMissingOrUnknownAreNamed() {
    assertThatThrownBy(() -> Repartee.listen("tls://localhost:0", service))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("#cert=FILE&key=FILE");
    assertThatThrownBy(() -> Repartee.connect("tls://localhost"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write it as tls://HOST:PORT");
    assertThatThrownBy(() -> Repartee.connect("tls://localhost:1#hosts=a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "known for tls are ca, cert, envelope, framing, key, latency, lenient, password");
  }

  // ---------------------------------------------------------------- plain text

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}|{\"jsonrpc\"",
        "Content-Length: 2|Content-Length: ",
      })
  void aClientWithoutTlsIsToldSoInItsFraming(String sent, String answer) throws Exception {
    try (Socket socket = plain(serve(""))) {
      send(socket, sent);
      String all = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(all)
          .startsWith(answer)
          .contains("This port speaks TLS: connect with tls: instead of tcp:");
    }
    assertThat(violations.poll(SECONDS, TimeUnit.SECONDS))
        .isEqualTo("a client without TLS was refused; it has to connect with tls:");
  }

  @Test
  void aClientOfTcpReportsTheRemedy() throws Exception {
    String uri = serve("").endpoint().bare().toString().replace("tls:", "tcp:");
    Options options = Options.builder().listener(listener).build();
    try (Peer peer = Repartee.connect(uri, Service.NONE, options)) {
      assertThatThrownBy(() -> peer.call("echo", int[].class))
          .isInstanceOf(DisconnectedException.class);
    }
    assertThat(List.of(
            violations.poll(SECONDS, TimeUnit.SECONDS), violations.poll(SECONDS, TimeUnit.SECONDS)))
        .anySatisfy(each -> assertThat(each).contains("connect with tls: instead of tcp:"));
  }

  @Test
  void aWebPageGetsNoAnswer() throws Exception {
    try (Socket socket = plain(serve(""))) {
      send(socket, "POST / HTTP/1.1\r");
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "lines", "content-length", "length-prefix", "json-seq"})
  void aClientOfTlsFindsOutThatTheServerHasNone(String framing) throws Exception {
    Server at = serve("tcp://localhost:0#framing=" + framing, Limits.DEFAULT);
    assertThatThrownBy(() -> Repartee.connect(uri(at).replace("tcp:", "tls:")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the server does not speak TLS; is it tcp:?");
    assertThat(violations.poll(SECONDS, TimeUnit.SECONDS))
        .contains("a TLS handshake, but this endpoint has no TLS; connect with tcp:, or listen at");
  }

  // ---------------------------------------------------------------- the end

  @Test
  void aClientThatHasEndedItsOutputStillGetsItsAnswers() throws Exception {
    Server at = serve("");
    try (SSLSocket socket = socket(at, "TLSv1.3")) {
      send(socket, "{\"jsonrpc\":\"2.0\",\"method\":\"wait\",\"id\":1}");
      assertThat(waiting.await(SECONDS, TimeUnit.SECONDS)).isTrue();
      socket.shutdownOutput();
      released.countDown();
      BufferedReader lines = lines(socket);
      assertThat(lines.readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}");
      assertThat(lines.readLine()).as("ended by close_notify").isNull();
    }
    assertThat(end()).isNull();
  }

  @Test
  void theEndThatArrivesWithTheLastMessageIsNoticed() throws Exception {
    Server at = serve("");
    ByteArrayOutputStream held = new ByteArrayOutputStream();
    AtomicBoolean holding = new AtomicBoolean();
    Socket below = new Socket("localhost", at.port()) {
      @Override
      public OutputStream getOutputStream() throws IOException {
        OutputStream out = super.getOutputStream();
        return new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            (holding.get() ? held : out).write(bytes, from, length);
          }
        };
      }

      @Override
      public void shutdownOutput() {} // close_notify only
    };
    try (SSLSocket socket = over(below, "TLSv1.3")) {
      socket.startHandshake();
      holding.set(true);
      send(socket, CALL);
      socket.shutdownOutput();
      holding.set(false);
      below.getOutputStream().write(held.toByteArray());
      BufferedReader lines = lines(socket);
      assertThat(lines.readLine()).isEqualTo(ANSWER);
      assertThat(lines.readLine()).isNull();
    }
    assertThat(end()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void anIdleConnectionEndsInOrder(String version) throws Exception {
    Server at = serve("");
    try (SSLSocket socket = socket(at, version)) {
      send(socket, CALL);
      BufferedReader lines = lines(socket);
      assertThat(lines.readLine()).isEqualTo(ANSWER);
      at.close();
      assertThat(lines.readLine()).as("ended by close_notify").isNull();
    }
    try (SSLSocket socket = socket(serve(""), version)) {
      send(socket, CALL);
      assertThat(lines(socket).readLine()).isEqualTo(ANSWER);
    }
    assertThat(end()).isNull();
    assertThat(end()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aTruncatedConnectionIsNotOneThatHasEnded(String version) throws Exception {
    Server at = serve("");
    Socket below = plain(at);
    SSLSocket socket = over(below, version);
    send(socket, CALL);
    assertThat(lines(socket).readLine()).isEqualTo(ANSWER);
    below.shutdownOutput();
    assertThat(end()).hasMessageContaining("it ended without the close_notify of TLS");
    below.close();
  }

  @Test
  void aRecordThatIsTooLargeEndsTheConnectionWithAnAlert() throws Exception {
    Server at = serve("");
    try (Socket below = plain(at)) {
      SSLSocket socket = over(below, "TLSv1.3");
      send(socket, CALL);
      assertThat(lines(socket).readLine()).isEqualTo(ANSWER);
      below.getOutputStream().write(new byte[] {23, 3, 3, -1, -1, 0});
      assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(IOException.class);
      assertThat(end()).hasMessageContaining("TLS failed: ");
    }
  }

  @Test
  void aClientMayNotNegotiateAgain() throws Exception {
    try (SSLSocket socket = socket(serve(""), "TLSv1.2")) {
      socket.startHandshake();
      assertThatThrownBy(() -> {
            socket.startHandshake();
            socket.getInputStream().read();
          })
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("protocol_version");
    }
  }

  @Test
  void oldVersionsOfTlsAreNotSpoken() throws Exception {
    try (SSLSocket socket = socket(serve(""), "TLSv1.1")) {
      assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
    }
  }

  // ---------------------------------------------------------------- slow peers

  @Test
  void aSlowReaderGetsAllAnswers() throws Exception {
    int count = 5_000;
    Limits small = Limits.builder().outboundBytes(100_000).runningCalls(count).build();
    Server at = serve("tls://localhost:0#" + ours.named("localhost"), small);
    String params = "[\"" + "x".repeat(1_000) + "\"]";
    String call = CALL.replace("[1]", params);
    try (SSLSocket socket = socket(at, "TLSv1.3")) {
      socket.startHandshake();
      CompletableFuture<?> sender = CompletableFuture.runAsync(
          () -> {
            try {
              for (int i = 0; i < count; i++) {
                send(socket, call);
              }
              socket.shutdownOutput();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          },
          work -> new Thread(work).start());
      assertThat(lines(socket).lines().mapToInt(String::length).sum())
          .isEqualTo(count * ANSWER.replace("[1]", params).length());
      sender.get(SECONDS, TimeUnit.SECONDS);
    }
    assertThat(end()).isNull();
  }

  @Test
  void aClientThatReadsNothingIsCutOff() throws Exception {
    Limits limits = Limits.builder()
        .outboundBytes(100_000)
        .drainTimeout(Duration.ofMillis(300))
        .build();
    Server at = serve("tls://localhost:0#" + ours.named("localhost"), limits);
    String large = CALL.replace("[1]", "[\"" + "x".repeat(1_000_000) + "\"]");
    try (SSLSocket socket = socket(at, "TLSv1.3")) {
      assertThatThrownBy(() -> {
            while (true) {
              send(socket, large);
            }
          })
          .isInstanceOf(IOException.class);
      assertThat(end()).hasMessageContaining("drainTimeout");
    }
  }

  // ---------------------------------------------------------------- handshakes

  @Test
  void aStalledHandshakeEndsWithTheTimeForTheFirstByte() throws Exception {
    Limits limits = Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build();
    Server at = serve("tls://localhost:0#" + ours.named("localhost"), limits);
    byte[] hello = clientHello();
    for (int size : new int[] {0, 1, 5, 100, hello.length}) {
      try (Socket socket = plain(at)) {
        socket.getOutputStream().write(hello, 0, size);
        socket.getInputStream().readAllBytes(); // ends
      }
    }
  }

  @Test
  void handshakesThatLeaveFreeTheirPlaces() throws Exception {
    Server at = serve(
        "tls://localhost:0#" + ours.named("localhost"),
        Limits.builder().connections(3).build());
    byte[] hello = clientHello();
    for (int i = 0; i < 100; i++) {
      try (RawConnection leaving = new RawConnection(at)) {
        leaving.send(Arrays.copyOf(hello, i % 2 == 0 ? hello.length : 50));
      } catch (IOException e) {
        // refused: the places are occupied for a moment
      }
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (true) {
      try (Peer peer = Repartee.connect(uri(at))) {
        assertThat(peer.call("echo", int[].class, 1)).containsExactly(1);
        return;
      } catch (IOException | DisconnectedException e) {
        assertThat(System.nanoTime()).as("%s", e).isLessThan(end);
      }
    }
  }

  /** Returns the first message of a handshake. */
  private static byte[] clientHello() throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine("localhost", 443);
    engine.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), hello);
    return Arrays.copyOf(hello.array(), hello.position());
  }

  @Test
  void theFirstBytesOfAnotherProtocolAreNoHandshake() throws Exception {
    Server at = serve("");
    for (String text : List.of("SSH-2.0-x\r\n", "\u0080.\u0001\u0003\u0001", "\u0016\u0003")) {
      try (Socket socket = plain(at)) {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes(); // ends
      }
    }
    try (Peer peer = Repartee.connect(uri(at))) {
      assertThat(peer.call("echo", int[].class, 1)).containsExactly(1);
    }
  }
}
