package dev.repartee.security;

import io.netty.pkitesting.CertificateBuilder;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/** Certificates as a transport passes them on. */
final class Certs {
  private Certs() {}

  static CertificateBuilder builder(String subject) {
    return new CertificateBuilder()
        .subject(subject)
        .notBefore(Instant.now().minus(Duration.ofDays(1)))
        .notAfter(Instant.now().plus(Duration.ofDays(1)))
        .setIsCertificateAuthority(true) // as its own issuer
        .ecp256();
  }

  static X509Certificate issued(String subject) throws Exception {
    return builder(subject).buildSelfSigned().getCertificate();
  }
}
