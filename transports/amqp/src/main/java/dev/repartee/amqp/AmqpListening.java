package dev.repartee.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import dev.repartee.broker.BrokerUri;
import dev.repartee.broker.Causes;
import dev.repartee.broker.ClosingTime;
import dev.repartee.broker.EventChannel;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Worker;
import dev.repartee.internal.Clock;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.message.RpcError;
import dev.repartee.reconnect.Outage;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a service: receives messages from the request queue, and connects again after a loss.
 *
 * <p>The thread that reads the connection serves the messages and never blocks. The outbox writes
 * everything. The broker delivers at most prefetch unacknowledged messages.
 */
final class AmqpListening implements Transport.Listening, Reconnection.User<Connection> {
  /** The time to wait until the broker confirms a message that is moved to another queue. */
  private static final long CONFIRM_MILLIS = 5_000;

  /** The time to wait until the broker ends the delivery of messages. */
  private static final Duration STOP = Duration.ofSeconds(1);

  private final Endpoint endpoint;
  private final AmqpAddress address;
  private final Topology topology;
  private final Transport.Acceptor acceptor;
  private final ChannelInfo info;
  private final Outage outage;
  private final Limits limits;
  private final int prefetch;
  private final int length;
  private final boolean hasOwnAccount;
  private final Worker worker;
  private final Outbox outbox;
  private final FirstReplies firsts;

  /** Sends the replies to clients with unknown names, and settles their messages. */
  private final Outbox newcomers;

  private final Reconnection<Connection> connection;

  private volatile @Nullable Session session;

  /** The end of this worker; null before {@link #finish}. Guarded by this. */
  private @Nullable CompletableFuture<@Nullable Void> end;

  /** The channels of one connection. */
  private final class Session {
    final Connection connection;

    /** Receives messages, and sends replies and events. */
    final Channel channel;

    final String control;

    /** The consumer of the request queue. */
    private String tag = "";

    private final CompletableFuture<@Nullable Void> cancelled = new CompletableFuture<>();

    /** Moves messages to other queues; opened on first use. Guarded by this. */
    private @Nullable Channel moving;

    Session(Connection connection) throws IOException {
      this.connection = connection;
      this.channel = Topology.channel(connection);
      this.control = Topology.own(channel, Names.control(address.queue()));
    }

    void open() throws IOException {
      reportAlarms(connection);
      channel.addReturnListener(returned -> acceptor.refused(
          info,
          "a reply without a recipient: there is no queue '" + returned.getRoutingKey() + "'"));
      channel.addShutdownListener(cause -> {
        cancelled.complete(null);
        if (!cause.isHardError() && !cause.isInitiatedByApplication()) {
          acceptor.refused(
              info, "the broker has closed the channel of the worker: " + Faults.reason(cause));
          Connector.endSoon(connection); // a new connection sets up everything again
        }
      });
      channel.basicQos(prefetch);
      channel.basicConsume(control, true, new DefaultConsumer(channel) {
        @Override
        public void handleDelivery(
            String tag, Envelope envelope, BasicProperties properties, byte[] body) {
          controlled(properties);
        }
      });
      if (isClosing()) {
        return; // a worker that closes accepts no more messages
      }
      tag = channel.basicConsume(address.queue(), false, new DefaultConsumer(channel) {
        @Override
        public void handleDelivery(
            String tag, Envelope envelope, BasicProperties properties, byte[] body) {
          serve(new AmqpDelivery(AmqpListening.this, channel, control, envelope, properties, body));
        }

        @Override
        public void handleCancel(String tag) {
          acceptor.refused(info, "the queue '" + address.queue() + "' was deleted");
          Connector.endSoon(connection); // a new connection declares it again
        }

        @Override
        public void handleCancelOk(String tag) {
          cancelled.complete(null);
        }
      });
    }

    private void controlled(BasicProperties properties) {
      String key = properties.getCorrelationId();
      if (key != null && Names.CANCEL.equals(properties.getType())) {
        worker.cancel(key);
      } else if (key != null && Names.GRANT.equals(properties.getType())) {
        worker.grant(key, Names.number(properties, Names.BYTES));
      }
    }

    /** Stops receiving messages; the stage completes when the messages in transit have arrived. */
    CompletionStage<?> stop() {
      outbox.add(0, () -> channel.basicCancel(tag));
      return cancelled;
    }

    /** Publishes a message to a queue; returns whether the broker has taken it. */
    synchronized boolean moves(String queue, BasicProperties properties, byte[] body)
        throws IOException, InterruptedException, TimeoutException {
      Channel open = moving;
      if (open == null || !open.isOpen()) {
        open = Topology.channel(connection);
        open.confirmSelect();
        moving = open;
      }
      open.basicPublish("", queue, properties, body);
      return open.waitForConfirms(CONFIRM_MILLIS);
    }
  }

