package dev.repartee.netty.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Describes a failure of TLS for error messages, with a remedy. */
public final class TlsFault {
  private TlsFault() {}

  /**
   * Returns the fault of the server and a remedy; null if the failure is not one of TLS.
   *
   * @param host the host of the server
   * @param plain the schemes without TLS that the server may speak, such as {@code http: or ws:}
   */
  public static @Nullable String reason(Throwable failure, String host, String plain) {
    boolean ofTls = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String reason = known(cause, host, plain);
      if (reason != null) {
        return reason;
      }
      ofTls |= cause instanceof SSLException;
    }
    return ofTls ? "TLS failed: " + innermost(failure).getMessage() : null;
  }

  private static @Nullable String known(Throwable cause, String host, String plain) {
    if (cause instanceof NotSslRecordException) {
      return "the server does not speak TLS; is it " + plain + "?";
    }
    if (cause instanceof SslHandshakeTimeoutException) {
      return "the TLS handshake took too long; does the server speak TLS?";
    }
    if (cause instanceof SslClosedEngineException) {
      return "it ended the connection under TLS";
    }
    if (cause instanceof ClosedChannelException) {
      return null;
    }
    if (cause instanceof CertPathBuilderException) {
      return "its certificate comes from no authority that is trusted here; #ca=FILE names one to"
          + " trust, in PEM";
    }
    return cause instanceof SSLException ? alert(cause) : certificate(cause, host);
  }

  private static @Nullable String certificate(Throwable cause, String host) {
    if (cause instanceof CertificateExpiredException) {
      return "its certificate has expired (" + cause.getMessage() + "); it needs a new one";
    }
    if (cause instanceof CertificateNotYetValidException) {
      return "its certificate is not valid yet (" + cause.getMessage() + "); is a clock wrong?";
    }
    if (cause instanceof CertPathValidatorException && cause.getCause() == null) {
      return "its certificate does not hold (" + cause.getMessage() + "); #ca=FILE names an"
          + " authority to trust, in PEM";
    }
    if (cause instanceof CertificateException && cause.getCause() == null) {
      return "its certificate is not one for " + host + " (" + cause.getMessage()
          + "); use a name that it is for";
    }
    return null;
  }

  private static @Nullable String alert(Throwable cause) {
    String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    if (!message.contains("alert")) {
      return null;
    }
    if (message.contains("certificate_required") || message.contains("bad_certificate")) {
      return "the server requires a client certificate from an authority that it trusts;"
          + " #cert=FILE&key=FILE names one, in PEM";
    }
    if (message.contains("certificate") || message.contains("unknown_ca")) {
      return "it does not trust our certificate (" + cause.getMessage()
          + "); check #cert=FILE, which has to come from an authority that it knows";
    }
    if (message.contains("protocol_version")) {
      return "it speaks neither TLS 1.2 nor 1.3";
    }
    return null;
  }

  static Throwable innermost(Throwable failure) {
    Throwable cause = failure;
    for (Throwable next = cause.getCause(); next != null; next = next.getCause()) {
      cause = next;
    }
    return cause;
  }
}
