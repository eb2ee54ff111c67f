package dev.repartee.xmpp;

import dev.repartee.broker.Causes;
import dev.repartee.broker.TlsFaults;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import javax.xml.stream.XMLStreamException;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.XMPPException;
import org.jivesoftware.smack.packet.StreamError;
import org.jivesoftware.smack.sasl.SASLErrorException;
import org.jspecify.annotations.Nullable;

/** The texts of failures: the reason and the remedy. */
final class Faults {
  private Faults() {}

  /**
   * Returns the failure of an attempt to connect.
   *
   * @param server the server, for messages
   */
  static IOException connecting(
      Exception e, String server, Endpoint endpoint, XmppAddress address) {
    String where = "cannot connect to " + server + ": ";
    if (e instanceof SASLErrorException refused) {
      return new IOException(
          where + "the server refuses the account " + address.account() + " with this password ("
              + refused.getSASLFailure().getSASLErrorString() + "); the option password-file names"
              + " a file with another one",
          e);
    }
    if (e instanceof SmackException.SmackSaslException) {
      return new IOException(
          where + "the server offers no login with SCRAM-SHA-1, which keeps the password from it;"
              + " enable it there",
          e);
    }
    if (e instanceof SmackException.SecurityRequiredByClientException) {
      return new IOException(
          where + "the server offers no TLS; enable it there, or add tls=off to the URI if the"
              + " server is on this machine",
          e);
    }
    if (e instanceof SmackException.SecurityRequiredByServerException) {
      return new IOException(where + "the server demands TLS; leave tls=off out", e);
    }
    String tls = TlsFaults.text(
        root(e),
        endpoint,
        "the certificate has to name " + address.account().getDomain()
            + ", and the option ca names its authority");
    if (tls != null) {
      return new IOException(where + tls, e);
    }
    if (e instanceof SmackException.EndpointConnectionException) {
      IOException cause = cause((SmackException.EndpointConnectionException) e);
      return new IOException(
          where
              + (cause == null ? "it has no address" : text(cause))
              + (cause instanceof UnknownHostException
                  ? ": the host name is unknown"
                  : "; is the server running there? The option server=HOST:PORT sets another one"),
          e);
    }
    if (e instanceof SmackException.NoEndpointsDiscoveredException) {
      return new IOException(
          where + "the domain has no server; the option server=HOST:PORT sets one", e);
    }
    if (e instanceof SmackException.NoResponseException) {
      return new IOException(
          where + "no answer within the limit connectTimeout; does this port speak XMPP for"
              + " clients?",
          e);
    }
    return new IOException(where + text(e), e);
  }

  private static @Nullable IOException cause(SmackException.EndpointConnectionException e) {
    return e.getConnectionExceptions().stream()
        .map(each -> each.getException())
        .filter(IOException.class::isInstance)
        .map(IOException.class::cast)
        .findFirst()
        .orElse(null);
  }

  /** Returns whether another login has replaced a connection at its resource. */
  static boolean isConflict(Throwable e) {
    return root(e) instanceof XMPPException.StreamErrorException error
        && error.getStreamError().getCondition() == StreamError.Condition.conflict;
  }

  private static Throwable root(Throwable e) {
    Throwable root = Causes.innermost(e);
    return root instanceof XMLStreamException xml && xml.getNestedException() != null
        ? xml.getNestedException()
        : root;
  }

  /** Returns the reason in the innermost cause. */
  static String text(Throwable e) {
    Throwable root = root(e);
    if (root instanceof XMPPException.StreamErrorException stream) {
      StreamError error = stream.getStreamError();
      String text = error.getDescriptiveText();
      return "the server says '" + error.getCondition() + (text == null ? "" : ": " + text) + "'";
    }
    if (root instanceof SmackException.SmackMessageException || isCut(root) || isClosed(root)) {
      return "the server has ended it";
    }
    if (root instanceof XMLStreamException) {
      return "the server has sent XML that cannot be read";
    }
    return Causes.text(root);
  }

  /**
   * Returns whether the library has closed the socket, after another of its threads detected the
   * end.
   */
  private static boolean isClosed(Throwable e) {
    return e instanceof SocketException && "Socket closed".equals(e.getMessage());
  }

  /** Returns whether the input has ended within the stream, which is one XML document. */
  private static boolean isCut(Throwable e) {
    return e instanceof XMLStreamException
        && String.valueOf(e.getMessage()).contains("must start and end within");
  }

  /**
   * Returns the reason why a stanza was answered with an error.
   *
   * @param error the element {@code error} of the answer; null if it is missing
   * @param service the service, for messages
   * @param account the account of the client
   */
  static String answer(@Nullable Element error, String service, String account) {
    String condition = condition(error);
    String text = text(error);
    return switch (condition) {
      case "service-unavailable", "item-not-found" ->
        "nobody listens as " + service + " (" + condition + text
            + "); is the service running, and is its name right?";
      case "forbidden", "not-authorized", "not-allowed", "subscription-required" ->
        service + " does not accept calls from " + account + " (" + condition + text
            + "); add the account to its roster, or to its option allow";
      case "remote-server-not-found", "remote-server-timeout" ->
        "the server of " + service + " is out of reach (" + condition + text + ")";
      default -> service + " has answered with the error " + condition + text;
    };
  }

  /** Returns the condition of an error (RFC 6120, section 8.3.3). */
  static String condition(@Nullable Element error) {
    if (error != null) {
      for (Element child : error.children()) {
        if (child.namespace().equals(Xml.STANZAS) && !child.name().equals("text")) {
          return child.name();
        }
      }
    }
    return "undefined-condition";
  }

  private static String text(@Nullable Element error) {
    Element text = error == null ? null : error.child("text", Xml.STANZAS);
    return text == null ? "" : ": " + text.text();
  }

  /**
   * Returns the reason why a request with this error was certainly not handled, without an address;
   * null if it may have been handled.
   *
   * @param wasThere whether the service was online when the request was sent: in this case a server
   *     may send this error because the service has gone offline since then
   */
  static @Nullable String unsent(String condition, boolean wasThere) {
    return switch (condition) {
      case "service-unavailable", "item-not-found" -> wasThere ? null : "no service listens";
      case "forbidden", "not-authorized", "not-allowed", "subscription-required" ->
        "the service does not accept calls from this account";
      case "remote-server-not-found" -> "the server of the service is out of reach";
      default -> null;
    };
  }
}
