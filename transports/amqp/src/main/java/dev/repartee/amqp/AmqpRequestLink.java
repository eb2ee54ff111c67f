package dev.repartee.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import dev.repartee.broker.OutgoingRequest;
import dev.repartee.broker.ReconnectingLink;
import dev.repartee.broker.Reconnection;
import dev.repartee.broker.Reply;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The link of a client. Requests and replies use one channel, as direct reply-to requires, with
 * publisher confirms: a message without a queue is returned, and a message that a full queue
 * refuses is negatively confirmed. Control messages use a second channel, because the broker closes
 * a channel after an operation that is not permitted.
 */
final class AmqpRequestLink extends ReconnectingLink<Connection, AmqpRequestLink.Session> {
  /** The maximum time to live that RabbitMQ accepts; a longer one closes the channel. */
  private static final long MOST_MILLIS = TimeUnit.DAYS.toMillis(3_650);

  /**
   * The maximum size of the content header of a request besides the headers of its caller, in bytes.
   */
  private static final int PROPERTIES = 512;

  /** The size of a header besides its name and value: their lengths, and the type of the value. */
  private static final int LENGTHS = 6;

  private final AmqpAddress address;
  private final Topology topology;
  private final Reconnection<Connection> connection;

  /** The patterns of the events to subscribe to. */
  private final List<String> patterns;

  /** The maximum number of undelivered events. */
  private final int prefetch;

  /** The channels of one connection. */
  final class Session implements ConfirmListener, BlockedListener {
    final Connection connection;
    final Channel requests;

    /** The keys of messages that were not confirmed, by their number. Guarded by itself. */
    final NavigableMap<Long, String> unconfirmed = new TreeMap<>();

    /**
     * The reason why the broker accepts no messages, such as low memory. Guarded by
     * {@link #unconfirmed}.
     */
    private @Nullable String alarm;

    /** Opened at the first control message; used only by the thread of the channel. */
    @Nullable Channel control;

    Session(Connection connection) throws IOException {
      this.connection = connection;
      this.requests = Topology.channel(connection);
    }

    void open() throws IOException {
      connection.addBlockedListener(this);
      requests.confirmSelect();
      requests.addConfirmListener(this);
      requests.addReturnListener(returned -> listener()
          .refused(
              String.valueOf(returned.getProperties().getMessageId()),
              "its queue does not exist",
              "there is no queue '" + address.queue() + "' at " + address.broker()
                  + "; is the service running?"));
      requests.basicConsume(Names.DIRECT, true, new DefaultConsumer(requests) {
        @Override
        public void handleDelivery(
            String tag, Envelope envelope, BasicProperties properties, byte[] body) {
          replied(properties, body);
        }
      });
      if (!patterns.isEmpty()) {
        subscribe();
      }
    }

    private void replied(BasicProperties properties, byte[] body) {
      Object header = Names.header(properties, Names.WORKER);
      String worker = header == null ? "" : header.toString();
      listener()
          .reply(new Reply(
              properties.getCorrelationId(),
              body,
              Names.isSet(properties, Names.MORE),
              isControlQueue(worker) ? worker : null));
    }

    /**
     * Returns whether the broker has generated a name, so that it is not the queue of a service.
     */
    private boolean isControlQueue(String name) {
      return name.startsWith("amq.") && name.length() <= 100;
    }

    private void subscribe() throws IOException {
      Channel channel = Topology.channel(connection);
      channel.basicQos(prefetch);
      String queue = Topology.own(channel, Names.event(address.queue(), patterns.get(0)));
      for (String pattern : patterns) {
        channel.queueBind(queue, Names.EXCHANGE, Names.event(address.queue(), pattern));
      }
      channel.basicConsume(queue, false, new DefaultConsumer(channel) {
        @Override
        public void handleDelivery(
            String tag, Envelope envelope, BasicProperties properties, byte[] body) {
          listener().event(body, () -> acknowledge(channel, envelope.getDeliveryTag()));
        }
      });
    }

    private void acknowledge(Channel channel, long tag) {
      try {
        channel.basicAck(tag, false);
      } catch (IOException | AlreadyClosedException e) {
        // The subscription has ended with its connection.
      }
    }

    void publish(OutgoingRequest request) throws IOException {
      if (!fits(request.headers())) {
        listener()
            .refused(
                request.key(),
                "its headers are too large for the broker",
                "the headers of the message have " + request.headers().size()
                    + " characters; with the other properties, that is more than the broker "
                    + address.broker() + " takes in a frame: " + connection.getFrameMax()
                    + " bytes (its frame_max)");
        return;
      }
      String alarm;
      synchronized (unconfirmed) {
        alarm = this.alarm;
        if (alarm == null) {
          unconfirmed.put(requests.getNextPublishSeqNo(), request.key());
        }
      }
      if (alarm != null) {
        listener()
            .refused(
                request.key(),
                "the broker accepts no messages for now",
                Faults.alarm(address, alarm));
        return;
      }
      BasicProperties.Builder properties =
          Names.json().messageId(request.key()).deliveryMode(1).headers(headers(request));
      if (request.expectsReply()) {
        properties.correlationId(request.key()).replyTo(Names.DIRECT);
      }
      if (request.millis() > 0 && request.millis() <= MOST_MILLIS) {
        properties.expiration(String.valueOf(request.millis()));
      }
      requests.basicPublish("", address.queue(), true, properties.build(), request.body());
    }

