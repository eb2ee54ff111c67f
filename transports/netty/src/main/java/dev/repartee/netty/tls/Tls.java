package dev.repartee.netty.tls;

import dev.repartee.netty.http.HttpAddress;
import dev.repartee.transport.Endpoint;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of an endpoint, from its options: {@code cert} and {@code key} name this side's
 * certificate and its private key, {@code ca} the trusted authorities. All three are PEM files. The
 * JDK implements TLS.
 */
public final class Tls {
  private static final Set<String> OPTIONS = Set.of("ca", "cert", "key");

  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};
  private static final String HOW_TO_MAKE_ONE =
      "; one for trials: openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost"
          + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem";

  private static final byte[] SAMPLE = {1};
  private static final PSSParameterSpec PSS =
      new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);

  private Tls() {}

  /** Returns whether a channel is under TLS; for an HTTP/2 stream, whether its connection is. */
  public static boolean isOn(Channel channel) {
    Channel parent = channel.parent();
    return channel.pipeline().get(SslHandler.class) != null || parent != null && isOn(parent);
  }

  /**
   * Returns the verified certificate of the peer and its intermediate certificates; empty without
   * TLS, and if the peer has sent none. For an HTTP/2 stream, the certificates of its connection.
   */
  public static List<X509Certificate> peerCertificates(Channel channel) {
    SslHandler handler = channel.pipeline().get(SslHandler.class);
    if (handler == null) {
      return channel.parent() == null ? List.of() : peerCertificates(channel.parent());
    }
    try {
      return Arrays.stream(handler.engine().getSession().getPeerCertificates())
          .filter(X509Certificate.class::isInstance)
          .map(X509Certificate.class::cast)
          .toList();
    } catch (SSLPeerUnverifiedException e) {
      return List.of();
    }
  }

  /**
   * Returns the TLS context of a client. It trusts the authorities of {@code ca}, or by default the
   * authorities of the JVM. The certificate of the server must name the host.
   *
   * @return null if the scheme has no TLS
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if an option is missing, or has no use without TLS
   */
  public static @Nullable SslContext client(Endpoint endpoint) throws IOException {
    if (!HttpAddress.isSecure(endpoint)) {
      refuseOptions(endpoint);
      return null;
    }
    SslContextBuilder builder =
        SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
    if (endpoint.options().containsKey("cert") || endpoint.options().containsKey("key")) {
      own(endpoint, builder::keyManager);
    }
    PemFile ca = PemFile.of(endpoint, "ca");
    builder.trustManager(PeerTrust.in(ca == null ? null : ca.certificates()));
    return build(builder, ApplicationProtocolNames.HTTP_1_1);
  }

  /**
   * Returns the TLS context of a server, which needs {@code cert} and {@code key}. With {@code ca},
   * clients must send a certificate of that authority.
   *
   * @return null if the scheme has no TLS
   * @throws IOException if a file cannot be used; the message names it
   * @throws IllegalArgumentException if an option is missing, or has no use without TLS
   */
  public static @Nullable SslContext server(Endpoint endpoint) throws IOException {
    if (!HttpAddress.isSecure(endpoint)) {
      refuseOptions(endpoint);
      return null;
    }
    SslContextBuilder builder = own(endpoint, SslContextBuilder::forServer);
    PemFile ca = PemFile.of(endpoint, "ca");
    if (ca != null) {
      builder.trustManager(PeerTrust.in(ca.certificates())).clientAuth(ClientAuth.REQUIRE);
    }
    return build(
        builder.ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE),
        ApplicationProtocolNames.HTTP_2,
        ApplicationProtocolNames.HTTP_1_1,
        "http/1.0");
  }

  /**
   * Makes a second handshake on the same connection fail. TLS 1.2 allows one at any time; each
   * costs the client almost nothing, and no limit counts them. The JDK can forbid renegotiation
   * only for the whole process. Instead, only TLS 1.3, which has no renegotiation, stays enabled
   * after the first handshake: a connection of TLS 1.2 cannot change to it.
   */
  public static void refuseRenegotiation(SSLEngine engine) {
    engine.setEnabledProtocols(new String[] {"TLSv1.3"});
  }

  private static void refuseOptions(Endpoint endpoint) {
    for (String option : OPTIONS) {
      if (endpoint.options().containsKey(option)) {
        throw new IllegalArgumentException(
            "'" + HttpAddress.shown(endpoint) + "' is not encrypted, so that the option " + option
                + " has no use; write " + endpoint.scheme() + "s:, or leave it out");
      }
    }
  }

  private static SslContext build(SslContextBuilder builder, String... protocols)
      throws SSLException {
    return builder
        .sslProvider(SslProvider.JDK)
        .protocols(VERSIONS)
        .applicationProtocolConfig(new ApplicationProtocolConfig(
            Protocol.ALPN,
            SelectorFailureBehavior.FATAL_ALERT,
            SelectedListenerFailureBehavior.ACCEPT,
            protocols))
        .build();
  }

  /** Sets this side's key and certificates on a builder. */
  private interface Own {
    SslContextBuilder as(PrivateKey key, X509Certificate... certificates);
  }

  private static SslContextBuilder own(Endpoint endpoint, Own builder) throws IOException {
    PemFile cert = PemFile.of(endpoint, "cert");
    PemFile key = PemFile.of(endpoint, "key");
    if (cert == null || key == null) {
      throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint)
          + "' needs a certificate and its private key, in PEM: #cert=FILE&key=FILE"
          + HOW_TO_MAKE_ONE);
    }
    X509Certificate[] certificates = cert.certificates();
    PrivateKey secret = key.key();
    if (!belongTogether(secret, certificates[0])) {
      throw key.useless("is not the key of the certificate '" + cert.path() + "'", null);
    }
    return builder.as(secret, certificates);
  }

  /**
   * Returns whether a key belongs to a certificate, by signing with it. Without this check every
   * handshake would fail, and only the clients would see why.
   */
  private static boolean belongTogether(PrivateKey key, X509Certificate certificate) {
    try {
      Signature signature = signature(key);
      signature.initSign(key);
      signature.update(SAMPLE);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(SAMPLE); // JDK 17 cannot verify an EdDSA signature of zero bytes
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static Signature signature(PrivateKey key) throws GeneralSecurityException {
    String kind = key.getAlgorithm();
    Signature signature = Signature.getInstance(
        switch (kind) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> kind;
        });
    if (kind.equals("RSASSA-PSS")) {
      AlgorithmParameterSpec required = ((RSAKey) key).getParams();
      signature.setParameter(required == null ? PSS : required);
    }
    return signature;
  }
}
