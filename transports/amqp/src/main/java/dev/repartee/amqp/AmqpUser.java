package dev.repartee.amqp;

import dev.repartee.transport.Attribute;

/**
 * The user of the broker who has sent a message: its property {@code user-id}, which senders may
 * leave out. RabbitMQ accepts only the name of the user of the connection (unless the user has the
 * tag {@code impersonator}); other brokers may not check it. A message that returns to the queue
 * after the loss of a worker has no user, unless the workers have the option {@code
 * account=workers}. Immutable.
 *
 * @param name the name
 */
public record AmqpUser(String name) {
  /** The attribute of a call whose message has the property. */
  public static final Attribute<AmqpUser> ATTRIBUTE = Attribute.named("AMQP user");
}