    /**
     * Returns whether the headers fit into one frame, which has all properties of a message. The
     * library would fail after it has counted the message, and its number would no longer be that
     * of the broker.
     */
    private boolean fits(Headers own) {
      int most = connection.getFrameMax(); // 0 for no limit
      return most == 0 || own.size() + LENGTHS * own.fields().size() + PROPERTIES <= most;
    }

    private Map<String, Object> headers(OutgoingRequest request) {
      Map<String, Object> headers = new HashMap<>(request.headers().fields());
      if (request.idempotent() || request.expectsReply()) {
        headers.put(Names.WINDOW, request.window());
      }
      if (request.idempotent()) {
        headers.put(Names.IDEMPOTENT, true);
      }
      return headers;
    }

    @Override
    public void handleAck(long number, boolean multiple) {
      confirmed(number, multiple).forEach(listener()::accepted);
    }

    /**
     * Reports that the queue is full. RabbitMQ sends the same answer if the process of a queue
     * crashes before it has confirmed a message: only in this case a worker may have received it.
     */
    @Override
    public void handleNack(long number, boolean multiple) {
      for (String key : confirmed(number, multiple)) {
        listener()
            .refused(
                key,
                "the queue is full",
                "the broker " + address.broker() + " has not taken the message; the queue '"
                    + address.queue() + "' is full: the workers are too slow or too few");
      }
    }

    private List<String> confirmed(long number, boolean multiple) {
      synchronized (unconfirmed) {
        if (!multiple) {
          String key = unconfirmed.remove(number);
          return key == null ? List.of() : List.of(key);
        }
        NavigableMap<Long, String> all = unconfirmed.headMap(number, true);
        List<String> keys = new ArrayList<>(all.values());
        all.clear();
        return keys;
      }
    }

    @Override
    public void handleBlocked(String reason) {
      List<String> keys;
      synchronized (unconfirmed) {
        alarm = reason;
        keys = List.copyOf(unconfirmed.values());
      }
      String why = Faults.alarm(address, reason);
      listener().violation(why, null);
      for (String key : keys) {
        listener().unanswered(key, why + "; it may accept this message later");
      }
    }

    @Override
    public void handleUnblocked() {
      synchronized (unconfirmed) {
        alarm = null;
      }
    }

    Channel control() throws IOException {
      Channel open = control;
      if (open == null || !open.isOpen()) {
        open = Topology.channel(connection);
        control = open;
      }
      return open;
    }
  }

  /**
   * Creates a link.
   *
   * @param patterns the patterns of the events to subscribe to
   */
  AmqpRequestLink(Connector connector, List<String> patterns, int prefetch) {
    this.address = connector.address();
    this.topology = new Topology(address);
    this.patterns = patterns;
    this.prefetch = prefetch;
    this.connection = connector.reconnection(this);
  }

  /** Connects. */
  void open() throws IOException {
    connection.open();
  }

  @Override
  public void send(OutgoingRequest request) {
    Session now = session();
    if (now == null || !now.requests.isOpen()) {
      throw DisconnectedException.closed(address.name(), null);
    }
    try {
      now.publish(request);
    } catch (AlreadyClosedException e) {
      throw DisconnectedException.closed(address.name(), e);
    } catch (IOException e) {
      // The connection was lost while the message was written; lost() follows.
    }
  }

  @Override
  public void cancel(String key) {
    send(Names.EXCHANGE, Names.control(address.queue()), Names.CANCEL, key, Map.of());
  }

  @Override
  public void grant(String worker, String key, long bytes) {
    send("", worker, Names.GRANT, key, Map.of(Names.BYTES, bytes));
  }

  private void send(
      String exchange, String routing, String type, String key, Map<String, Object> headers) {
    Session now = session();
    if (now == null) {
      return;
    }
    try {
      BasicProperties properties = new BasicProperties.Builder()
          .type(type)
          .correlationId(key)
          .headers(headers)
          .expiration("60000")
          .build();
      now.control().basicPublish(exchange, routing, properties, new byte[0]);
    } catch (IOException | AlreadyClosedException e) {
      // The connection has ended, and with it the request; or the broker allows no second channel.
    }
  }

  @Override
  public void close() {
    super.close();
    connection.close();
  }

  // ---------------------------------------------------------------- the connection

  @Override
  protected Session openSession(Connection connection, boolean again) throws IOException {
    if (!again && !topology.exists(connection)) {
      throw new IOException("there is no queue '" + address.queue() + "' at " + address.broker()
          + "; is the service running, and is its name right?");
    }
    Session opened = new Session(connection);
    // A channel that the broker has closed cannot be used again; a new connection sets up
    // everything.
    opened.requests.addShutdownListener(cause -> {
      if (!cause.isHardError() && !cause.isInitiatedByApplication()) {
        listener().violation("the broker has closed the channel of the requests", cause);
        Connector.endSoon(connection);
      }
    });
    opened.open();
    return opened;
  }
}
