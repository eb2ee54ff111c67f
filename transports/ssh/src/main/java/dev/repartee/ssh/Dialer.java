package dev.repartee.ssh;

import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.client.channel.AbstractClientChannel;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ChannelSubsystem;
import org.apache.sshd.client.channel.ClientChannel;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.SshException;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.common.session.ConnectionService;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.forward.RejectAllForwardingFilter;
import org.jspecify.annotations.Nullable;

/** Connects to one endpoint. Used by one thread, apart from the check of the host key. */
final class Dialer {
  /** The variable with the socket of the SSH agent. */
  private static final String AGENT = "SSH_AUTH_SOCK";

  /** The number of unanswered keep-alive messages after which a connection ends. */
  private static final int MISSING_ANSWERS = 2;

  private final Endpoint endpoint;
  private final Limits limits;
  private final SshAddress address;
  private final Framing framing;
  private final KnownHosts knownHosts;
  private final List<KeyPair> keys;
  private final @Nullable Path agent;
  private final long deadline;

  /** The reason why the key of the host was refused. */
  private volatile @Nullable String refusal;

  Dialer(Endpoint endpoint, Limits limits) throws IOException {
    this(endpoint, limits, Path.of(System.getProperty("user.home")), System.getenv(AGENT));
  }

  /**
   * Reads the files of keys.
   *
   * @param home the folder that has the folder {@code .ssh}
   * @param agent the socket of the SSH agent; null or empty if there is none
   */
  Dialer(Endpoint endpoint, Limits limits, Path home, @Nullable String agent) throws IOException {
    SshOptions.requireNone(
        endpoint,
        "server",
        Set.of(SshTransport.HOST_KEY, SshTransport.CREATE_HOST_KEY, SshTransport.AUTHORIZED));
    this.endpoint = endpoint;
    this.limits = limits;
    this.address = SshAddress.of(endpoint);
    this.framing = endpoint.framing(Framing.LINES);
    Path known = SshOptions.file(endpoint, SshTransport.KNOWN_HOSTS);
    this.knownHosts = new KnownHosts(
        address,
        known == null
            ? List.of(home.resolve(".ssh/known_hosts"), Path.of("/etc/ssh/ssh_known_hosts"))
            : List.of(known));
    Path identity = SshOptions.file(endpoint, SshTransport.IDENTITY);
    this.keys = identity == null ? PrivateKeys.usual(home) : List.of(PrivateKeys.read(identity));
    this.agent = identity != null || agent == null || agent.isEmpty() ? null : Path.of(agent);
    this.deadline = System.nanoTime() + limits.connectTimeout().toNanos();
  }

  Channel connect() throws IOException {
    boolean discard = SshOptions.isSet(endpoint, SshTransport.ERRORS, "discard");
    ErrorLines errors = new ErrorLines(line -> {
      if (!discard) {
        System.err.println(line);
      }
    });
    SshClient client = client();
    try {
      RemoteCommand command =
          new RemoteCommand(client, open(session(client), errors), errors, address.name());
      Channel streams = Channel.over(command.input(), command.output(), framing, limits);
      return new SshChannel(streams, address.name(), Attributes.NONE, command);
    } catch (IOException | RuntimeException e) {
      client.close(true);
      throw e;
    }
  }

  private SshClient client() {
    SshClient client = SshClient.setUpDefaultClient();
    client.setSessionFactory(Sessions.ofClient(client));
    client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
    client.setSignatureFactories(knownHosts.sorted(Algorithms.signatures(client)));
    client.setServerKeyVerifier((session, remote, key) -> {
      refusal = knownHosts.refusal(key);
      return refusal == null;
    });
    client.setUserAuthFactories(List.of(UserAuthPublicKeyFactory.INSTANCE));
    client.setKeyIdentityProvider(KeyIdentityProvider.wrapKeyPairs(keys));
    if (agent != null) {
      client.setAgentFactory(new AgentFactory(agent));
    }
    client.setForwardingFilter(RejectAllForwardingFilter.INSTANCE);
    Algorithms.configure(client);
    CoreModuleProperties.AUTH_TIMEOUT.set(client, limits.connectTimeout());
    CoreModuleProperties.REQUEST_EXEC_REPLY.set(client, true);
    CoreModuleProperties.HEARTBEAT_INTERVAL.set(client, limits.pingInterval());
    CoreModuleProperties.HEARTBEAT_NO_REPLY_MAX.set(client, MISSING_ANSWERS);
    client.start();
    return client;
  }

  /** Connects to the first address that answers, and logs in. */
  private ClientSession session(SshClient client) throws IOException {
    InetAddress[] candidates = resolve();
    IOException last = null;
    for (int i = 0; i < candidates.length; i++) {
      // Each address gets an equal share of the remaining time, as over TCP.
      Duration share = left().dividedBy(candidates.length - i);
      try {
        // Omits the host name, which the library would look up again.
        InetAddress bare = InetAddress.getByAddress(candidates[i].getAddress());
        ClientSession session = client
            .connect(user(), new InetSocketAddress(bare, address.port()))
            .verify(share)
            .getSession();
        logIn(session);
        return session;
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        last = failed(e);
      }
    }
    throw Objects.requireNonNullElseGet(last, () -> new IOException("no address"));
  }

