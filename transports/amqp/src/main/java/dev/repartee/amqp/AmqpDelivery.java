package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.ShutdownSignalException;
import dev.repartee.broker.Delivery;
import dev.repartee.broker.Outbox;
import dev.repartee.broker.ReceivedHeaders;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.DisconnectedException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A message from the request queue. Thread-safe: an outbox of the worker sends everything. */
final class AmqpDelivery implements Delivery {
  private final AmqpListening worker;
  private final Channel channel;
  private final String control;
  private final Envelope envelope;
  private final BasicProperties properties;
  private final byte[] body;
  private final long start;

  /** Null if a reply cannot harm the connection of the worker. */
  private final @Nullable FirstReplies firsts;

  private final Outbox outbox;

  /** The reply of a repeated message, which follows its settlement. */
  private volatile Outbox.@Nullable Step answer;

  /**
   * The reason why the broker accepts no reply to this client; null if it does. Used by the outbox
   * only.
   */
  private @Nullable String fault;

  /**
   * Creates a delivery.
   *
   * @param control the control queue of the worker
   */
  AmqpDelivery(
      AmqpListening worker,
      Channel channel,
      String control,
      Envelope envelope,
      BasicProperties properties,
      byte[] body) {
    this.worker = worker;
    this.start = worker.clock().nanos();
    this.channel = channel;
    this.control = control;
    this.envelope = envelope;
    this.properties = properties;
    this.body = body;
    boolean isKnown = !expectsReply() || worker.firsts().isKnown(properties.getReplyTo());
    this.firsts = isKnown ? null : worker.firsts();
    this.outbox = isKnown ? worker.outbox() : worker.newcomers();
  }

  @Override
  public byte[] body() {
    return body;
  }

  @Override
  public Map<String, String> headers() {
    Map<String, Object> all = properties.getHeaders();
    if (all == null) {
      return Map.of();
    }
    ReceivedHeaders received = new ReceivedHeaders();
    all.forEach((name, value) -> {
      if (value instanceof LongString) { // other types belong to brokers and this library
        received.add(name, value.toString());
      }
    });
    return received.get();
  }

  @Override
  public Attributes attributes() {
    Attributes known = Delivery.super.attributes();
    String user = user();
    return user == null ? known : known.with(AmqpUser.ATTRIBUTE, new AmqpUser(user));
  }

  /**
   * Returns the user that has sent the message; null if this user is not known. The user id of a
   * copy is the account of the worker that has made the copy. The sender that a copy names counts
   * only if no client has this account.
   */
  private @Nullable String user() {
    String sender = properties.getUserId();
    Object original = Names.header(properties, Names.USER);
    boolean isCopy = original != null && worker.address().user().equals(sender);
    if (!isCopy) {
      return sender;
    }
    return worker.hasOwnAccount() && original instanceof byte[] name
        ? new String(name, UTF_8)
        : null;
  }

  @Override
  public @Nullable String key() {
    // The ids of other clients are not unique: many count from 1.
    return window() > 0 ? properties.getMessageId() : null;
  }

  @Override
  public boolean expectsReply() {
    return properties.getReplyTo() != null && !properties.getReplyTo().isEmpty();
  }

  /** Returns the number of bytes of the body if it was dropped; otherwise 0. */
  long dropped() {
    return Names.number(properties, Names.DROPPED);
  }

  @Override
  public boolean isIdempotent() {
    return Names.isSet(properties, Names.IDEMPOTENT);
  }

  @Override
  public int window() {
    return (int) Math.min(Integer.MAX_VALUE, Names.number(properties, Names.WINDOW));
  }

  @Override
  public boolean isRepeated() {
    return envelope.isRedeliver();
  }

  @Override
  public int attempts() {
    return (int) Math.min(Integer.MAX_VALUE, Names.number(properties, Names.ATTEMPTS));
  }

