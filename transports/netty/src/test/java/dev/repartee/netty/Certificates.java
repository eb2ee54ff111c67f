package dev.repartee.netty;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.TrustManagerFactory;

/** A certificate authority of the test, and its certificates, as PEM files. */
final class Certificates {
  private final Path folder;
  private final X509Bundle authority;

  Certificates(Path folder) throws Exception {
    this.folder = folder;
    this.authority = new CertificateBuilder()
        .subject("CN=authority of " + folder.getFileName())
        .setIsCertificateAuthority(true)
        .ecp256()
        .buildSelfSigned();
  }

  /** Returns the certificate of the authority. */
  Path ca() throws IOException {
    return write("ca.pem", authority.getCertificatePEM());
  }

  /** Returns the options {@code cert=...&key=...} of a certificate for a host, valid now. */
  String named(String host) throws Exception {
    return issued(host, Instant.now().minus(Duration.ofDays(1)), Duration.ofDays(3));
  }

  /** Returns the options of an expired certificate. */
  String expired(String host) throws Exception {
    return issued(host, Instant.now().minus(Duration.ofDays(9)), Duration.ofDays(3));
  }

  /** Returns the options of a certificate for the given key. */
  String named(String host, KeyPair key) throws Exception {
    return written(host, builder(host).keyPair(key).buildIssuedBy(authority));
  }

  /**
   * Returns the options of a certificate that names the host only in its subject, and mailboxes as
   * alternative names.
   */
  String namedByItsSubject(String host, String... mailboxes) throws Exception {
    CertificateBuilder builder = new CertificateBuilder().subject("CN=" + host).ecp256();
    for (String mailbox : mailboxes) {
      builder.addSanRfc822Name(mailbox);
    }
    return written(host, builder.buildIssuedBy(authority));
  }

  /**
   * Returns the options of an expired self-signed certificate, and the option {@code ca=...} that
   * trusts it.
   */
  String[] expiredAndTrustedItself(String host) throws Exception {
    Instant then = Instant.now().minus(Duration.ofDays(9));
    X509Bundle alone = builder(host)
        .setIsCertificateAuthority(true)
        .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyCertSign)
        .notBefore(then)
        .notAfter(then.plus(Duration.ofDays(3)))
        .buildSelfSigned();
    return new String[] {
      written("self", alone), "ca=" + write("self-ca.pem", alone.getCertificatePEM())
    };
  }

  private String issued(String host, Instant from, Duration time) throws Exception {
    return written(
        host, builder(host).notBefore(from).notAfter(from.plus(time)).buildIssuedBy(authority));
  }

  private static CertificateBuilder builder(String host) {
    return new CertificateBuilder().subject("CN=" + host).addSanDnsName(host).ecp256();
  }

  private String written(String name, X509Bundle issued) throws IOException {
    Path cert = write(name + ".pem", issued.getCertificatePathPEM());
    Path key = write(name + ".key", issued.getPrivateKeyPEM());
    return "cert=" + cert + "&key=" + key;
  }

  /** Returns a key that belongs to none of the issued certificates. */
  Path strayKey() throws IOException {
    return write("stray.key", authority.getPrivateKeyPEM());
  }

  /** Returns trust in this authority. */
  TrustManagerFactory trust() throws Exception {
    return authority.toTrustManagerFactory();
  }

  Path write(String name, String text) throws IOException {
    Path file = Files.createDirectories(folder).resolve(name);
    return Files.writeString(file, text);
  }
}
