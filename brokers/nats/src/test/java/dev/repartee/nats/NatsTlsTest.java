package dev.repartee.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS and a token. */
class NatsTlsTest extends Fixture {
  @TempDir
  private static Path folder;

  private static Certificates certificates;
  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    certificates = Certificates.in(folder);
    nats = NatsServer.start("""
        authorization: { token: "a-token" }
        tls: { cert_file: "%s", key_file: "%s" }
        """.formatted(certificates.cert(), certificates.key()));
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
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

  @Test
  void aServerThatDemandsTlsNamesTheScheme() {
    assertThatThrownBy(() -> client(uri("nats", "localhost")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("use the scheme nats+tls");
  }
}