  @Override
  public void reply(byte[] body, boolean hasMore) {
    String to = properties.getReplyTo();
    BasicProperties.Builder reply =
        Names.json().deliveryMode(1).correlationId(properties.getCorrelationId());
    if (hasMore) {
      reply.headers(Map.of(Names.MORE, true, Names.WORKER, control));
    }
    Outbox.Step step = () -> publish(to, reply.build(), body);
    if (isRepeated()) {
      answer = step; // if the answer is the cause of the losses, the message is settled before
    } else {
      add(body.length, step);
    }
  }

  private void publish(String to, BasicProperties reply, byte[] body) throws Exception {
    if (firsts == null || firsts.isKnown(to)) {
      // A direct reply cannot be mandatory: the broker would return every one of them.
      channel.basicPublish("", to, !to.startsWith(Names.DIRECT), reply, body);
    } else if (fault == null) { // each further attempt would fail, too
      fault = firsts.publish(to, reply, body);
      if (fault != null) {
        worker.report("The broker accepts no reply to '" + to + "': " + fault);
      }
    }
  }

  @Override
  public void done() {
    add(0, () -> {
      if (fault == null) {
        channel.basicAck(envelope.getDeliveryTag(), false);
      } else {
        bury("The broker accepts no reply to the reply_to of the message: " + fault);
      }
    });
  }

  @Override
  public void dead(String reason) {
    add(body.length, () -> bury(reason));
  }

  private void bury(String reason) throws Exception {
    // Without the expiry, since it must be kept until an operator has seen it.
    BasicProperties dead = Names.copy(properties, Names.REASON, reason)
        .deliveryMode(2)
        .expiration(null)
        .build();
    String queue = Names.deadLetters(worker.address().queue());
    move(queue, dead, () -> {
      channel.basicReject(envelope.getDeliveryTag(), false); // it would be redelivered forever
      worker.report("a message was dropped, because the broker does not accept it into '" + queue
          + "': " + reason);
      answer();
    });
  }

  @Override
  public void again() {
    BasicProperties copy = repeated();
    Outbox.Step refused = () -> worker.refuse(
        this,
        "A worker was lost or closed while it handled the message, and the queue is too full to"
            + " put it back");
    add(body.length, () -> move(worker.address().queue(), copy, refused));
  }

  /** Returns the properties of the copy for another attempt. */
  private BasicProperties repeated() {
    long past = TimeUnit.NANOSECONDS.toMillis(worker.clock().nanos() - start);
    BasicProperties copy =
        Names.aged(Names.copy(properties, Names.ATTEMPTS, attempts() + 1).build(), past);
    String user = user();
    if (user == null || !worker.hasOwnAccount()) {
      return copy; // the broker accepts only the user id of this worker
    }
    Map<String, Object> headers = new HashMap<>(copy.getHeaders());
    headers.put(Names.USER, user.getBytes(UTF_8));
    return copy.builder().headers(headers).userId(worker.address().user()).build();
  }

  /**
   * Publishes a copy, and acknowledges the message after the broker has confirmed the copy.
   *
   * @param refused runs if the broker does not accept the copy
   */
  private void move(String queue, BasicProperties copy, Outbox.Step refused) throws Exception {
    boolean moved;
    try {
      moved = worker.moves(queue, copy, body);
    } catch (TimeoutException e) {
      channel.basicReject(envelope.getDeliveryTag(), true); // the broker is slow
      return;
    } catch (IllegalArgumentException | ShutdownSignalException e) {
      moved = false; // the copy cannot be written, or the broker has closed the channel for it
    }
    if (moved) {
      channel.basicAck(envelope.getDeliveryTag(), false);
      answer();
    } else {
      refused.run();
    }
  }

  private void answer() throws Exception {
    Outbox.Step step = answer;
    if (step != null) {
      answer = null;
      step.run();
    }
  }

  private void add(long size, Outbox.Step step) {
    try {
      outbox.add(size, step);
    } catch (DisconnectedException e) {
      // The worker has ended; the broker delivers the message again.
    }
  }
}
