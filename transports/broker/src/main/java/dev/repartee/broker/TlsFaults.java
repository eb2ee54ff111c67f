package dev.repartee.broker;

import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Explains TLS failures. */
public final class TlsFaults {
  private static final Pattern ALERT = Pattern.compile("Received fatal alert: (\\w+)");

  /**
   * The alerts of a server that has received no certificate (RFC 8446 section 6.2 and its
   * predecessors).
   */
  private static final Set<String> DEMANDS = Set.of("certificate_required", "bad_certificate");

  /**
   * The alert of a server that requires a client certificate (before TLS 1.3), or has no
   * certificate itself.
   */
  private static final String FAILURE = "handshake_failure";

  /** The beginning of the JDK's message about an answer that is not TLS. */
  private static final String NO_TLS = "Unsupported or unrecognized SSL message";

  /** The alerts of a server that has received a certificate. */
  private static final Set<String> REFUSALS = Set.of(
      "bad_certificate",
      "unsupported_certificate",
      "certificate_revoked",
      "certificate_expired",
      "certificate_unknown",
      "unknown_ca",
      "access_denied");

  /** The time to wait for a server to refuse the certificate of a client. */
  private static final int WAIT_MILLIS = 5_000;

  private TlsFaults() {}

  /**
   * Returns the reason and the remedy, in a sentence; null if an exception and its causes do not
   * concern TLS.
   *
   * @param endpoint has the options of {@link ClientTls}
   */
  public static @Nullable String text(Throwable e, Endpoint endpoint) {
    return text(
        e,
        endpoint,
        "name the server's authority with the option ca, and the host as its certificate does");
  }

  /**
   * Returns the reason and the remedy, in a sentence; null if an exception and its causes do not
   * concern TLS.
   *
   * @param endpoint has the options of {@link ClientTls}
   * @param trust the remedy if the server is not trusted
   */
  public static @Nullable String text(Throwable e, Endpoint endpoint, String trust) {
    Throwable fault = null;
    for (Throwable each = e; each != null; each = each.getCause()) {
      if (each instanceof CertificateExpiredException) {
        return "the certificate of the server has expired (" + each.getMessage() + ")";
      }
      if (each instanceof CertificateNotYetValidException) {
        return "the certificate of the server is not valid yet (" + each.getMessage() + ")";
      }
      if (each instanceof SSLException || each instanceof GeneralSecurityException) {
        fault = each;
      }
    }
    if (fault == null) {
      return null;
    }
    Matcher alert = ALERT.matcher(String.valueOf(fault.getMessage()));
    String name = alert.find() ? alert.group(1) : "";
    boolean hasCertificate = endpoint.options().containsKey("cert");
    if (!hasCertificate && DEMANDS.contains(name)) {
      return "the server demands a certificate of the client (" + name
          + "); name it and its key with the options cert and key";
    }
    if (!hasCertificate && FAILURE.equals(name)) {
      return "the server refuses TLS (" + FAILURE + "): either it has no certificate for this"
          + " host, or it requires one from the client; name that and its key with the options cert"
          + " and key";
    }
    if (String.valueOf(fault.getMessage()).startsWith(NO_TLS)) {
      return "the server does not answer in TLS; name its port for TLS, or connect without TLS";
    }
    if (hasCertificate && REFUSALS.contains(name)) {
      return "the server refuses the certificate of the option cert (" + name
          + "): it has expired, or an authority has issued it that the server does not trust";
    }
    return Causes.text(e) + "; " + trust;
  }

  /**
   * Begins TLS, and returns the reason why the server refuses it; null if it does not refuse. With
   * TLS 1.3 a server checks the certificate of a client while the client ends the handshake, or
   * later. A client that writes at this time may lose the reason with the connection; this method
   * writes nothing more, and reads after a failed write.
   *
   * @param socket a connection at the point where TLS begins; is closed
   */
  public static @Nullable SSLException refusal(
      SSLContext tls, PatientSocket socket, String host, int port) {
    try (socket) {
      socket.setSoTimeout(WAIT_MILLIS);
      SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(socket, host, port, true);
      secure.startHandshake();
      secure.getInputStream().read();
      return null;
    } catch (SSLException e) {
      return e;
    } catch (IOException e) {
      return null; // it accepts the certificate, or sends no reason
    }
  }
}
