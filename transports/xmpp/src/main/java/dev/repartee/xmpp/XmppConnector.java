package dev.repartee.xmpp;

import dev.repartee.broker.ClientTls;
import dev.repartee.broker.HostCheckingTls;
import dev.repartee.broker.PatientSocket;
import dev.repartee.broker.Reconnection;
import dev.repartee.internal.Clock;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jivesoftware.smack.ConnectionConfiguration.SecurityMode;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.XMPPException;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.jivesoftware.smack.xml.SmackXmlParser;
import org.jivesoftware.smack.xml.XmlPullParserException;
import org.jspecify.annotations.Nullable;
import org.jxmpp.jid.parts.Resourcepart;

/** Connects to an XMPP server, and logs in. Thread-safe. */
final class XmppConnector {
  static final String PASSWORD = "password-file";
  static final String SERVER = "server";
  static final String TLS = "tls";
  static final String STANZA = "stanza";

  /** The environment variable with the password of an endpoint without a file. */
  private static final String VARIABLE = "REPARTEE_XMPP_PASSWORD";

  /** The default limit of Prosody for a stanza from a client, in bytes. */
  private static final int DEFAULT_STANZA = 256 << 10;

  private static final int PORT = 5222;
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?");

  /**
   * The login mechanism. The server never sees the password, and must prove that it knows it. The
   * library's variant with channel binding does not support the binding types that servers offer.
   */
  private static final String LOGIN = "SCRAM-SHA-1";

  /**
   * The log of the library, which contains a stack trace for each lost connection. It is off unless
   * it is configured, since the listener is notified of the same failures.
   */
  private static final Logger LOG = Logger.getLogger("org.jivesoftware.smack");

  /**
   * Limits of the parser of the JDK. They are raised, because exceeding one ends the connection,
   * and any sender of a stanza could cause this. The server limits the size of a stanza, and
   * {@link Element} drops deep elements.
   */
  private static final String[] PARSER_LIMITS = {
    "jdk.xml.maxElementDepth", "jdk.xml.elementAttributeLimit", "jdk.xml.maxXMLNameLimit"
  };

  /** More than a stanza can have; 0 means no limit only on newer JDKs. */
  private static final String ENOUGH = "1000000000";

  static {
    if (LOG.getLevel() == null) {
      LOG.setLevel(Level.OFF);
    }
    makeParsers();
  }

  /** Makes the library create its parser factory, which reads the limits only at that moment. */
  private static void makeParsers() {
    List<String> added = new ArrayList<>();
    for (String limit : PARSER_LIMITS) {
      if (System.getProperty(limit) == null) {
        added.add(limit);
        System.setProperty(limit, ENOUGH);
      }
    }
    try {
      SmackXmlParser.newXmlParser(new StringReader("<a/>"));
    } catch (XmlPullParserException e) {
      throw new IllegalStateException("the JVM has no usable parser of XML", e);
    } finally {
      added.forEach(System::clearProperty);
    }
  }

  private final Endpoint endpoint;
  private final XmppAddress address;
  private final Limits limits;
  private final @Nullable Resourcepart resource;
  private final @Nullable SSLContext tls;
  private final String password;
  private final @Nullable String host;
  private final int port;
  private final int stanza;

  /**
   * Creates a connector.
   *
   * @param resource the resource of the connections; null if the server chooses it
   * @throws IllegalArgumentException if an option has an invalid value
   * @throws IOException if a file of the options cannot be used
   */
  XmppConnector(
      Endpoint endpoint, XmppAddress address, Limits limits, @Nullable Resourcepart resource)
      throws IOException {
    this.endpoint = endpoint;
    this.address = address;
    this.limits = limits;
    this.resource = resource;
    String server = endpoint.options().get(SERVER);
    Matcher parts = HOST.matcher(server == null ? "-" : server);
    if (!parts.matches()) {
      throw value(endpoint, SERVER, "HOST:PORT");
    }
    this.host = server == null ? null : parts.group(1).replaceAll("[\\[\\]]", "");
    this.port = parts.group(2) == null ? PORT : Integer.parseInt(parts.group(2));
    if (port == 0 || port > 0xFFFF) {
      throw value(endpoint, SERVER, "HOST:PORT");
    }
    this.stanza = stanza(endpoint);
    SSLContext context = ClientTls.of(endpoint, isSecure(endpoint));
    this.tls = context == null ? null : HostCheckingTls.of(context);
    this.password = password(endpoint);
  }

  private static int stanza(Endpoint endpoint) {
    String bytes = endpoint.option(STANZA, String.valueOf(DEFAULT_STANZA));
    if (!bytes.matches("[0-9]{5,9}")) {
      throw value(endpoint, STANZA, "BYTES, at least 10000");
    }
    return Integer.parseInt(bytes);
  }

