package dev.repartee.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.broker.contract.Certificates;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers with TLS; one of them requires client certificates. */
@Tag("ci")
class NatsTlsTest extends Fixture {
  @TempDir
  private static Path folder;

  private static Certificates certificates;
  private static Certificates.Identity own;
  private static NatsServer nats;

  /** Accepts only clients with a certificate of the authority. */
  private static NatsServer strict;

  @BeforeAll
  static void start() throws Exception {
    certificates = new Certificates(folder);
    own = certificates.valid("server");
    nats = Fixture.server("""
        authorization: { token: "a-token", timeout: 60 }
        tls: { cert_file: "%s", key_file: "%s", timeout: 60 }
        """.formatted(own.cert(), own.key()));
    strict = strict(own);
  }

  private static NatsServer strict(Certificates.Identity server) throws Exception {
    return Fixture.server("""
        tls: { cert_file: "%s", key_file: "%s", ca_file: "%s", verify: true, timeout: 60 }
        """.formatted(server.cert(), server.key(), certificates.ca()));
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
    if (strict != null) {
      strict.close();
    }
  }

  /** Returns the URI of a server that requires a client certificate. */
  private static String strict(NatsServer server, String options) {
    return "nats+tls://localhost:" + server.port() + "/math#ca=" + certificates.ca() + options;
  }

  private static String uri(String scheme, String host) {
    return scheme + "://a-token@" + host + ":" + nats.port() + "/math";
  }

  @Test
  void aServerWithACertificateForItsNameIsTrusted() throws Exception {
    String uri = uri("nats+tls", "localhost") + "#ca=" + certificates.ca();
    serve(uri, methods);
    assertThat(client(uri).call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void aServerWithACertificateForAnotherNameIsRefused() {
    assertThatThrownBy(() -> client(uri("nats+tls", "127.0.0.1") + "#ca=" + certificates.ca()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1")
        .hasMessageContaining("the host as its certificate does");
  }

  @Test
  void aServerOfAnUnknownAuthorityIsRefused() {
    assertThatThrownBy(() -> client(uri("nats+tls", "localhost")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("option ca");
  }

  /** Returns the reason why a client is not connected. */
  private String refusal(String options) {
    // If the server ends the connection after the library has sent its first message, the library
    // waits for this time. A busy machine may delay the handshakes by some seconds.
    Options patient =
        options(Limits.builder().connectTimeout(Duration.ofSeconds(12)).build());
    IOException refusal = catchThrowableOfType(
        IOException.class, () -> closing(Repartee.connect(strict(strict, options), patient)));
    return String.valueOf(refusal.getMessage());
  }

  @Test
  void aClientWithACertificateOfTheAuthorityIsTrusted() throws Exception {
    String uri = strict(strict, certificates.valid("client").options());
    serve(uri, methods);
    assertThat(client(uri).call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void aClientWithoutACertificateLearnsThatOneIsDemanded() {
    assertThat(refusal("")).contains("demands a certificate of the client", "options cert and key");
  }

  @Test
  void aClientWithTheCertificateOfAnotherAuthorityIsRefused() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    String stranger = new Certificates(other).valid("client").options();
    assertThat(refusal(stranger)).contains("refuses the certificate of the option cert");
  }

  @Test
  void aClientWithAnExpiredCertificateIsRefused() throws Exception {
    String expired = certificates.expired("expired-client").options();
    assertThat(refusal(expired)).contains("refuses the certificate of the option cert", "expired");
  }

  @Test
  void aServerWithAnExpiredCertificateIsRefused() throws Exception {
    NatsServer expired = closing(strict(certificates.expired("expired-server")));
    assertThatThrownBy(
            () -> client(strict(expired, certificates.valid("other-client").options())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the certificate of the server has expired");
  }

  @Test
  void aCertificateNeedsItsKey() throws Exception {
    Path cert = certificates.valid("no-key").cert();
    assertThatThrownBy(() -> client(strict(strict, "&cert=" + cert)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a certificate needs its private key");
  }

  @Test
  void theConnectionThatAsksForTheReasonOfAFailureIsClosed() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Integer> end = new CompletableFuture<>();
      Thread script = new Thread(() -> {
        try {
          silent.accept().close();
          try (Socket asking = silent.accept()) {
            end.complete(asking.getInputStream().read());
          }
        } catch (IOException e) {
          end.completeExceptionally(e);
        }
      });
      script.start();
      Options quick =
          options(Limits.builder().connectTimeout(Duration.ofMillis(500)).build());
      String uri = "nats+tls://127.0.0.1:" + silent.getLocalPort() + "/math";
      assertThatThrownBy(() -> Repartee.connect(uri, quick)).isInstanceOf(IOException.class);
      assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo(-1);
    }
  }

  @Test
  void aServerThatDemandsTlsNamesTheScheme() {
    assertThatThrownBy(() -> client(uri("nats", "localhost")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("use the scheme nats+tls");
  }
}
