package dev.repartee.security;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.repartee.access.Credentials;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The certificate that a token is bound to (RFC 8705). */
final class BoundCertificate {
  private BoundCertificate() {}

  /**
   * Returns whether the client has shown the certificate.
   *
   * @param digest the SHA-256 digest of the certificate, in base64url; null if none is needed
   */
  static boolean isShown(@Nullable String digest, Credentials credentials) {
    if (digest == null) {
      return true;
    }
    List<X509Certificate> shown = credentials.certificates();
    return !shown.isEmpty()
        && MessageDigest.isEqual(of(shown.get(0)).getBytes(US_ASCII), digest.getBytes(US_ASCII));
  }

  private static String of(X509Certificate certificate) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (CertificateEncodingException | NoSuchAlgorithmException e) {
      return "";
    }
  }
}
