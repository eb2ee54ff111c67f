package dev.repartee.benchmarks.brokers;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import dev.repartee.benchmarks.load.Caller;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/**
 * The Java client of RabbitMQ: direct reply-to, manual acknowledgements, and a prefetch.
 *
 * @param isConfirmed true for the guarantees of Repartee: a message is mandatory, confirmed, and
 *     expires with its call. False as in the tutorial on RPC, where a call waits for ever if the
 *     broker does not accept its message
 */
record RabbitLibrary(boolean isConfirmed) implements Library {
  private static final String DIRECT = "amq.rabbitmq.reply-to";
  private static final int QUEUE_LENGTH = 10_000;

  /** The default of Repartee. */
  private static final int PREFETCH = 1_024;

  /** A client. */
  private static final class RabbitCaller implements FutureCaller {
    private final Connection connection;
    private final Channel channel;
    private final String queue;
    private final boolean isConfirmed;
    private final Map<String, CompletableFuture<byte[]>> calls = new ConcurrentHashMap<>();

    /** The keys of messages that the broker has not confirmed, by their number. */
    private final ConcurrentNavigableMap<Long, String> unconfirmed = new ConcurrentSkipListMap<>();

    private long keys; // guarded by the channel

    RabbitCaller(Connection connection, String queue, boolean isConfirmed) throws IOException {
      this.connection = connection;
      this.channel = connection.createChannel();
      this.queue = queue;
      this.isConfirmed = isConfirmed;
      if (isConfirmed) {
        channel.confirmSelect();
        channel.addConfirmListener(
            this::confirmed, (number, multiple) -> refused(confirmed(number, multiple)));
        channel.addReturnListener(
            returned -> refused(List.of(returned.getProperties().getCorrelationId())));
      }
      channel.basicConsume(DIRECT, true, this::replied, tag -> {});
    }

    private void replied(String tag, Delivery message) {
      CompletableFuture<byte[]> call = calls.remove(message.getProperties().getCorrelationId());
      if (call != null) {
        call.complete(message.getBody());
      }
    }

    private List<String> confirmed(long number, boolean multiple) {
      if (multiple) {
        ConcurrentNavigableMap<Long, String> all = unconfirmed.headMap(number, true);
        List<String> keys = new ArrayList<>(all.values());
        all.clear();
        return keys;
      }
      String key = unconfirmed.remove(number);
      return key == null ? List.of() : List.of(key);
    }

    private void refused(List<String> keys) {
      for (String key : keys) {
        CompletableFuture<byte[]> call = calls.remove(key);
        if (call != null) {
          call.completeExceptionally(new IOException("the broker has not taken the message"));
        }
      }
    }

    @Override
    public CompletableFuture<byte[]> send() throws IOException {
      CompletableFuture<byte[]> call = new CompletableFuture<>();
      BasicProperties.Builder properties = new BasicProperties.Builder()
          .contentType("application/json")
          .deliveryMode(1)
          .replyTo(DIRECT);
      synchronized (channel) {
        String key = Long.toString(++keys);
        calls.put(key, call);
        if (isConfirmed) {
          properties.expiration(String.valueOf(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS)));
          unconfirmed.put(channel.getNextPublishSeqNo(), key);
        }
        BasicProperties all = properties.correlationId(key).build();
        channel.basicPublish("", queue, isConfirmed, all, REQUEST);
      }
      return call.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }

  private static String queue(String uri) {
    return URI.create(uri).getPath().substring(1);
  }

  private static Connection connection(String uri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(URI.create(uri).getPort());
    return factory.newConnection();
  }

  @Override
  public Caller connect(String uri) throws Exception {
    return new RabbitCaller(connection(uri), queue(uri), isConfirmed);
  }

  @Override
  public Closeable serve(String uri, int bound) throws Exception {
    Connection connection = connection(uri);
    Channel channel = connection.createChannel();
    channel.queueDeclare(
        queue(uri),
        true,
        false,
        false,
        Map.of("x-max-length", QUEUE_LENGTH, "x-overflow", "reject-publish"));
    channel.basicQos(bound == 0 ? PREFETCH : bound);
    Handlers handlers = new Handlers(bound);
    channel.basicConsume(
        queue(uri),
        false,
        (tag, message) -> handlers.handle(() -> answer(channel, message)),
        tag -> {});
    return () -> {
      connection.close();
      handlers.close();
    };
  }

  private static void answer(Channel channel, Delivery message) throws IOException {
    BasicProperties properties = message.getProperties();
    BasicProperties reply = new BasicProperties.Builder()
        .contentType("application/json")
        .deliveryMode(1)
        .correlationId(properties.getCorrelationId())
        .build();
    synchronized (channel) {
      channel.basicPublish("", properties.getReplyTo(), reply, ANSWER);
      channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
    }
  }
}
