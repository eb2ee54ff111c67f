package dev.repartee.ssh;

import dev.repartee.framing.Framing;
import dev.repartee.internal.BindFault;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PublicKey;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.compression.BuiltinCompressions;
import org.apache.sshd.common.global.KeepAliveHandler;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionHeartbeatController.HeartbeatType;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.server.command.Command;
import org.apache.sshd.server.forward.RejectAllForwardingFilter;
import org.apache.sshd.server.global.NoMoreSessionsHandler;
import org.apache.sshd.server.session.ServerSession;
import org.apache.sshd.server.subsystem.SubsystemFactory;

/**
 * A listening SSH server. It offers the subsystem {@code json-rpc}, and a command with the same
 * name, to the owners of authorized keys.
 *
 * <p>The library owns sockets and threads; {@link #close} therefore only unbinds the port, and the
 * library is closed when the last connection has ended.
 */
final class SshListening implements Transport.Listening, SessionListener {
  /** The number of connections that are not logged in; half of them from one address. */
  static final int UNAUTHENTICATED = 64;

  /** The number of channels of a connection. */
  private static final int CHANNELS = 16;

  /** The attempts to log in of a connection, as with OpenSSH. */
  private static final int ATTEMPTS = 6;

  /** The bytes that a client may send before they are read. */
  private static final long WINDOW = 256 << 10;

  private static final AttributeKey<SshKey> KEY = new AttributeKey<>();

  private final Limits limits;
  private final Transport.Acceptor acceptor;
  private final Framing framing;
  private final AuthorizedKeys authorized;
  private final Daemon daemon;

  /** The connections, and whether they are logged in. */
  private final Map<Session, Boolean> sessions = new ConcurrentHashMap<>();

  private final Set<ServedChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicInteger open = new AtomicInteger();
  private final LoginPlaces logins = new LoginPlaces(UNAUTHENTICATED);
  private final AtomicInteger authenticated = new AtomicInteger();
  private volatile Endpoint endpoint;
  private volatile boolean closed;

  /** The server of the library, with its socket. */
  private static final class Daemon extends SshServer {
    void unbind() {
      if (acceptor != null) {
        acceptor.unbind();
      }
    }
  }

  private SshListening(
      Endpoint endpoint,
      Limits limits,
      Transport.Acceptor acceptor,
      KeyPair hostKey,
      AuthorizedKeys authorized) {
    this.endpoint = endpoint;
    this.limits = limits;
    this.acceptor = acceptor;
    this.framing = endpoint.framing(Framing.AUTO);
    this.authorized = authorized;
    this.daemon = daemon(hostKey);
  }

  /** Binds the port and starts to accept. */
  static SshListening start(Endpoint endpoint, Limits limits, Transport.Acceptor acceptor)
      throws IOException {
    SshOptions.requireNone(
        endpoint,
        "client",
        Set.of(SshTransport.IDENTITY, SshTransport.KNOWN_HOSTS, SshTransport.ERRORS));
    SshAddress address = SshAddress.of(endpoint);
    if (address.user() != null || !address.command().isEmpty()) {
      throw new IllegalArgumentException(
          "a server of ssh: has neither a user nor a command; listen" + " on " + address);
    }
    Path hostKey = SshOptions.requiredFile(endpoint, SshTransport.HOST_KEY);
    AuthorizedKeys authorized =
        new AuthorizedKeys(SshOptions.requiredFile(endpoint, SshTransport.AUTHORIZED));
    authorized.check();
    if (SshOptions.isSet(endpoint, SshTransport.CREATE_HOST_KEY, "true")) {
      PrivateKeys.create(hostKey);
    }
    SshListening listening =
        new SshListening(endpoint, limits, acceptor, PrivateKeys.read(hostKey), authorized);
    listening.bind(address);
    return listening;
  }

  private void bind(SshAddress address) throws IOException {
    InetAddress host = null;
    try {
      host = InetAddress.getByName(address.host());
      daemon.setHost(host.getHostAddress());
      daemon.setPort(address.port());
      daemon.start();
    } catch (UnknownHostException e) {
      daemon.close(true);
      throw new IOException(
          "no address is known for the host '" + address.host() + "' of " + address
              + "; check its spelling",
          e);
    } catch (IOException e) {
      daemon.close(true);
      throw new IOException(
          "cannot listen on " + address + ": " + RemoteCommand.cause(e) + "; "
              + BindFault.remedy(host),
          e);
    }
    SshAddress bound = new SshAddress(null, address.host(), daemon.getPort(), "");
    endpoint = endpoint.at("//" + bound.name());
  }

