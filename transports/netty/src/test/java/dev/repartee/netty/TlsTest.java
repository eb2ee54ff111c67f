package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.netty.tls.HandshakeTasks;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.DisconnectedException;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";

  /** Pairs of keys by their kind. The tests share them, since those of RSA take seconds. */
  private static final Map<String, List<KeyPair>> KEYS = new HashMap<>();

  private final Methods methods = new Methods();
  private final Certificates ours;
  private final Certificates others;
  private @Nullable Server server;

  TlsTest(@TempDir Path folder) throws Exception {
    ours = new Certificates(folder.resolve("ours"));
    others = new Certificates(folder.resolve("others"));
  }

  private Server serve(String options, Limits limits) throws Exception {
    server = Repartee.listen(
        "https://localhost:0/#" + options,
        methods.service(),
        Options.builder().limits(limits).build());
    return server;
  }

  private Server serve(String options) throws Exception {
    return serve(options, Limits.DEFAULT);
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private static String uri(Server at, String scheme) {
    return at.endpoint().bare().toString().replace("https:", scheme + ":");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "wss"})
  void callsAreMadeUnderTls(String scheme) throws Exception {
    String uri = uri(serve(ours.named("localhost")), scheme) + "#ca=" + ours.ca();
    try (Peer peer = Repartee.connect(uri)) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      assertThat(peer.call("echo", String.class, "x".repeat(1 << 20))).hasSize(1 << 20);
      assertThat(peer.call("transport", String.class)).isEqualTo(scheme);
      assertThat(peer.channel().transport()).isEqualTo(scheme);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "wss"})
  void anAuthorityThatIsNotKnownIsNotTrusted(String scheme) throws Exception {
    String uri = uri(serve(ours.named("localhost")), scheme);
    for (String trusting : new String[] {uri, uri + "#ca=" + others.ca()}) {
      assertThatThrownBy(() -> Repartee.connect(trusting))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot connect to " + uri)
          .hasMessageContaining("#ca=FILE");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "wss"})
  void theCertificateHasToNameTheHost(String scheme) throws Exception {
    String uri = uri(serve(ours.named("rpc.example")), scheme) + "#ca=" + ours.ca();
    assertThatThrownBy(() -> Repartee.connect(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its certificate is not one for localhost");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "admin@localhost"})
  void theSubjectOfACertificateNamesNoHost(String mailbox) throws Exception {
    String[] mailboxes = mailbox.isEmpty() ? new String[0] : new String[] {mailbox};
    Server at = serve(ours.namedByItsSubject("localhost", mailboxes));
    for (String scheme : new String[] {"https", "wss"}) {
      assertThatThrownBy(() -> Repartee.connect(uri(at, scheme) + "#ca=" + ours.ca()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("its certificate is not one for localhost")
          .hasMessageContaining("subjectAltName");
    }
  }

  @Test
  void aCertificateThatIsTrustedItselfExpiresAllTheSame() throws Exception {
    String[] expired = ours.expiredAndTrustedItself("localhost");
    for (String scheme : new String[] {"https", "wss"}) {
      assertThatThrownBy(() -> Repartee.connect(uri(serve(expired[0]), scheme) + "#" + expired[1]))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("its certificate has expired");
      close();
    }
    Server at = serve(ours.named("localhost") + "&" + expired[1]);
    assertThatThrownBy(() -> callOnce(uri(at, "https") + "#ca=" + ours.ca() + "&" + expired[0]))
        .hasMessageContaining("it does not trust our certificate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "wss"})
  void anExpiredCertificateIsRefused(String scheme) throws Exception {
    String uri = uri(serve(ours.expired("localhost")), scheme) + "#ca=" + ours.ca();
    assertThatThrownBy(() -> Repartee.connect(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its certificate has expired");
  }

  @Test
  void aServerMayDemandCertificatesOfItsClients() throws Exception {
    Server at = serve(ours.named("localhost") + "&ca=" + ours.ca());
    for (String scheme : new String[] {"https", "wss"}) {
      String uri = uri(at, scheme) + "#ca=" + ours.ca();
      try (Peer peer = Repartee.connect(uri + "&" + ours.named("client"))) {
        assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      }
      assertThatThrownBy(() -> callOnce(uri)).hasMessageContaining("#cert=FILE&key=FILE");
      assertThatThrownBy(() -> callOnce(uri + "&" + others.named("client")))
          .hasMessageContaining("from an authority that it trusts");
    }
  }

  private static void callOnce(String uri) throws IOException {
    try (Peer peer = Repartee.connect(uri)) {
      peer.call("subtract", int.class, 42, 23);
    }
  }

  private static HttpRequest request(Server at, String call, String accepted) {
    String uri = uri(at, "https");
    return HttpRequest.newBuilder(URI.create(uri))
        .header("Content-Type", "application/json")
        .header("Accept", accepted)
        .header("Origin", uri.replaceAll("/$", ""))
        .timeout(Duration.ofSeconds(20))
        .POST(BodyPublishers.ofString(call))
        .build();
  }

  private String answer(Server at, Version version, String call, String accepted) throws Exception {
    HttpClient http =
        HttpClient.newBuilder().sslContext(trusting()).version(version).build();
    var answer = http.send(request(at, call, accepted), BodyHandlers.ofString());
    assertThat(answer.version()).isEqualTo(version);
    return answer.body();
  }

  @ParameterizedTest
  @EnumSource
  void aForeignClientIsServedInTheVersionOfHttpThatItPrefers(Version version) throws Exception {
    Server at = serve(ours.named("localhost"));
    assertThat(answer(at, version, CALL, "application/json")).isEqualTo(ANSWER);
    assertThat(
            answer(at, version, CALL.replace("subtract", "transport").replace("42,23", ""), "*/*"))
        .isEqualTo(ANSWER.replace("19", "\"https\""));
    assertThat(answer(
            at, version, CALL.replace("subtract", "header").replace("42,23", "\"origin\""), "*/*"))
        .isEqualTo(ANSWER.replace("19", "\"" + uri(at, "https").replaceAll("/$", "") + "\""));
  }

  @ParameterizedTest
  @EnumSource
  void eventsAreStreamedInEitherVersionOfHttp(Version version) throws Exception {
    Server at = serve(ours.named("localhost"));
    String countdown = CALL.replace("subtract", "countdown").replace("42,23", "2");
    String[] events = answer(at, version, countdown, "text/event-stream").split("\n\n");
    assertThat(events).hasSize(3).allMatch(event -> event.startsWith("data: {"));
    assertThat(events[2]).contains("liftoff");
  }

  @Test
  void aPortThatSpeaksHttp2OpensWebSocketsToo() throws Exception {
    Server at = serve(ours.named("localhost") + "&deflate=true");
    assertThat(answer(at, Version.HTTP_2, CALL, "application/json")).isEqualTo(ANSWER);
    try (Peer peer = Repartee.connect(uri(at, "wss") + "#deflate=true&ca=" + ours.ca())) {
      assertThat(peer.call("transport", String.class)).isEqualTo("wss");
      assertThat(peer.call("echo", String.class, "x".repeat(1 << 20))).hasSize(1 << 20);
    }
  }

  @Test
  void aConnectionEndsWithCloseNotify() throws Exception {
    Server at = serve(ours.named("localhost"));
    try (SSLSocket socket = socket(at)) {
      socket.getOutputStream().write("GET / HTTP/1.0\r\nContent-Length: 9\r\n\r\n".getBytes());
      byte[] all = socket.getInputStream().readAllBytes(); // throws without a close_notify
      assertThat(new String(all)).startsWith("HTTP/1.1 405 ");
    }
  }

  @Test
  void oldVersionsOfTlsAreNotSpoken() throws Exception {
    Server at = serve(ours.named("localhost"));
    try (SSLSocket socket = socket(at)) {
      assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
    }
    try (SSLSocket socket = socket(at)) {
      assertThat(Arrays.asList(socket.getSupportedProtocols())).contains("TLSv1.1");
      socket.setEnabledProtocols(new String[] {"TLSv1.1"});
      assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aClientMayNotNegotiateAgain() throws Exception {
    Server at = serve(ours.named("localhost"));
    try (SSLSocket socket = socket(at)) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.startHandshake();
      assertThatThrownBy(() -> {
            socket.startHandshake();
            socket.getInputStream().read();
          })
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("protocol_version");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp", "h3"})
  void aClientThatOffersOnlyOtherProtocolsGetsAnAlert(String protocol) throws Exception {
    Server at = serve(ours.named("localhost"));
    try (SSLSocket socket = socket(at)) {
      speak(socket, protocol);
      assertThatThrownBy(socket::startHandshake)
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("no_application_protocol");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http/1.0", "http/1.1", "h2"})
  void theProtocolThatAClientOffersIsAgreedOn(String protocol) throws Exception {
    Server at = serve(ours.named("localhost"));
    try (SSLSocket socket = socket(at)) {
      speak(socket, "ftp", protocol);
      socket.startHandshake();
      assertThat(socket.getApplicationProtocol()).isEqualTo(protocol);
    }
  }

  private static void speak(SSLSocket socket, String... protocols) {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
  }

  @Test
  void aHandshakeThatIsUnderWayEndsWithTheServer() throws Exception {
    Server at = serve(ours.named("localhost"));
    try (RawConnection silent = new RawConnection(at)) {
      callOnce(uri(at, "https") + "#ca=" + ours.ca()); // this shows that the other was accepted
      at.close();
      assertThat(silent.rest()).doesNotEndWith(RawConnection.RESET);
    }
  }

  /** Occupies all threads of the handshakes until the latch is released. */
  private static CountDownLatch occupyThreads() throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    CountDownLatch begun = new CountDownLatch(threads);
    CountDownLatch released = new CountDownLatch(1);
    HandshakeTasks tasks = new HandshakeTasks(new EmbeddedChannel(), () -> {});
    for (int i = 0; i < threads; i++) {
      tasks.execute(() -> {
        begun.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      });
    }
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    return released;
  }

  @Test
  void callsAreAnsweredWhileHandshakesWait() throws Exception {
    Server at = serve(ours.named("localhost"));
    String uri = uri(at, "wss") + "#ca=" + ours.ca();
    try (Peer connected = Repartee.connect(uri)) {
      CountDownLatch released = occupyThreads();
      CompletableFuture<?> other;
      try {
        other = CompletableFuture.runAsync(
            () -> callOnceUnchecked(uri), work -> new Thread(work).start());
        assertThat(connected.call("subtract", int.class, 42, 23)).isEqualTo(19);
        assertThatThrownBy(() -> other.get(300, TimeUnit.MILLISECONDS))
            .isInstanceOf(TimeoutException.class);
      } finally {
        released.countDown();
      }
      other.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientThatLeavesAmidItsHandshakeKeepsItsPlaceUntilItsTaskIsDone() throws Exception {
    Server at = serve(ours.named("localhost"), Limits.builder().connections(1).build());
    String uri = uri(at, "https") + "#ca=" + ours.ca();
    CountDownLatch released = occupyThreads();
    try {
      // The server accepts them on two threads: either of them has the place, the other is refused.
      try (RawConnection one = new RawConnection(at).send(clientHello());
          RawConnection other = new RawConnection(at).send(clientHello())) {
        CompletableFuture.anyOf(end(one), end(other)).get(60, TimeUnit.SECONDS);
      }
      for (int i = 0; i < 20; i++) {
        try (RawConnection next = new RawConnection(at)) {
          assertThat(next.isOver()).as("refused").isTrue();
        }
      }
    } finally {
      released.countDown();
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        callOnce(uri);
        return;
      } catch (IOException | DisconnectedException e) {
        assertThat(System.nanoTime()).as("%s", e).isLessThan(end);
      }
    }
  }

  private static CompletableFuture<String> end(RawConnection connection) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return connection.rest();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        work -> new Thread(work).start());
  }

  /** Returns the first message of a handshake. */
  private byte[] clientHello() throws Exception {
    SSLEngine engine = trusting().createSSLEngine("localhost", 443);
    engine.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), hello);
    return Arrays.copyOf(hello.array(), hello.position());
  }

  private static void callOnceUnchecked(String uri) {
    try {
      callOnce(uri);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SSLSocket socket(Server at) throws Exception {
    URI uri = URI.create(at.endpoint().bare().toString());
    SSLSocket socket =
        (SSLSocket) trusting().getSocketFactory().createSocket(uri.getHost(), uri.getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private SSLContext trusting() throws Exception {
    TrustManagerFactory trust = ours.trust();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  @Test
  void plainHttpAtATlsPortIsAnsweredWithARemedy() throws Exception {
    Server at = serve(ours.named("localhost"));
    try (RawConnection raw = new RawConnection(at)) {
      raw.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
    }
    assertThatThrownBy(() -> callOnce(uri(at, "http"))).hasMessageContaining("https:");
  }

  @Test
  void aServerThatSpeaksNoTlsIsFoundOut() throws Exception {
    try (Server plain = Repartee.listen("http://localhost:0/", methods.service())) {
      String authority = plain.endpoint().address();
      for (String scheme : new String[] {"https:", "wss:"}) {
        assertThatThrownBy(() -> Repartee.connect(scheme + authority))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("does not speak TLS");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "wss"})
  void aHandshakeThatIsNotAnsweredEndsWithTheTimeToConnect(String scheme) throws Exception {
    Options options = Options.builder()
        .limits(limits -> limits.connectTimeout(Duration.ofMillis(300)))
        .build();
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      String uri = scheme + "://127.0.0.1:" + mute.getLocalPort() + "/";
      assertThatThrownBy(() -> Repartee.connect(uri, options))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot connect to " + uri + ": ");
    }
  }

  @Test
  void aClientThatDoesNotStartTheHandshakeIsDisconnected() throws Exception {
    Server at = serve(
        ours.named("localhost"),
        Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build());
    try (RawConnection raw = new RawConnection(at)) {
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aServerNeedsACertificateAndAKey() throws Exception {
    String cert = ours.named("localhost").replaceAll("&key=.*", "");
    for (String uri : new String[] {"https://localhost:0/", "wss://localhost:0/#" + cert}) {
      assertThatThrownBy(() -> Repartee.listen(uri, Service.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("#cert=FILE&key=FILE");
    }
  }

  @Test
  void aFileThatCannotBeUsedIsNamed() throws Exception {
    Path empty = ours.write("empty.pem", "");
    Path old = ours.write(
        "old.key", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n");
    String good = ours.named("localhost");
    String cert = good.replaceAll("&key=.*", "");
    assertThatThrownBy(() -> serve("cert=none.pem&key=none.pem"))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("'none.pem'", "option cert", "there is no file");
    assertThatThrownBy(() -> serve("cert=" + empty + "&key=" + empty))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("empty.pem'", "option cert", "BEGIN CERTIFICATE");
    assertThatThrownBy(() -> serve(cert + "&key=" + old))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("old.key'", "option key", "openssl pkcs8");
    assertThatThrownBy(() -> serve(good + "&ca=" + empty))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("empty.pem'", "option ca");
    assertThatThrownBy(() -> serve(cert + "&key=" + ours.strayKey()))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("stray.key'", "is not the key of the certificate");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RSA 2048",
        "RSASSA-PSS 2048",
        "EC secp256r1",
        "EC secp384r1",
        "EC secp521r1",
        "Ed25519",
        "Ed448"
      })
  void keysOfEveryKindThatTlsKnowsServeAndAreShownByClients(String kind) throws Exception {
    List<KeyPair> keys = keys(kind);
    Server at = serve(ours.named("localhost", keys.get(0)) + "&ca=" + ours.ca());
    String client = ours.named("client", keys.get(1));
    for (String scheme : new String[] {"https", "wss"}) {
      callOnce(uri(at, scheme) + "#ca=" + ours.ca() + "&" + client);
    }
  }

  private static List<KeyPair> keys(String kind) throws Exception {
    List<KeyPair> keys = KEYS.get(kind);
    if (keys == null) {
      keys = kind.equals("RSASSA-PSS 2048")
          ? List.of(ofPss(keys("RSA 2048").get(0)), ofPss(keys("RSA 2048").get(1)))
          : List.of(newKey(kind), newKey(kind));
      KEYS.put(kind, keys);
    }
    return keys;
  }

  /** Returns an RSA key as one of RSASSA-PSS. To generate one needs seconds of CPU time. */
  private static KeyPair ofPss(KeyPair key) throws Exception {
    RSAPrivateCrtKey numbers = (RSAPrivateCrtKey) key.getPrivate();
    KeyFactory factory = KeyFactory.getInstance("RSASSA-PSS");
    return new KeyPair(
        factory.generatePublic(
            new RSAPublicKeySpec(numbers.getModulus(), numbers.getPublicExponent())),
        factory.generatePrivate(new RSAPrivateCrtKeySpec(
            numbers.getModulus(),
            numbers.getPublicExponent(),
            numbers.getPrivateExponent(),
            numbers.getPrimeP(),
            numbers.getPrimeQ(),
            numbers.getPrimeExponentP(),
            numbers.getPrimeExponentQ(),
            numbers.getCrtCoefficient())));
  }

  private static KeyPair newKey(String kind) throws Exception {
    String[] words = kind.split(" ");
    KeyPairGenerator generator = KeyPairGenerator.getInstance(words[0]);
    if (words[0].equals("EC")) {
      generator.initialize(new ECGenParameterSpec(words[1]));
    } else if (words.length > 1) {
      generator.initialize(Integer.parseInt(words[1]));
    }
    return generator.generateKeyPair();
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA 2048", "RSASSA-PSS 2048", "EC secp384r1", "Ed25519", "Ed448"})
  void aKeyOfTheSameKindThatIsNotTheCertificatesIsRefused(String kind) throws Exception {
    String right = ours.named("localhost", keys(kind).get(0));
    String wrong = ours.named("other", keys(kind).get(1));
    String cert = right.replaceAll("&key=.*", "");
    String key = wrong.replaceAll(".*&key=", "");
    assertThatThrownBy(() -> serve(cert + "&key=" + key))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(key, "is not the key of the certificate");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"%1$s%2$s", "%2$s%1$s", "\u00ef\u00bb\u00bf%1$s%2$s", "a comment\r\n%1$s%2$s"})
  void oneFileMayHoldTheCertificateAndItsKey(String form) throws Exception {
    String named = ours.named("localhost");
    String cert = Files.readString(Path.of(named.replaceAll("cert=|&key=.*", "")));
    String key = Files.readString(Path.of(named.replaceAll(".*&key=", "")));
    Path both = ours.write("both.pem", "");
    Files.write(both, String.format(form, cert, key).getBytes(ISO_8859_1));
    callOnce(uri(serve("cert=" + both + "&key=" + both), "https") + "#ca=" + ours.ca());
  }

  @Test
  void theBlockThatIsBrokenIsNamed() throws Exception {
    String named = ours.named("localhost");
    String key = named.replaceAll(".*&key=", "key=");
    String cert =
        Files.readString(Path.of(named.replaceAll("cert=|&key=.*", ""))).strip() + "\n";
    long second = cert.lines().count() + 1;
    String end = "-----END CERTIFICATE-----\n";
    for (String broken : new String[] {
      cert.replace("MII", "MIX"),
      cert.replace("MII", "M?I"),
      cert.replace(end, ""),
      cert.replace("-----END", "-----")
    }) {
      Path chain = ours.write("chain.pem", cert + broken + cert);
      assertThatThrownBy(() -> serve("cert=" + chain + "&" + key))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("chain.pem'", "option cert", "block 2 of 3, in line " + second);
    }
    Path half = ours.write("half.key", "-----BEGIN PRIVATE KEY-----\nMHcCAQEE\n");
    assertThatThrownBy(() -> serve(named.replaceAll("&key=.*", "&key=" + half)))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("half.key'", "option key", "in line 1");
  }

  @Test
  void aFileMayHaveBlanksInItsName() throws Exception {
    Path ca = ours.write("the ca.pem", Files.readString(ours.ca()));
    String uri =
        uri(serve(ours.named("localhost")), "https") + "#ca=" + ca.toString().replace(" ", "%20");
    callOnce(uri);
  }

  @Test
  void withoutTlsItsOptionsAreRefused() {
    for (String uri : new String[] {"http://localhost:0/#cert=a", "ws://localhost:0/#ca=a"}) {
      assertThatThrownBy(() -> Repartee.connect(uri))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not encrypted");
      assertThatThrownBy(() -> Repartee.listen(uri, Service.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not encrypted");
    }
  }
}
