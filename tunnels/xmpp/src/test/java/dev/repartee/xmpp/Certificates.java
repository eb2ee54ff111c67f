package dev.repartee.xmpp;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * An authority of the test, and a certificate for localhost that it has issued, as PEM files.
 *
 * @param ca the certificate of the authority
 * @param cert the certificate of the server
 * @param key the private key of the server
 */
record Certificates(Path ca, Path cert, Path key) {
  static Certificates in(Path folder) throws Exception {
    Instant from = Instant.now().minus(Duration.ofDays(1));
    X509Bundle authority = new CertificateBuilder()
        .subject("CN=authority of the test")
        .setIsCertificateAuthority(true)
        .ecp256()
        .buildSelfSigned();
    X509Bundle server = new CertificateBuilder()
        .subject("CN=localhost")
        .addSanDnsName("localhost")
        .ecp256()
        .notBefore(from)
        .notAfter(from.plus(Duration.ofDays(3)))
        .buildIssuedBy(authority);
    return new Certificates(
        Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM()),
        Files.writeString(folder.resolve("cert.pem"), server.getCertificatePathPEM()),
        Files.writeString(folder.resolve("key.pem"), server.getPrivateKeyPEM()));
  }

  /** Returns the lines of the configuration of Prosody, which demands TLS with them. */
  String configuration() {
    return "ssl = { certificate = '" + cert + "'; key = '" + key + "' }\n"
        + "c2s_require_encryption = true";
  }
}
