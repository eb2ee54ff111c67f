package dev.repartee.amqp;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Envelope;
import dev.repartee.broker.Delivery;
import dev.repartee.transport.DisconnectedException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message from the request queue. Thread-safe: the outbox of the worker sends everything. */
final class AmqpDelivery implements Delivery {
  private final AmqpListening worker;
  private final Channel channel;
  private final String control;
  private final Envelope envelope;
  private final BasicProperties properties;
  private final byte[] body;

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
    this.channel = channel;
    this.control = control;
    this.envelope = envelope;
    this.properties = properties;
    this.body = body;
  }

  @Override
  public byte[] body() {
    return body;
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
    BasicProperties.Builder reply =
        Names.json().deliveryMode(1).correlationId(properties.getCorrelationId());
    if (hasMore) {
      reply.headers(Map.of(Names.MORE, true, Names.WORKER, control));
    }
    String to = properties.getReplyTo();
    // A direct reply cannot be mandatory: the broker would return every one of them.
    boolean mandatory = !to.startsWith(Names.DIRECT);
    add(body.length, () -> channel.basicPublish("", to, mandatory, reply.build(), body));
  }

  @Override
  public void done() {
    add(0, () -> channel.basicAck(envelope.getDeliveryTag(), false));
  }

  @Override
  public void dead(String reason) {
    Map<String, Object> headers = Names.headers(properties);
    headers.put(Names.REASON, reason);
    // Without the expiry: it should stay until an operator has seen it.
    BasicProperties dead =
        properties.builder().headers(headers).deliveryMode(2).expiration(null).build();
    move(Names.deadLetters(worker.address().queue()), dead);
  }

  @Override
  public void again() {
    Map<String, Object> headers = Names.headers(properties);
    headers.put(Names.ATTEMPTS, attempts() + 1);
    move(worker.address().queue(), properties.builder().headers(headers).build());
  }

  /** Publishes a copy, and acknowledges the message once the broker has the copy. */
  private void move(String queue, BasicProperties copy) {
    add(body.length, () -> {
      if (worker.moves(queue, copy, body)) {
        channel.basicAck(envelope.getDeliveryTag(), false);
      } else {
        channel.basicReject(envelope.getDeliveryTag(), true);
      }
    });
  }

  private void add(long size, dev.repartee.broker.Outbox.Step step) {
    try {
      worker.outbox().add(size, step);
    } catch (DisconnectedException e) {
      // The worker has ended; the broker delivers the message again.
    }
  }
}
