package dev.repartee.netty;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts servers as the JDK does, but only certificates that name hosts in their subjectAltName. Where
 * there is none, the JDK takes the common name for the host, which RFC 9110 section 4.3.4 forbids.
 */
final class NamedServers extends X509ExtendedTrustManager {
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  private final X509ExtendedTrustManager jdk;

  private NamedServers(X509ExtendedTrustManager jdk) {
    this.jdk = jdk;
  }

  /** Trusts these authorities; those of the JVM where that is null. */
  static TrustManager trusting(X509Certificate @Nullable [] authorities) throws IOException {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(authorities == null ? null : store(authorities));
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager jdk) {
          return new NamedServers(jdk);
        }
      }
      throw new IOException("this JVM has no trust manager for X.509 certificates");
    } catch (GeneralSecurityException e) {
      throw new IOException("the JVM cannot check certificates: " + e.getMessage(), e);
    }
  }

  private static KeyStore store(X509Certificate[] authorities)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (int i = 0; i < authorities.length; i++) {
      store.setCertificateEntry(String.valueOf(i), authorities[i]);
    }
    return store;
  }

  private static void requireName(X509Certificate certificate) throws CertificateException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    if (names == null || names.stream().noneMatch(NamedServers::isOfHost)) {
      throw new CertificateException("it has no subjectAltName that names a host");
    }
  }

  private static boolean isOfHost(List<?> name) {
    return Objects.equals(name.get(0), DNS_NAME) || Objects.equals(name.get(0), IP_ADDRESS);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    jdk.checkServerTrusted(chain, kind, engine);
    requireName(chain[0]);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    jdk.checkServerTrusted(chain, kind, socket);
    requireName(chain[0]);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    jdk.checkServerTrusted(chain, kind);
    requireName(chain[0]);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    jdk.checkClientTrusted(chain, kind, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    jdk.checkClientTrusted(chain, kind, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    jdk.checkClientTrusted(chain, kind);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return jdk.getAcceptedIssuers();
  }
}