  private Daemon daemon(KeyPair hostKey) {
    Daemon server = (Daemon) ServerBuilder.builder().factory(Daemon::new).build(true);
    Algorithms.configure(server);
    server.setSessionFactory(Sessions.ofServer(server));
    server.setSignatureFactories(Algorithms.signatures(server));
    server.setKeyPairProvider(KeyPairProvider.wrap(hostKey));
    server.setUserAuthFactories(List.of(UserAuthPublicKeyFactory.INSTANCE));
    server.setPublickeyAuthenticator((user, key, session) -> isAuthorized(user, key, session));
    server.setCompressionFactories(List.of(BuiltinCompressions.none));
    server.setChannelFactories(List.of(new ServedChannels()));
    server.setGlobalRequestHandlers(
        List.of(KeepAliveHandler.INSTANCE, NoMoreSessionsHandler.INSTANCE));
    server.setForwardingFilter(RejectAllForwardingFilter.INSTANCE);
    server.setShellFactory(null);
    server.setCommandFactory((session, command) -> {
      if (!command.equals(SshTransport.SUBSYSTEM)) {
        throw new IOException("this server runs no commands");
      }
      return command(session.getSession());
    });
    server.setSubsystemFactories(List.of(new Subsystem()));
    CoreModuleProperties.AUTH_TIMEOUT.set(server, limits.firstByteTimeout());
    CoreModuleProperties.MAX_AUTH_REQUESTS.set(server, ATTEMPTS);
    CoreModuleProperties.MAX_CONCURRENT_CHANNELS.set(server, CHANNELS);
    CoreModuleProperties.WINDOW_SIZE.set(server, WINDOW);
    server.setSessionHeartbeat(HeartbeatType.IGNORE, limits.pingInterval());
    server.addSessionListener(this);
    return server;
  }

  private final class Subsystem implements SubsystemFactory {
    @Override
    public String getName() {
      return SshTransport.SUBSYSTEM;
    }

    @Override
    public Command createSubsystem(org.apache.sshd.server.channel.ChannelSession channel)
        throws IOException {
      return command(channel.getSession());
    }
  }

  private boolean isAuthorized(String user, PublicKey key, ServerSession session) {
    try {
      String comment = authorized.comment(key);
      if (comment == null) {
        return false;
      }
      // The last key that is looked up before a login is the key that has signed it.
      session.setAttribute(KEY, new SshKey(KnownHosts.fingerprint(key), comment, user));
      return true;
    } catch (IOException e) {
      refuse(session, String.valueOf(e.getMessage()));
      return false;
    }
  }

  private Command command(ServerSession session) throws IOException {
    if (closed) {
      throw new IOException("this server accepts no more channels");
    }
    if (open.incrementAndGet() > limits.connections()) {
      open.decrementAndGet();
      String reason = "there are " + limits.connections() + " channels, the limit connections";
      refuse(session, reason);
      throw new IOException(reason);
    }
    ServedChannel served = new ServedChannel(this, session);
    channels.add(served);
    return served;
  }

  /** Passes a channel with its streams to the acceptor. */
  void accept(ServedChannel served, Channel streams, ServerSession session) {
    SshKey key = session.getAttribute(KEY);
    Attributes attributes = Attributes.NONE;
    if (key != null) {
      attributes = attributes.with(SshKey.ATTRIBUTE, key);
    }
    if (session.getClientAddress() instanceof InetSocketAddress remote) {
      attributes = attributes.with(Channel.REMOTE_ADDRESS, remote);
    }
    SshChannel channel = new SshChannel(streams, name(session), attributes, served);
    served.channel = channel;
    try {
      acceptor.accept(channel);
    } catch (RuntimeException | Error e) {
      channel.abort(e);
      ended(served, session);
    }
  }

  /** Called when a channel has ended; a second call has no effect. */
  void ended(ServedChannel served, ServerSession session) {
    if (channels.remove(served)) {
      open.decrementAndGet();
    }
    if (closed) {
      closeUnused(session);
    }
  }

  Framing framing() {
    return framing;
  }

  Limits limits() {
    return limits;
  }

  private void refuse(Session session, String reason) {
    acceptor.refused(new ChannelInfo("ssh", name(session), ""), reason);
  }

  private static String name(Session session) {
    return session.getIoSession().getRemoteAddress() instanceof InetSocketAddress remote
        ? new SshAddress(null, remote.getAddress().getHostAddress(), remote.getPort(), "").name()
        : "";
  }

  // ---------------------------------------------------------------- connections

  @Override
  public void sessionCreated(Session session) {
    sessions.put(session, false);
    // Not in sessionClosed(), which the library calls before it has written the queued packets.
    session.addCloseFutureListener(ended -> left(session));
    for (Session replaced : logins.add(session)) {
      refuse(
          replaced,
          UNAUTHENTICATED + " connections are not logged in, or half of them from"
              + " this address; the oldest one is ended");
      replaced.close(true);
    }
    if (closed) {
      session.close(true);
    }
  }

  @Override
  public void sessionEvent(Session session, Event event) {
    if (event == Event.Authenticated && sessions.replace(session, false, true)) {
      logins.remove(session);
      if (authenticated.incrementAndGet() > limits.connections()) {
        refuse(session, "there are " + limits.connections() + " connections, the limit");
        session.close(true);
      }
    }
  }

  private void left(Session session) {
    Boolean loggedIn = sessions.remove(session);
    logins.remove(session);
    if (loggedIn != null && loggedIn) {
      authenticated.decrementAndGet();
    }
    stopIfUnused();
  }

  // ---------------------------------------------------------------- the end

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public OptionalInt port() {
    return OptionalInt.of(SshAddress.of(endpoint).port());
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      daemon.unbind(); // first: then the last session closes the library
      closed = true;
      sessions.keySet().forEach(this::closeUnused);
      stopIfUnused();
    }
  }

  private void closeUnused(Session session) {
    if (channels.stream().noneMatch(channel -> channel.session() == session)) {
      session.close(false);
    }
  }

  private void stopIfUnused() {
    if (closed && sessions.isEmpty()) {
      daemon.close(true);
    }
  }
}