  private boolean isSecure(Endpoint endpoint) {
    String mode = endpoint.option(TLS, "required");
    if (mode.equals("required")) {
      return true;
    }
    if (!mode.equals("off")) {
      throw value(endpoint, TLS, "required or off");
    }
    String to = host == null ? address.account().getDomain().toString() : host;
    try {
      if (InetAddress.getByName(to).isLoopbackAddress()) {
        return false;
      }
    } catch (UnknownHostException e) {
      // It is not this machine.
    }
    throw new IllegalArgumentException(
        "'" + endpoint.shown() + "' has tls=off, but " + to + " is another machine; leave it out");
  }

  private String password(Endpoint endpoint) throws IOException {
    String file = endpoint.options().get(PASSWORD);
    if (file != null) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException | InvalidPathException e) {
        throw new IOException(
            "cannot read the file '" + file + "' of the option " + PASSWORD + ": " + e, e);
      }
    }
    String given = System.getenv(VARIABLE);
    if (given == null) {
      throw new IllegalArgumentException("'" + endpoint.shown()
          + "' has no password; set a file with the option " + PASSWORD
          + ", or set the environment variable " + VARIABLE);
    }
    return given;
  }

  private static IllegalArgumentException value(Endpoint endpoint, String option, String form) {
    return new IllegalArgumentException("'" + endpoint.shown() + "' has " + option + "="
        + endpoint.option(option, "") + "; write " + option + "=" + form);
  }

  XmppAddress address() {
    return address;
  }

  /** Returns the maximum size of a stanza that is sent, in bytes. */
  int stanza() {
    return stanza;
  }

  /** Returns the server for messages. */
  String server() {
    return host == null
        ? "the server of " + address.account().getDomain()
        : (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Returns a session that is opened again after each loss. */
  Reconnection<Session> reconnection(SessionUser user) {
    return new Reconnection<>(
        "repartee-xmpp-reconnect", limits, ended -> connect(user, ended), Session::close, user);
  }

  /**
   * Connects and logs in. The session delivers nothing before {@link Session#begin}.
   *
   * @param ended receives the reason for the end of the connection, after all stanzas
   * @throws IOException with the reason and the remedy
   */
  Session connect(Session.Receiver receiver, Consumer<IOException> ended) throws IOException {
    Session session = new Session(
        configuration(), receiver, ended, limits.frameBytes() + stanza, TimeLimits.clock(limits));
    session.setReplyTimeout(Math.max(1, limits.connectTimeout().toMillis()));
    Clock.Timer deadline = TimeLimits.clock(limits)
        .schedule(
            limits.connectTimeout(),
            Threads.POOL,
            () -> session.giveUp(SmackException.NoResponseException.newWith(session, "the login")));
    try {
      session.connect();
      session.login();
      if (resource != null && !resource.equals(session.getUser().getResourcepart())) {
        throw new IOException("the address " + address.service() + " is taken, since the server"
            + " gives the resource " + session.getUser().getResourcepart()
            + "; choose another resource");
      }
      return session;
    } catch (InterruptedException e) {
      session.lose(new IOException("it was interrupted", e));
      Thread.currentThread().interrupt();
      throw new IOException("connecting to " + server() + " was interrupted", e);
    } catch (IOException | SmackException | XMPPException | RuntimeException e) {
      Exception reason = session.reason(e);
      session.lose(new IOException("it was never open", e));
      throw Faults.connecting(reason, server(), endpoint, address);
    } finally {
      deadline.cancel();
    }
  }

  private XMPPTCPConnectionConfiguration configuration() {
    XMPPTCPConnectionConfiguration.Builder builder = XMPPTCPConnectionConfiguration.builder()
        .setXmppDomain(address.account().asDomainBareJid())
        .setUsernameAndPassword(address.account().getLocalpart(), password)
        .setConnectTimeout(
            (int) Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis()))
        .setSendPresence(false)
        .setCompressionEnabled(false)
        .addEnabledSaslMechanism(LOGIN)
        .setPort(port);
    if (host != null) {
      builder.setHost((CharSequence) host);
    }
    if (resource != null) {
      builder.setResource(resource);
    }
    SSLContext context = tls;
    if (context == null) {
      builder.setSecurityMode(SecurityMode.disabled);
    } else {
      builder
          .setSecurityMode(SecurityMode.required)
          .setSocketFactory(PatientSocket.factory())
          .setSslContextFactory(() -> context)
          .setHostnameVerifier((name, with) -> true); // the handshake has checked the name
    }
    return builder.build();
  }
}
