package dev.repartee.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests over TLS and HTTP/2, with the certificates of clients. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class SecureTest extends ServletFixture {
  private X509Bundle authority;
  private X509Bundle ann;

  @TempDir
  Path folder;

  @BeforeEach
  void listen() throws Exception {
    authority = new CertificateBuilder()
        .subject("CN=authority of the test")
        .setIsCertificateAuthority(true)
        .ecp256()
        .buildSelfSigned();
    ann = issued("ann");
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("authority", authority.getCertificate());
    KeyStore identity = issued("localhost").toKeyStore(Container.Tls.PASSWORD);
    settings = new Container.Settings("", null, new Container.Tls(identity, trust));
    start(new RpcServlet(Service.of(methods), Options.DEFAULT));
  }

  private X509Bundle issued(String name) throws Exception {
    return new CertificateBuilder()
        .subject("CN=" + name)
        .addSanDnsName(name)
        .ecp256()
        .buildIssuedBy(authority);
  }

  /** Returns the URI of the servlet by the name in its certificate. */
  private String named(String scheme) {
    return uri(scheme).replace("127.0.0.1", "localhost");
  }

  private Path write(String name, String pem) throws Exception {
    return Files.writeString(folder.resolve(name), pem);
  }

  @Test
  void theCertificateOfTheClientIsOnTheCall() throws Exception {
    String trust = "#ca=" + write("ca.pem", authority.getCertificatePEM());
    String keys = "&cert=" + write("ann.pem", ann.getCertificatePathPEM()) + "&key="
        + write("ann.key", ann.getPrivateKeyPEM());
    for (String scheme : List.of("https", "wss")) {
      try (Peer known = Repartee.connect(named(scheme) + trust + keys);
          Peer unknown = Repartee.connect(named(scheme) + trust)) {
        assertThat(known.call("certificate", String.class)).isEqualTo("CN=ann over " + scheme);
        assertThat(unknown.call("certificate", String.class)).isEqualTo("none over " + scheme);
      }
    }
  }

  @Test
  void callsAndEventsAreServedOverHttp2() throws Exception {
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(
        ann.toKeyManagerFactory().getKeyManagers(),
        authority.toTrustManagerFactory().getTrustManagers(),
        null);
    HttpClient client = HttpClient.newBuilder().sslContext(tls).build();
    assertThat(answer(client, call("subtract", "[42,23]"), "application/json"))
        .isEqualTo(result("19"));
    assertThat(answer(client, call("certificate", "[]"), "application/json"))
        .isEqualTo(result("\"CN=ann over https\""));
    assertThat(answer(client, call("countdown", "[2]"), "text/event-stream").split("\n\n"))
        .satisfiesExactly(
            event -> assertThat(event).contains("\"value\":2}"),
            event -> assertThat(event).contains("\"value\":1}"),
            event -> assertThat(event).isEqualTo("data: " + result("\"liftoff\"")));
  }

  private String answer(HttpClient client, String call, String type) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(named("https")))
        .header("Content-Type", "application/json")
        .header("Accept", type)
        .POST(HttpRequest.BodyPublishers.ofString(call))
        .build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(response.headers().firstValue("content-type").orElse("")).startsWith(type);
    return response.body();
  }
}
