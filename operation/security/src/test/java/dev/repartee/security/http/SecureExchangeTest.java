package dev.repartee.security.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.testkit.RawConnection;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests exchanges under TLS and through proxies. */
@Isolated("sets the TLS context and the proxies of the process")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecureExchangeTest {
  private final ProxySelector proxies = ProxySelector.getDefault();
  private SSLContext context;
  private X509Bundle authority;
  private ServerSocket server;

  @BeforeEach
  void start() throws Exception {
    context = SSLContext.getDefault();
    authority = new CertificateBuilder()
        .subject("CN=authority")
        .setIsCertificateAuthority(true)
        .ecp256()
        .buildSelfSigned();
    SSLContext.setDefault(trusting(authority));
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stop() throws IOException {
    SSLContext.setDefault(context);
    ProxySelector.setDefault(proxies);
    server.close();
  }

  private static SSLContext trusting(X509Bundle authority) throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {authority.toTrustManager()}, null);
    return trusting;
  }

  private void useProxy() {
    ProxySelector.setDefault(ProxySelector.of((InetSocketAddress) server.getLocalSocketAddress()));
  }

  private static CompletableFuture<SmallExchange.Answer> send(String uri) {
    return SmallExchange.send(HttpRequest.newBuilder(URI.create(uri)));
  }

  /** Continues a connection under TLS, as a server with a certificate for a host. */
  private SSLSocket secured(Socket socket, String host) throws Exception {
    X509Bundle issued = new CertificateBuilder()
        .subject("CN=" + host)
        .addSanDnsName(host)
        .ecp256()
        .buildIssuedBy(authority);
    SSLContext own = SSLContext.getInstance("TLS");
    own.init(issued.toKeyManagerFactory().getKeyManagers(), null, null);
    SSLSocket secured =
        (SSLSocket) own.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
    secured.setUseClientMode(false);
    return secured;
  }

  /** Answers, and lets the client close the connection: closing a TLS socket waits for that. */
  private static void answer(RawConnection issuer) throws IOException {
    assertThat(issuer.head()).startsWith("GET /keys HTTP/1.1\r\nHost: ");
    issuer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
  }

  @Test
  void aServerWithACertificateForItsHostAnswers() throws Exception {
    CompletableFuture<SmallExchange.Answer> sent =
        send("https://localhost:" + server.getLocalPort() + "/keys");
    try (RawConnection issuer = new RawConnection(secured(server.accept(), "localhost"))) {
      answer(issuer);
      assertThat(sent.get().body()).asString().isEqualTo("{}");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "localhost, other.example, true",
    "127.0.0.1, localhost, true",
    "localhost, localhost, false"
  })
  void aServerWithAnotherCertificateGetsNoRequest(String host, String subject, boolean isTrusted)
      throws Exception {
    if (!isTrusted) {
      SSLContext.setDefault(context);
    }
    CompletableFuture<SmallExchange.Answer> sent =
        send("https://" + host + ":" + server.getLocalPort() + "/keys");
    try (RawConnection issuer = new RawConnection(secured(server.accept(), subject))) {
      // The alert of the client, or the end of its socket while this side still writes.
      assertThatThrownBy(issuer::isOver).isInstanceOf(IOException.class);
      assertThatThrownBy(sent::get)
          .hasRootCauseInstanceOf(Exception.class)
          .cause()
          .hasCauseInstanceOf(SSLException.class);
    }
  }

  @Test
  void aStalledHandshakeEndsWithItsExchange() throws Exception {
    CompletableFuture<SmallExchange.Answer> sent =
        send("https://localhost:" + server.getLocalPort() + "/keys");
    try (RawConnection issuer = new RawConnection(server.accept())) {
      assertThat(issuer.isOver()).as("the client begins the handshake").isFalse();
      sent.cancel(true);
      issuer.rest();
    }
  }

  @Test
  void aProxyConnectsToASecureServer() throws Exception {
    useProxy();
    CompletableFuture<SmallExchange.Answer> sent = send("https://issuer.example/keys");
    try (Socket socket = server.accept();
        RawConnection proxy = new RawConnection(socket)) {
      assertThat(proxy.head())
          .isEqualTo("CONNECT issuer.example:443 HTTP/1.1\r\nHost: issuer.example:443\r\n\r\n");
      proxy.send("HTTP/1.1 200 OK\r\n\r\n");
      try (RawConnection issuer = new RawConnection(secured(socket, "issuer.example"))) {
        answer(issuer);
        assertThat(sent.get().status()).isEqualTo(200);
      }
    }
  }

  @Test
  void aProxyForwardsOtherRequests() throws Exception {
    useProxy();
    CompletableFuture<SmallExchange.Answer> sent = send("http://issuer.example/keys?a=b");
    try (RawConnection proxy = new RawConnection(server.accept())) {
      assertThat(proxy.head())
          .startsWith("GET http://issuer.example/keys?a=b HTTP/1.1\r\nHost: issuer.example\r\n");
      proxy.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      assertThat(sent.get().status()).isEqualTo(404);
    }
  }

  @Test
  void aProxyMayRefuse() throws Exception {
    useProxy();
    CompletableFuture<SmallExchange.Answer> sent = send("https://issuer.example/keys");
    try (RawConnection proxy = new RawConnection(server.accept())) {
      proxy.head();
      proxy.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      assertThatThrownBy(sent::get)
          .hasMessageContaining("the proxy does not connect, but answers HTTP status 403");
      assertThat(proxy.rest()).isIn("", RawConnection.RESET);
    }
  }
}
