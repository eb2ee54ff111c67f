package dev.repartee.nats;

import dev.repartee.broker.BrokerThread;
import dev.repartee.broker.Causes;
import dev.repartee.broker.ClientTls;
import dev.repartee.broker.HostCheckingTls;
import dev.repartee.broker.PatientSocket;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.SameThread;
import dev.repartee.broker.TlsFaults;
import dev.repartee.internal.Clock;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.Endpoint;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener.Events;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one server or cluster. Thread-safe.
 *
 * <p>Automatic reconnection of the client library is disabled: the library would send the messages
 * in its queue over the next connection, although the calls have failed. {@link Reconnection}
 * reconnects instead.
 */
final class NatsConnector {
  /** Threads that read, write and deliver. Idle ones end after a minute. */
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(BrokerThread.factory("repartee-nats"));

  /**
   * Sends the pings of all connections, and the signs of {@link StoredRequest}. It is a timer of the
   * system, not a {@link Clock}: the server waits for them in real time.
   */
  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(1, BrokerThread.factory("repartee-nats-timer"));

  static {
    TIMER.setRemoveOnCancelPolicy(true);
  }

  /**
   * The interval of the pings. A server that answers no ping within twice this time counts as lost.
   */
  private static final Duration PING = Duration.ofSeconds(20);

  /** The time limit for sending the last messages to the server. */
  private static final Duration FLUSH = Duration.ofSeconds(1);

  /** The beginning of an error that does not end the connection. */
  static final String NO_PERMISSION = "Permissions Violation for ";

  /** The maximum size of the first line from a server, in bytes. */
  private static final int LONGEST_INFO = 1 << 16;

  private final Endpoint endpoint;
  private final NatsAddress address;
  private final Limits limits;
  private final String name;
  private final @Nullable SSLContext tls;
  private final Credentials credentials;

  /** The servers that the cluster has announced, and the servers in the address. */
  private volatile List<String> servers;

  /** The receiver of the events of a connection. Called on any thread; must not block. */
  interface Listener {
    /** Reports an error that the server has sent, such as a missing permission. */
    void refused(Connection connection, String error);

    /** Reports that messages were dropped, because they were not consumed in time. */
    void dropped(Connection connection, io.nats.client.Consumer consumer);
  }

  /** Collects the reasons for the end of one connection. */
  private static final class Watch implements ErrorListener {
    private final Listener listener;
    private final Consumer<IOException> end;

    // Guarded by this.
    private @Nullable Exception fault;
    private @Nullable String error;
    private boolean begun;
    private boolean ended;

    Watch(Listener listener, Consumer<IOException> end) {
      this.listener = listener;
      this.end = end;
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception e) {
      synchronized (this) {
        if (fault == null) {
          fault = e;
        }
      }
    }

    @Override
    public void errorOccurred(Connection connection, String text) {
      if (!text.startsWith(NO_PERMISSION)) { // which does not end the connection
        boolean connecting;
        synchronized (this) {
          error = text;
          connecting = !begun;
        }
        if (connecting) {
          end(connection); // the library would wait for an answer until its time-out
        }
      }
      listener.refused(connection, text);
    }

    @Override
    public void slowConsumerDetected(Connection connection, io.nats.client.Consumer consumer) {
      listener.dropped(connection, consumer);
    }

    void happened(Connection connection, Events event) {
      if (event == Events.DISCONNECTED || event == Events.CLOSED) {
        synchronized (this) {
          ended = true;
        }
        tell();
      }
    }

    /** Starts to report the end of the connection, even if it has already ended. */
    void begin() {
      synchronized (this) {
        begun = true;
        if (!ended) {
          return;
        }
      }
      tell();
    }

    private void tell() {
      synchronized (this) {
        if (!begun) {
          return;
        }
      }
      end.accept(cause());
    }

    private synchronized IOException cause() {
      if (error != null) {
        return new IOException("the server says '" + error + "'", fault);
      }
      return new IOException(fault == null ? "the server has ended it" : Causes.text(fault), fault);
    }

    synchronized @Nullable Exception fault() {
      return fault;
    }

    synchronized @Nullable String error() {
      return error;
    }
  }

  /**
   * Creates a connector.
   *
   * @param role the purpose of the connections, for the monitoring pages of the server
   * @throws IOException if a file of the options cannot be used
   */
  NatsConnector(Endpoint endpoint, NatsAddress address, Limits limits, String role)
      throws IOException {
    this.endpoint = endpoint;
    this.address = address;
    this.limits = limits;
    this.name = "repartee " + role + " of " + address.subject();
    this.servers = address.servers();
    SSLContext context = ClientTls.of(endpoint, address.isSecure());
    this.tls = context == null ? null : HostCheckingTls.of(context);
    this.credentials = Credentials.of(endpoint, address);
  }

  NatsAddress address() {
    return address;
  }

  Clock clock() {
    return TimeLimits.clock(limits);
  }

  /** Runs a task that may block on a thread that delivers. */
  static void run(Runnable task) {
    THREADS.execute(task);
  }

