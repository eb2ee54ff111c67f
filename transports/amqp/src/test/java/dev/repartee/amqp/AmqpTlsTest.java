package dev.repartee.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.broker.contract.Certificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker with TLS that requires client certificates. */
@Tag("ci")
class AmqpTlsTest {
  private final Rabbit rabbit = Rabbit.shared();
  private final Certificates certificates = rabbit.certificates();
  private final String queue = "test-" + UUID.randomUUID();

  @TempDir
  private Path folder;

  private String uri(String host, String options) {
    return "amqps://guest@" + host + ":" + rabbit.tlsPort() + "/" + queue + "#ca="
        + certificates.ca() + options;
  }

  @Test
  void aClientWithACertificateOfTheAuthorityIsTrusted() throws Exception {
    String uri = uri("localhost", certificates.valid("client").options());
    try (Server worker = Repartee.listen(uri, Service.of(new Methods("a")));
        Peer client = Repartee.connect(uri)) {
      assertThat(worker.endpoint().options()).containsOnlyKeys("ca"); // those for clients
      assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
    }
  }

  @Test
  void aClientWithoutACertificateLearnsThatOneIsDemanded() {
    assertThatThrownBy(() -> Repartee.connect(uri("localhost", "")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("demands a certificate of the client")
        .hasMessageContaining("options cert and key");
  }

  @Test
  void aClientWithTheCertificateOfAnotherAuthorityIsRefused() throws Exception {
    String stranger = new Certificates(folder).valid("client").options();
    assertThatThrownBy(() -> Repartee.connect(uri("localhost", stranger)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refuses the certificate of the option cert");
  }

  @Test
  void aClientWithAnExpiredCertificateIsRefused() throws Exception {
    String expired = certificates.expired("expired-client").options();
    assertThatThrownBy(() -> Repartee.connect(uri("localhost", expired)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refuses the certificate of the option cert")
        .hasMessageContaining("expired");
  }

  @Test
  void aBrokerOfAnUnknownAuthorityOrWithAnotherNameIsRefused() throws Exception {
    String own = certificates.valid("other-client").options();
    String plain = "amqps://guest@localhost:" + rabbit.tlsPort() + "/" + queue;
    assertThatThrownBy(() -> Repartee.connect(plain + own.replaceFirst("&", "#")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("option ca");
    assertThatThrownBy(() -> Repartee.connect(uri("127.0.0.1", own)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1")
        .hasMessageContaining("the host as its certificate does");
  }

  @Test
  void aServerWithAnExpiredCertificateIsRefused() throws Exception {
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(
        certificates.expired("expired-server").bundle().toKeyManagerFactory().getKeyManagers(),
        null,
        null);
    try (SSLServerSocket listening = (SSLServerSocket)
        tls.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getByName("localhost"))) {
      Thread server = new Thread(() -> {
        try (Socket socket = listening.accept()) {
          ((SSLSocket) socket).startHandshake();
        } catch (IOException e) {
          // The client refuses the certificate.
        }
      });
      server.start();
      assertThatThrownBy(() -> Repartee.connect("amqps://guest@localhost:"
              + listening.getLocalPort() + "/" + queue + "#ca=" + certificates.ca()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the certificate of the server has expired");
      server.join();
    }
  }
}
