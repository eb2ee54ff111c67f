package dev.repartee.benchmarks.brokers;

import java.util.Arrays;
import java.util.List;

/** The libraries that call and serve through a broker. */
enum Contestant {
  REPARTEE_AMQP(Broker.RABBITMQ, "repartee", new ReparteeLibrary("#prefetch=")),
  AMQP_CLIENT(Broker.RABBITMQ, "amqp-client", new RabbitLibrary(true)),
  AMQP_TUTORIAL(Broker.RABBITMQ, "amqp-client, as in the tutorial", new RabbitLibrary(false)),
  REPARTEE_NATS(Broker.NATS, "repartee", new ReparteeLibrary("")),
  JNATS(Broker.NATS, "jnats", new NatsLibrary()),
  REPARTEE_ZEROMQ(Broker.ZEROMQ, "repartee", new ReparteeLibrary("")),
  JEROMQ(Broker.ZEROMQ, "jeromq", new ZmqLibrary(true)),
  JEROMQ_GUIDE(Broker.ZEROMQ, "jeromq, as in the guide", new ZmqLibrary(false));

  final Broker broker;
  final String label;
  final Library library;

  Contestant(Broker broker, String label, Library library) {
    this.broker = broker;
    this.label = label;
    this.library = library;
  }

  /** Returns the contestants of a broker: ours, then that with the same guarantees, then others. */
  static List<Contestant> of(Broker broker) {
    return Arrays.stream(values()).filter(each -> each.broker == broker).toList();
  }
}
