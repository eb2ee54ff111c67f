package dev.repartee.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import dev.repartee.internal.Text;
import dev.repartee.internal.Times;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of queues, routing keys and headers, and the values in the headers of a message. */
final class Names {
  /** The topic exchange of events and of control messages; every virtual host has it. */
  static final String EXCHANGE = "amq.topic";

  /** The pseudo-queue for replies; see "Direct reply-to" of the RabbitMQ documentation. */
  static final String DIRECT = "amq.rabbitmq.reply-to";

  static final String JSON = "application/json";
  static final String UTF8 = "utf8";

  // Headers.

  /**
   * The number of bytes that the client accepts before the reply; a client without this header
   * accepts only the reply.
   */
  static final String WINDOW = "repartee-window";

  /** True if the caller declares that the message may be handled twice. */
  static final String IDEMPOTENT = "repartee-idempotent";

  /** True in a message to the client if more messages follow for the same request. */
  static final String MORE = "repartee-more";

  /** The control queue of the worker, in a message to the client before the reply. */
  static final String WORKER = "repartee-worker";

  /** The number of times that a message was returned to the queue after the loss of a worker. */
  static final String ATTEMPTS = "repartee-attempts";

  /**
   * The user who sent the original of a copy, as bytes: {@link #copy} passes no header of this type
   * on, and handlers see none. See {@link AmqpUser}.
   */
  static final String USER = "repartee-user";

  /** The reason why a message is a dead letter, in a sentence. */
  static final String REASON = "repartee-reason";

  /** The number of bytes of a body that was too large to keep, in a message to the worker. */
  static final String DROPPED = "repartee-dropped-bytes";

  /** The number of bytes in a control message of the type {@link #GRANT}. */
  static final String BYTES = "repartee-bytes";

  // Types of control messages; they have the correlation id of the request.
  static final String CANCEL = "repartee-cancel";
  static final String GRANT = "repartee-grant";

  private Names() {}

  static String deadLetters(String queue) {
    return queue + ".dead";
  }

  /** Returns the routing key of the control messages to all workers of a queue. */
  static String control(String queue) {
    return "control." + queue;
  }

  /** Returns the routing key of an event, or a pattern of such keys. */
  static String event(String queue, String method) {
    return "events." + queue + "." + method;
  }

  /** Returns a builder of properties for JSON. */
  static BasicProperties.Builder json() {
    return new BasicProperties.Builder().contentType(JSON).contentEncoding(UTF8);
  }

  /**
   * Returns the properties for a copy of a message, with an additional header. The copy omits
   * headers that the broker acts on: CC and BCC contain more queues, and a user id other than the
   * user of the worker closes the channel.
   */
  static BasicProperties.Builder copy(BasicProperties properties, String header, Object value) {
    Map<String, Object> headers = new HashMap<>();
    if (properties.getHeaders() != null) {
      properties.getHeaders().forEach((name, each) -> {
        boolean isPlain = each instanceof LongString
            || each instanceof String
            || each instanceof Boolean
            || each instanceof Number && !(each instanceof BigDecimal);
        if (isPlain && !name.equals("CC") && !name.equals("BCC")) {
          headers.put(name, each);
        }
      });
    }
    headers.put(header, value);
    return properties.builder().headers(headers).userId(null).clusterId(null);
  }

  /**
   * Returns the properties of a message that returns to its queue after some milliseconds: with the
   * time that is left for its call, and until it expires. RabbitMQ keeps the expiry of a message that
   * it returns itself, too.
   */
  static BasicProperties aged(BasicProperties properties, long millis) {
    BasicProperties.Builder aged = properties.builder();
    if (properties.getExpiration() != null) {
      aged.expiration(left(properties.getExpiration(), millis));
    }
    if (properties.getHeaders() != null) {
      Map<String, Object> headers = new HashMap<>(properties.getHeaders());
      headers.replaceAll(
          (name, value) -> value instanceof LongString && name.equalsIgnoreCase(Times.HEADER)
              ? left(value.toString(), millis)
              : value);
      aged.headers(headers);
    }
    return aged.build();
  }

  private static String left(String time, long millis) {
    long known = Text.number(time);
    return known < 0 ? time : Long.toString(Math.max(0, known - millis));
  }

  static @Nullable Object header(BasicProperties properties, String name) {
    return properties.getHeaders() == null ? null : properties.getHeaders().get(name);
  }

  static boolean isSet(BasicProperties properties, String name) {
    return Boolean.TRUE.equals(header(properties, name));
  }

  /** Returns the number in a header; 0 if it is missing or negative. */
  static long number(BasicProperties properties, String name) {
    return header(properties, name) instanceof Number number ? Math.max(0, number.longValue()) : 0;
  }
}
