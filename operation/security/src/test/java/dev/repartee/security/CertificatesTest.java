package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.FakeClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificatesTest {
  @TempDir
  Path folder;

  private Authenticator listed(String... lines) throws Exception {
    return new Certificates(
        Files.write(folder.resolve("clients"), List.of(lines)), new FakeClock());
  }

  private static Credentials shown(X509Certificate certificate) {
    return Requests.shown(Requests.with(), certificate);
  }

  @Test
  void everyVerifiedCertificateIsAdmitted() throws Exception {
    Authenticator all = Authenticators.certificate();
    assertThat(Requests.admitted(all, shown(Certs.issued("CN=alice,O=Shop"))))
        .isEqualTo(new Principal("CN=alice,O=Shop", Set.of(), Set.of(), "certificate"));
    assertThat(Requests.found(all, Requests.with())).isNull();
  }

  @Test
  void aListNamesSubjectsAndAlternativeNames() throws Exception {
    Authenticator listed = listed(
        "alice:CN=alice, O=Shop:admin,user",
        "stock:dns:Stock.shop.example:service",
        "ledger:uri:spiffe://shop.example/ledger:service",
        "bob:email:bob@shop.example:");
    assertThat(Requests.admitted(listed, shown(Certs.issued("CN=alice,O=Shop"))))
        .isEqualTo(new Principal("alice", Set.of("admin", "user"), Set.of(), "certificate"));
    X509Certificate stock = Certs.builder("CN=x")
        .addSanDnsName("other.example")
        .addSanDnsName("stock.shop.example")
        .buildSelfSigned()
        .getCertificate();
    assertThat(Requests.admitted(listed, shown(stock)).name()).isEqualTo("stock");
    X509Certificate ledger = Certs.builder("CN=x")
        .addSanUriName("spiffe://shop.example/ledger")
        .buildSelfSigned()
        .getCertificate();
    assertThat(Requests.admitted(listed, shown(ledger)).roles()).containsExactly("service");
    X509Certificate bob = Certs.builder("CN=x")
        .addSanRfc822Name("bob@shop.example")
        .buildSelfSigned()
        .getCertificate();
    assertThat(Requests.admitted(listed, shown(bob)).roles()).isEmpty();
    for (String subject : List.of(
        "CN=alice",
        "CN=alice,O=Shop,C=DE",
        "CN=stock.shop.example",
        "CN=alice\\00,O=Shop",
        "CN=alice\\0A,O=Shop",
        "CN=alice\\ ,O=Shop",
        "CN=Alice,O=Shop",
        "CN=\uff41lice,O=Shop",
        "CN=alice+O=Shop",
        "O=Shop,CN=alice")) {
      assertThat(Requests.status(listed, shown(Certs.issued(subject)))).isEqualTo(401);
    }
    assertThat(Requests.found(listed, Requests.with())).isNull();
  }

  @Test
  void aCertificateThatHasExpiredIsRefused() throws Exception {
    X509Certificate expired = Certs.builder("CN=alice")
        .notBefore(Instant.now().minus(Duration.ofDays(9)))
        .notAfter(Instant.now().minus(Duration.ofDays(2)))
        .buildSelfSigned()
        .getCertificate();
    assertThat(Requests.status(Authenticators.certificate(), shown(expired))).isEqualTo(401);
    assertThat(Requests.status(listed("alice:CN=alice:"), shown(expired))).isEqualTo(401);
  }

  @Test
  void malformedLinesAreRefused() {
    for (String line : List.of("alice", "alice:CN=alice", "alice:alice:", "a:ip:1.2.3.4:", "a::")) {
      assertThatThrownBy(() -> listed(line))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line 1 of ");
    }
    assertThatThrownBy(() -> listed("a:CN=x:", "b:cn=X:")).hasMessageContaining("line 2 of ");
  }
}
