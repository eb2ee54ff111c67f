package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.Endpoint;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file of PEM (RFC 7468) that an option names.
 *
 * @param path where it is
 * @param option the option
 * @param bytes what it holds
 */
record PemFile(Path path, String option, byte[] bytes) {
  private static final Pattern KEY = Pattern.compile(
      "-----BEGIN PRIVATE KEY-----\\s+([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final List<String> KINDS_OF_KEYS = List.of("RSA", "EC", "EdDSA");

  /** Reads it; null where there is no such option. Its value may have percent escapes. */
  static @Nullable PemFile of(Endpoint endpoint, String option) throws IOException {
    String value = endpoint.options().get(option);
    if (value == null) {
      return null;
    }
    Path path = Path.of(QueryStringDecoder.decodeComponent(value.replace("+", "%2B")));
    try {
      return new PemFile(path, option, Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      throw new IOException(
          "there is no file '" + path + "', the option " + option + "; relative names start at "
              + Path.of("").toAbsolutePath(),
          e);
    } catch (IOException e) {
      throw new IOException(
          "cannot read '" + path + "', the option " + option + ": " + e.getMessage(), e);
    }
  }

  /** The certificates, of which there is at least one. */
  X509Certificate[] certificates() throws IOException {
    Throwable cause = null;
    try {
      X509Certificate[] all = CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(bytes))
          .toArray(new X509Certificate[0]);
      if (all.length > 0) {
        return all;
      }
    } catch (CertificateException e) {
      cause = e;
    }
    throw useless("holds no certificate, which starts with BEGIN CERTIFICATE", cause);
  }

  /** The private key. */
  PrivateKey key() throws IOException {
    Matcher block = KEY.matcher(new String(bytes, ISO_8859_1));
    Throwable cause = null;
    if (block.find()) {
      try {
        return key(Base64.getMimeDecoder().decode(block.group(1)));
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        cause = e;
      }
    }
    throw useless(
        "holds no private key that starts with BEGIN PRIVATE KEY; of one in another form openssl"
            + " pkcs8 -topk8 -nocrypt makes one",
        cause);
  }

  private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
    GeneralSecurityException last = new InvalidKeySpecException("it is empty");
    for (String kind : KINDS_OF_KEYS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (GeneralSecurityException e) {
        last = e;
      }
    }
    throw last;
  }

  /** That this file cannot be used. */
  IOException useless(String why, @Nullable Throwable cause) {
    return new IOException("'" + path + "', the option " + option + ", " + why, cause);
  }
}
