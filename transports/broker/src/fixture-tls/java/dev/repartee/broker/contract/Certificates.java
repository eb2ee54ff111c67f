package dev.repartee.broker.contract;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** An authority of a test, and certificates that it has issued, as PEM files in a folder. */
public final class Certificates {
  private static final Duration DAY = Duration.ofDays(1);

  private final Path folder;
  private final X509Bundle authority;

  /**
   * A certificate and its private key.
   *
   * @param bundle both, for a server in this JVM
   */
  public record Identity(Path cert, Path key, X509Bundle bundle) {
    /** Returns the options of a client that presents this certificate. */
    public String options() {
      return "&cert=" + cert + "&key=" + key;
    }
  }

  /** Creates an authority. */
  public Certificates(Path folder) throws Exception {
    this.folder = folder;
    this.authority = new CertificateBuilder()
        .subject("CN=authority of the test")
        .setIsCertificateAuthority(true)
        .ecp256()
        .buildSelfSigned();
    Files.writeString(ca(), authority.getCertificatePEM());
  }

  /** Returns the certificate of the authority. */
  public Path ca() {
    return folder.resolve("ca.pem");
  }

  /** Returns a new valid certificate for localhost and for a client. */
  public Identity valid(String name) throws Exception {
    return issued(name, Instant.now().minus(DAY));
  }

  /** Returns a new certificate that expired a day ago. */
  public Identity expired(String name) throws Exception {
    return issued(name, Instant.now().minus(DAY.multipliedBy(4)));
  }

  private Identity issued(String name, Instant from) throws Exception {
    X509Bundle bundle = new CertificateBuilder()
        .subject("CN=localhost")
        .addSanDnsName("localhost")
        .ecp256()
        .notBefore(from)
        .notAfter(from.plus(DAY.multipliedBy(3)))
        .buildIssuedBy(authority);
    return new Identity(
        Files.writeString(folder.resolve(name + ".pem"), bundle.getCertificatePathPEM()),
        Files.writeString(folder.resolve(name + "-key.pem"), bundle.getPrivateKeyPEM()),
        bundle);
  }
}