  /** Runs a task that must not block repeatedly, until the future is cancelled. */
  static Future<?> runEvery(long millis, Runnable task) {
    return TIMER.scheduleAtFixedRate(task, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Returns a connection that is opened again after each loss. */
  <U extends Reconnection.User<Connection> & Listener> Reconnection<Connection> reconnection(
      U user) {
    return new Reconnection<>(
        "repartee-nats-reconnect", limits, ended -> connect(user, ended), NatsConnector::end, user);
  }

  /**
   * Connects.
   *
   * @param ended receives the reason for the end of the connection
   * @throws IOException with the reason and the remedy
   */
  Connection connect(Listener listener, Consumer<IOException> ended) throws IOException {
    Watch watch = new Watch(listener, ended);
    try {
      Connection connection = Nats.connect(options(watch));
      if (connection.getStatus() != Connection.Status.CONNECTED) {
        throw new IOException("the server has ended the connection");
      }
      watch.begin();
      List<String> known = new ArrayList<>(address.servers());
      for (String each : connection.getServers()) {
        String server = each.replaceFirst("^[a-z]+://", "");
        if (!known.contains(server)) {
          known.add(server);
        }
      }
      servers = known;
      return connection;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("connecting to " + address.broker() + " was interrupted", e);
    } catch (IOException | RuntimeException e) {
      throw failed(e, watch.fault(), watch.error());
    }
  }

  private Options options(Watch watch) throws IOException {
    Options.Builder options = Options.builder()
        .servers(servers.stream().map(each -> "nats://" + each).toArray(String[]::new))
        .connectionName(name)
        .connectionTimeout(limits.connectTimeout())
        .pingInterval(PING)
        .noReconnect()
        .hostnameResolveMode(
            Options.HostnameResolveMode.HappyEyeballs) // keeps the name, which TLS checks
        .clientSideLimitChecks(true)
        .maxMessagesInOutgoingQueue(Publisher.MESSAGES)
        .executor(THREADS)
        .connectExecutor(THREADS)
        .callbackExecutor(new SameThread()) // the cause of an event is reported before the event
        .scheduledExecutor(TIMER)
        .errorListener(watch)
        .connectionListener((connection, event) -> watch.happened(connection, event));
    if (tls != null) {
      options.sslContext(tls);
    }
    String user = credentials.user();
    String password = credentials.password();
    if (credentials.key() != null) {
      options.authHandler(credentials.key());
    } else if (user != null && password != null) {
      options.userInfo(user, password);
    } else if (user != null) {
      options.token(user.toCharArray());
    }
    return options.build();
  }

  private IOException failed(Exception e, @Nullable Exception fault, @Nullable String error) {
    String where = "cannot connect to " + address.broker() + ": ";
    Throwable cause = fault == null ? e : Causes.innermost(fault);
    if (error != null && error.contains("Authorization Violation")) {
      return new IOException(
          where + "the server refuses these credentials: USER:PASSWORD@, TOKEN@, or the options"
              + " password-file, token-file, creds and nkey give others",
          e);
    }
    if (error != null) {
      return new IOException(where + "the server says '" + error + "'", e);
    }
    if (cause instanceof UnknownHostException) {
      return new IOException(where + "the host name is unknown", e);
    }
    if (cause instanceof ConnectException || cause instanceof SocketTimeoutException) {
      return new IOException(where + Causes.text(cause) + "; is the server running there?", e);
    }
    String tlsFault = tlsFault(fault == null ? e : fault);
    if (tlsFault != null) {
      return new IOException(where + tlsFault, e);
    }
    if (cause instanceof TimeoutException) {
      return new IOException(
          where + "no answer within the limit connectTimeout; does this port speak "
              + (address.isSecure() ? "NATS under TLS?" : "NATS without TLS?"),
          e);
    }
    if ("SSL required by server.".equals(cause.getMessage())) {
      return new IOException(
          where + "the server demands TLS; use the scheme " + NatsAddress.SECURE, e);
    }
    if ("SSL connection wanted by client.".equals(cause.getMessage())) {
      return new IOException(where + "the server offers no TLS; use the scheme nats", e);
    }
    return new IOException(where + Causes.text(cause), e);
  }

  private @Nullable String tlsFault(Exception e) {
    String fault = TlsFaults.text(e, endpoint);
    if (fault != null || tls == null) {
      return fault;
    }
    String server = servers.get(0);
    int colon = server.lastIndexOf(':');
    String host = server.substring(0, colon).replaceAll("[\\[\\]]", "");
    int port = Integer.parseInt(server.substring(colon + 1));
    try (PatientSocket socket = new PatientSocket()) {
      int millis = (int) Math.min(Integer.MAX_VALUE, limits.connectTimeout().toMillis());
      socket.connect(new InetSocketAddress(host, port), millis);
      socket.setSoTimeout(millis);
      int next = socket.getInputStream().read();
      for (int i = 0; next >= 0 && next != '\n' && i < LONGEST_INFO; i++) {
        next = socket.getInputStream().read(); // TLS begins after the first line
      }
      SSLException refusal = TlsFaults.refusal(tls, socket, host, port);
      return refusal == null ? null : TlsFaults.text(refusal, endpoint);
    } catch (IOException unreachable) {
      return null;
    }
  }

  /** Sends the queued messages and ends a connection, on a separate thread. */
  static void end(Connection connection) {
    THREADS.execute(() -> {
      try {
        if (connection.getStatus() == Connection.Status.CONNECTED) {
          connection.flush(FLUSH);
        }
      } catch (InterruptedException | TimeoutException | RuntimeException e) {
        // The server reads nothing: do not wait.
      }
      try {
        connection.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
  }
}