  /**
   * The host was reached, but is not trusted or has refused the login; no other address is tried.
   */
  private static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  private String user() {
    String user = address.user();
    return user == null ? System.getProperty("user.name") : user;
  }

  private InetAddress[] resolve() throws IOException {
    try {
      return InetAddress.getAllByName(address.host());
    } catch (UnknownHostException e) {
      throw new IOException(
          "no address is known for the host '" + address.host() + "' of " + address
              + "; check its spelling",
          e);
    }
  }

  private void logIn(ClientSession session) throws IOException {
    try {
      session.auth().verify(left());
    } catch (IOException e) {
      String reason = refusal;
      if (reason != null) {
        throw new RefusedException("cannot connect to " + address + ": " + reason);
      }
      if (isRefusal(e)) {
        throw new RefusedException("cannot connect to " + address + ": the server accepts none of "
            + offered() + "; add the public key to the file authorized_keys of the user there, or"
            + " name another key by the option identity");
      }
      throw e;
    }
  }

  /** Returns whether the server has refused all keys. */
  private static boolean isRefusal(IOException failure) {
    return failure instanceof SshException refused
        && (refused.getDisconnectCode()
                == SshConstants.SSH2_DISCONNECT_NO_MORE_AUTH_METHODS_AVAILABLE
            || String.valueOf(RemoteCommand.cause(failure)).contains("authentication failures"));
  }

  private String offered() {
    if (agent == null) {
      return switch (keys.size()) {
        case 0 ->
          "the keys: none was offered, since there is neither an SSH agent nor a private"
              + " key in ~/.ssh (ssh-keygen -t ed25519 creates one)";
        case 1 -> "the keys: one was offered";
        default -> "the keys: " + keys.size() + " were offered";
      };
    }
    return "the keys: those of the SSH agent and " + keys.size() + " of files were offered";
  }

  private IOException failed(IOException e) {
    if (e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException)) {
      Thread.currentThread().interrupt();
      return new IOException(
          "cannot connect to " + address + ": the waiting thread was interrupted", e);
    }
    if (left().compareTo(Duration.ofMillis(1)) <= 0 || e instanceof SocketTimeoutException) {
      return new IOException(
          "cannot connect to " + address + ": no answer within "
              + limits.connectTimeout().toMillis() + " ms; is an SSH server listening there?",
          e);
    }
    return new IOException(
        "cannot connect to " + address + ": " + RemoteCommand.cause(e)
            + "; is an SSH server listening there?",
        e);
  }

  private ClientChannel open(ClientSession session, ErrorLines errors) throws IOException {
    boolean subsystem = address.command().isEmpty();
    CompletableFuture<Boolean> started = new CompletableFuture<>();
    AbstractClientChannel channel =
        subsystem ? subsystem(started) : command(address.command(), started);
    try {
      session.getService(ConnectionService.class).registerChannel(channel);
    } catch (IllegalStateException e) { // the library refuses a channel of an ended connection
      throw new IOException(
          "the SSH server at " + address.name() + " has ended the connection after the login; it"
              + " may have as many connections as it takes",
          e);
    }
    channel.setErr(errors);
    channel.addCloseFutureListener(closed -> started.complete(false));
    channel.open().verify(left());
    if (!answer(started)) {
      throw new IOException(
          subsystem
              ? "the SSH server at " + address.name() + " has no subsystem "
                  + SshTransport.SUBSYSTEM + "; name a command: " + address + "/COMMAND"
              : "the SSH server at " + address.name() + " does not run the command; it may permit"
                  + " this key other commands only");
    }
    return channel;
  }

  private boolean answer(CompletableFuture<Boolean> started) throws IOException {
    try {
      return started.get(left().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(
          "cannot connect to " + address + ": the waiting thread was interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "cannot connect to " + address + ": the command was not started within "
              + limits.connectTimeout().toMillis() + " ms",
          e);
    }
  }

  private static AbstractClientChannel subsystem(CompletableFuture<Boolean> started) {
    return new ChannelSubsystem(SshTransport.SUBSYSTEM) {
      @Override
      public void handleSuccess() throws IOException {
        super.handleSuccess();
        started.complete(true);
      }
    };
  }

  private static AbstractClientChannel command(String command, CompletableFuture<Boolean> started) {
    return new ChannelExec(command, null, null) {
      @Override
      public void handleSuccess() throws IOException {
        super.handleSuccess();
        started.complete(true);
      }
    };
  }

  /** Returns the time until the deadline, at least a millisecond. */
  private Duration left() {
    return Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime()));
  }
}
