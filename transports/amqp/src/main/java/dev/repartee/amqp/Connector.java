package dev.repartee.amqp;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.impl.FrameHandlerFactory;
import com.rabbitmq.client.impl.SocketFrameHandlerFactory;
import dev.repartee.broker.BrokerThread;
import dev.repartee.broker.Causes;
import dev.repartee.broker.ClientTls;
import dev.repartee.broker.PatientSocket;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.SameThread;
import dev.repartee.broker.TlsFaults;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Opens connections to one broker. Thread-safe. */
final class Connector {
  /** The time limit for ending a connection. */
  private static final int END_MILLIS = 1_000;

  private final Endpoint endpoint;
  private final AmqpAddress address;
  private final Limits limits;
  private final @Nullable SSLContext tls;
  private final ConnectionFactory factory;
  private final String name;

  /**
   * Creates a connector.
   *
   * @param role the purpose of the connections, for the management pages of the broker
   * @throws IOException if a file of the options cannot be used
   */
  Connector(Endpoint endpoint, AmqpAddress address, Limits limits, String role) throws IOException {
    this.endpoint = endpoint;
    this.address = address;
    this.limits = limits;
    this.name = "repartee " + role + " of " + address.queue();
    int millis =
        (int) Math.min(Integer.MAX_VALUE, Math.max(1, limits.connectTimeout().toMillis()));
    // A message above frameBytes must arrive to be answered. RabbitMQ accepts 128 MiB.
    int most = Math.max(64 << 20, limits.frameBytes());
    factory = new ConnectionFactory() {
      @Override
      protected FrameHandlerFactory createFrameHandlerFactory() {
        return new SocketFrameHandlerFactory(
            getConnectionTimeout(), getSocketFactory(), getSocketConfigurator(), isSSL()) {
          @Override
          public FrameHandler create(Socket socket) throws IOException {
            return new BoundedFrames(socket, limits.headerBytes(), most);
          }
        };
      }
    };
    factory.setHost(address.host());
    factory.setPort(address.port());
    factory.setUsername(address.user());
    factory.setPassword(address.password());
    factory.setVirtualHost(address.vhost());
    factory.setAutomaticRecoveryEnabled(false); // Reconnection reconnects, and settles the calls
    factory.setTopologyRecoveryEnabled(false);
    factory.setConnectionTimeout(millis);
    factory.setHandshakeTimeout(millis);
    factory.setChannelRpcTimeout(millis);
    long ping = limits.pingInterval().toSeconds(); // two missing heartbeats end a connection
    if (ping > 0) {
      factory.setRequestedHeartbeat((int) Math.min(60, ping));
    }
    factory.setThreadFactory(BrokerThread.factory("repartee-amqp"));
    factory.setSharedExecutor(new SameThread()); // the thread that reads the connection
    factory.setMaxInboundMessageBodySize(Math.min(Integer.MAX_VALUE - 1, most) + 1);
    tls = ClientTls.of(endpoint, address.isSecure());
    if (tls != null) {
      factory.useSslProtocol(tls);
      factory.enableHostnameVerification();
    }
  }

  /** Returns a connection that is opened again after each loss. */
  Reconnection<Connection> reconnection(Reconnection.User<Connection> user) {
    return new Reconnection<>(
        "repartee-amqp-reconnect", limits, this::connect, Connector::endSoon, user);
  }

  /**
   * Connects.
   *
   * @param ended receives the reason for the end of the connection
   * @throws IOException with the reason and the remedy
   */
  Connection connect(Consumer<IOException> ended) throws IOException {
    try {
      Connection connection = factory.newConnection(name);
      // Called immediately if the connection has already ended.
      connection.addShutdownListener(
          cause -> ended.accept(new IOException(Faults.reason(cause), cause)));
      return connection;
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw failed(e);
    }
  }

  private IOException failed(Exception e) {
    String where = "cannot connect to " + address.broker() + ": ";
    if (e instanceof AuthenticationFailureException) {
      return new IOException(
          where + "the broker refuses the user '" + address.user()
              + "' with this password; the user guest may connect from the broker's machine only",
          e);
    }
    ShutdownSignalException end = Faults.shutdown(e);
    if (end != null && end.getCause() instanceof MalformedFrameException) {
      return new IOException(
          where + "the answer is not AMQP; if this port uses AMQP under TLS, use the scheme amqps",
          e);
    }
    if (end != null) {
      return new IOException(
          where + Faults.reason(end) + "; does the virtual host '" + address.vhost()
              + "' exist, and may the user '" + address.user() + "' use it?",
          e);
    }
    if (e instanceof UnknownHostException) {
      return new IOException(where + "the host name is unknown", e);
    }
    if (e instanceof ConnectException || e instanceof SocketTimeoutException) {
      return new IOException(where + e.getMessage() + "; is the broker running there?", e);
    }
    if (e instanceof TimeoutException) {
      return new IOException(
          where + "no answer within the limit connectTimeout; does this port speak "
              + (address.isSecure() ? "AMQP under TLS?" : "AMQP without TLS?"),
          e);
    }
    String fault = tlsFault(e);
    return new IOException(where + (fault == null ? Causes.text(e) : fault), e);
  }

  private @Nullable String tlsFault(Exception e) {
    String fault = TlsFaults.text(e, endpoint);
    if (fault != null || tls == null) {
      return fault;
    }
    try {
      PatientSocket socket = new PatientSocket();
      socket.connect(
          new InetSocketAddress(address.host(), address.port()), factory.getConnectionTimeout());
      SSLException refusal = TlsFaults.refusal(tls, socket, address.host(), address.port());
      return refusal == null ? null : TlsFaults.text(refusal, endpoint);
    } catch (IOException unreachable) {
      return null;
    }
  }

  AmqpAddress address() {
    return address;
  }

  /**
   * Ends a connection within a second, even if the broker reads nothing. Does not wait; may be
   * called on any thread.
   */
  static void endSoon(Connection connection) {
    Thread abort = new Thread(() -> connection.abort(END_MILLIS / 2), "repartee-amqp-close");
    abort.setDaemon(true);
    abort.start();
    new BrokerThread(() -> cutAfter(abort, connection), "repartee-amqp-cut").start();
  }

  private static void cutAfter(Thread abort, Connection connection) {
    try {
      abort.join(END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (connection instanceof AMQConnection open
        && open.getFrameHandler() instanceof BoundedFrames frames) {
      frames.cut();
    }
  }
}
