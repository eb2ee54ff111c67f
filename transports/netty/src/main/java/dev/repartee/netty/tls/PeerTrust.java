package dev.repartee.netty.tls;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts the peers that the JDK trusts, after two checks that the JDK omits:
 *
 * <ul>
 *   <li>The JDK ignores the validity dates of a certificate that is itself trusted.
 *   <li>If a certificate lists no host, the JDK uses the common name of the subject, which RFC 9110
 *       section 4.3.4 forbids.
 * </ul>
 */
final class PeerTrust extends X509ExtendedTrustManager {
  /** The type of a subjectAltName that is a host name (RFC 5280 section 4.2.1.6). */
  private static final Integer DNS_NAME = 2;

  private final X509ExtendedTrustManager jdk;

  private PeerTrust(X509ExtendedTrustManager jdk) {
    this.jdk = jdk;
  }

  /**
   * Returns trust in these authorities, or in the authorities of the JVM if the argument is null.
   */
  static PeerTrust in(X509Certificate @Nullable [] authorities) {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(authorities == null ? null : store(authorities));
      return new PeerTrust((X509ExtendedTrustManager) factory.getTrustManagers()[0]);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the JDK has no X.509", e);
    }
  }

  private static KeyStore store(X509Certificate[] certificates)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (X509Certificate certificate : certificates) {
      store.setCertificateEntry(Integer.toString(store.size()), certificate);
    }
    return store;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    jdk.checkServerTrusted(chain, authType, engine);
    chain[0].checkValidity();
    if (!isAddress(engine.getPeerHost()) && !namesAHost(chain[0])) {
      throw new CertificateException(
          "it names no host as a subjectAltName; the common name of the subject does not count");
    }
  }

  /** Returns whether a host is an address. The JDK never looks for addresses in the subject. */
  private static boolean isAddress(@Nullable String host) {
    return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
  }

  private static boolean namesAHost(X509Certificate certificate) throws CertificateException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    return names != null && names.stream().anyMatch(name -> DNS_NAME.equals(name.get(0)));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    jdk.checkClientTrusted(chain, authType, engine);
    chain[0].checkValidity();
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return jdk.getAcceptedIssuers();
  }

  // ---------------------------------------------------------------- without an engine: refused

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw unchecked();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw unchecked();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw unchecked();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw unchecked();
  }

  private static CertificateException unchecked() {
    return new CertificateException("without an engine the host is not known");
  }
}
