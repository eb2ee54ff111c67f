package dev.repartee.broker;

import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of a client, from the options of its endpoint: {@code ca} has the trusted
 * authorities, {@code cert} and {@code key} the certificate of the client and its private key (PKCS
 * #8). All are PEM files.
 */
public final class ClientTls {
  private static final char[] NONE = {};

  private ClientTls() {}

  /**
   * Returns the TLS context; null without TLS.
   *
   * @param isOn whether the scheme of the endpoint requires TLS
   * @throws IOException if a file cannot be used; the message contains it
   * @throws IllegalArgumentException if an option is missing, or has no use without TLS
   */
  public static @Nullable SSLContext of(Endpoint endpoint, boolean isOn) throws IOException {
    String ca = endpoint.options().get("ca");
    String cert = endpoint.options().get("cert");
    String key = endpoint.options().get("key");
    if (!isOn) {
      if (ca != null || cert != null || key != null) {
        throw new IllegalArgumentException("'" + endpoint.shown()
            + "' is not encrypted, so that the options ca, cert and key have no use; leave them"
            + " out, or use the scheme with TLS");
      }
      return null;
    }
    if ((cert == null) != (key == null)) {
      throw new IllegalArgumentException("'" + endpoint.shown()
          + "' has one of the options cert and key; a certificate needs its private key");
    }
    try {
      SSLContext tls = SSLContext.getInstance("TLS");
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(ca == null ? null : authorities(ca));
      KeyManager[] own = cert == null || key == null ? null : own(cert, key);
      tls.init(own, trust.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IOException("the JVM has no usable TLS: " + e.getMessage(), e);
    }
  }

  private static KeyStore authorities(String file) throws IOException, GeneralSecurityException {
    KeyStore store = empty();
    int number = 0;
    for (Certificate each : certificates("ca", file)) {
      store.setCertificateEntry("ca" + number++, each);
    }
    return store;
  }

  private static KeyManager[] own(String cert, String key)
      throws IOException, GeneralSecurityException {
    KeyStore store = empty();
    store.setKeyEntry(
        "own", key(key), NONE, certificates("cert", cert).toArray(Certificate[]::new));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, NONE);
    return keys.getKeyManagers();
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(String option, String file)
      throws IOException {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (!found.isEmpty()) {
        return found;
      }
    } catch (IOException | InvalidPathException | GeneralSecurityException e) {
      throw unusable(option, file, e);
    }
    throw unusable(option, file, null);
  }

  private static PrivateKey key(String file) throws IOException {
    try {
      String text = Files.readString(Path.of(file))
          .replaceAll("(?s).*-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----.*", "$1")
          .replaceAll("\\s", "");
      PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
      try {
        return KeyFactory.getInstance("RSA").generatePrivate(spec);
      } catch (GeneralSecurityException e) {
        return KeyFactory.getInstance("EC").generatePrivate(spec);
      }
    } catch (IOException | RuntimeException | GeneralSecurityException e) {
      throw unusable("key", file, e);
    }
  }

  private static IOException unusable(String option, String file, @Nullable Exception e) {
    if (e instanceof NoSuchFileException) {
      return new IOException(
          "there is no file '" + file + "', which the option " + option + " names", e);
    }
    return new IOException(
        "the file '" + file + "' of the option " + option + " is no PEM file with "
            + (option.equals("key") ? "a private key (BEGIN PRIVATE KEY)" : "certificates")
            + (e == null ? "" : ": " + e.getClass().getSimpleName()),
        e);
  }
}