  /**
   * Creates a worker that is not connected yet.
   *
   * @param prefetch the maximum number of messages that run at the same time
   * @param length the maximum number of messages that wait in the queue if this worker declares it
   * @param hasOwnAccount whether only workers of this queue have the account of this worker
   */
  AmqpListening(
      Endpoint endpoint,
      Connector connector,
      Limits limits,
      Transport.Acceptor acceptor,
      int prefetch,
      int length,
      boolean hasOwnAccount) {
    this.endpoint = endpoint;
    this.address = connector.address();
    this.topology = new Topology(address);
    this.acceptor = acceptor;
    this.limits = limits;
    this.prefetch = prefetch;
    this.length = length;
    this.hasOwnAccount = hasOwnAccount;
    this.info = new ChannelInfo(endpoint.scheme(), address.name(), "message");
    this.outage = new Outage("the broker", line -> acceptor.refused(info, line));
    this.worker = new Worker(acceptor.responder(), info, limits);
    this.outbox = new Outbox("repartee-amqp-worker", limits.outboundBytes(), this::failed);
    this.firsts = new FirstReplies(connector, this::reportAlarms);
    this.newcomers = new Outbox("repartee-amqp-newcomers", limits.outboundBytes(), this::failed);
    this.connection = connector.reconnection(this);
  }

  /** Connects, and starts to receive messages. */
  AmqpListening open() throws IOException {
    try {
      connection.open();
    } catch (IOException | RuntimeException e) {
      newcomers.close(() -> {});
      outbox.close(() -> {});
      throw e;
    }
    if (acceptor.takesConnections()) {
      acceptor.accept(new EventChannel(info, limits, outbox, this::publish));
    }
    return this;
  }

  AmqpAddress address() {
    return address;
  }

  boolean hasOwnAccount() {
    return hasOwnAccount;
  }

  Clock clock() {
    return TimeLimits.clock(limits);
  }

  Outbox outbox() {
    return outbox;
  }

  Outbox newcomers() {
    return newcomers;
  }

  FirstReplies firsts() {
    return firsts;
  }

  private void publish(String method, byte[] body) throws IOException {
    Session now = session;
    if (now == null) {
      throw new IOException("an event was lost, because " + address.name() + " is unreachable");
    }
    now.channel.basicPublish(
        Names.EXCHANGE,
        Names.event(address.queue(), method),
        Names.json().deliveryMode(1).build(),
        body);
  }

  /** Publishes a message to a queue; returns whether the broker has taken it. */
  boolean moves(String queue, BasicProperties properties, byte[] body)
      throws IOException, InterruptedException, TimeoutException {
    Session now = session;
    if (now == null) {
      throw new IOException("the connection was lost"); // the message is delivered again
    }
    return now.moves(queue, properties, body);
  }

  /** Answers a message that cannot be returned to the queue, and makes it a dead letter. */
  void refuse(AmqpDelivery delivery, String reason) {
    worker.bury(delivery, RpcError.OUTCOME_UNKNOWN, reason);
  }

  void report(String what) {
    acceptor.refused(info, what);
  }

  private void reportAlarms(Connection connection) {
    connection.addBlockedListener(
        reason -> report(Faults.alarm(address, reason) + "; answers wait"), () -> {});
  }

  private void serve(AmqpDelivery delivery) {
    long dropped = delivery.dropped();
    if (dropped > 0) {
      worker.bury(
          delivery, RpcError.TOO_LARGE, "The message has " + dropped + " bytes; it was not kept");
    } else {
      worker.serve(delivery);
    }
  }

  /**
   * Reports a message that could not be sent, unless the connection was lost, which is already
   * reported.
   */
  private void failed(Exception e) {
    if (!(e instanceof AlreadyClosedException) && session != null) {
      acceptor.refused(info, "a message could not be sent: " + Causes.text(e));
    }
  }

  // ---------------------------------------------------------------- the connection

  @Override
  public void opened(Connection connection) throws IOException {
    topology.declare(connection, length);
    Session opened = new Session(connection);
    session = opened; // before the first message arrives
    opened.open();
    outage.connected();
  }

  @Override
  public void lost(IOException cause) {
    session = null;
    newcomers.clear();
    outbox.clear(); // replies to messages that the broker delivers again
    outage.lost(cause);
  }

  @Override
  public void failed(IOException cause) {
    session = null;
    outage.failed(cause);
  }

  // ---------------------------------------------------------------- the end

  private synchronized boolean isClosing() {
    return end != null;
  }

  /** Returns the endpoint for clients, without the credentials and options of this worker. */
  @Override
  public Endpoint endpoint() {
    return BrokerUri.forClients(endpoint, AmqpTransport.OF_WORKERS);
  }

  @Override
  public void close() {
    finish(Duration.ZERO);
  }

  @Override
  public CompletionStage<?> finish(Duration limit) {
    CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    synchronized (this) {
      if (end != null) {
        return end;
      }
      end = ended;
    }
    ClosingTime time = new ClosingTime(limits, limit);
    Session now = session;
    CompletionStage<?> stopped = now == null ? CompletableFuture.completedStage(null) : now.stop();
    time.atMost(STOP, stopped)
        .thenCompose(ok -> worker.finish(time.left()))
        .whenComplete((ok, failure) -> {
          newcomers.close(() -> {
            firsts.close();
            outbox.close(() -> {
              connection.close();
              ended.complete(null);
            });
          });
          time.cut(ended, this::cut);
        });
    return ended;
  }

  /** Ends the connections; a thread that is waiting for the broker ends, too. */
  private void cut() {
    newcomers.clear();
    outbox.clear();
    firsts.close();
    connection.close();
    end().complete(null);
  }

  private synchronized CompletableFuture<@Nullable Void> end() {
    return Objects.requireNonNull(end);
  }
}
