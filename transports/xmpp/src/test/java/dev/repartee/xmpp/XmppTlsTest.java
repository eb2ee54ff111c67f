package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.broker.contract.Certificates;
import dev.repartee.broker.server.ProsodyServer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that requires TLS. */
@Tag("ci")
class XmppTlsTest extends Fixture {
  @TempDir
  private static Path folder;

  private static Certificates certificates;
  private static ProsodyServer prosody;

  @BeforeAll
  static void start() throws Exception {
    certificates = new Certificates(folder);
    prosody = server(tls(certificates.valid("server")) + "\nVirtualHost '127.0.0.1'");
  }

  @AfterAll
  static void stop() throws Exception {
    if (prosody != null) {
      prosody.close();
    }
  }

  @Test
  void aServerWithACertificateForItsDomainIsTrusted() throws Exception {
    serve(secure(prosody.uri("math"), certificates), methods);
    assertThat(client(secure(prosody.client("ann", "math"), certificates))
            .call("add", int.class, 1, 2))
        .isEqualTo(3);
  }

  @Test
  void aServerWithACertificateForAnotherDomainIsRefused() {
    String uri = secure(prosody.client("ann", "math"), certificates)
        .replace("ann@localhost", "ann@127.0.0.1");
    assertThatThrownBy(() -> client(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the certificate has to name 127.0.0.1");
  }

  @Test
  void aServerOfAnUnknownAuthorityIsRefused() {
    String uri = prosody.client("ann", "math").replace("tls=off&", "");
    assertThatThrownBy(() -> client(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the option ca names its authority");
  }

  @Test
  void aServerThatDemandsACertificateGetsTheOneOfTheOptions() throws Exception {
    String config = tls(certificates.valid("strict"))
        .replace(
            "ssl = {",
            "ssl = { verify = { 'peer', 'fail_if_no_peer_cert' };" + " cafile = '"
                + certificates.ca() + "';");
    try (ProsodyServer strict = server(config)) {
      String uri = secure(strict.client("ann", "math"), certificates);
      client(uri + certificates.valid("client").options());
      assertThatThrownBy(() -> client(uri))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("with the options cert and key");
    }
  }

  @Test
  void aServerThatDemandsTlsIsNotUsedWithoutIt() {
    assertThatThrownBy(() -> client(prosody.client("ann", "math")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the server demands TLS; leave tls=off out");
  }

  @Test
  void aServerWithoutTlsIsRefusedUnlessThatIsAllowed() throws Exception {
    try (ProsodyServer plain = server("modules_disabled = { 's2s'; 'tls' }")) {
      String uri = plain.client("ann", "math").replace("tls=off&", "");
      assertThatThrownBy(() -> client(uri))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the server offers no TLS");
    }
  }
}
