package dev.repartee.benchmarks.brokers;

import dev.repartee.benchmarks.load.Caller;
import dev.repartee.benchmarks.process.Replies;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The libraries that call and serve through a broker, and the main class of their processes. */
enum Competitor {
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

  Competitor(Broker broker, String label, Library library) {
    this.broker = broker;
    this.label = label;
    this.library = library;
  }

  /** Returns the competitors of a broker: ours, then the library with the same guarantees, then others. */
  static List<Competitor> of(Broker broker) {
    return Arrays.stream(values()).filter(each -> each.broker == broker).toList();
  }

  /**
   * The process of a client or worker: its argument is the competitor. A line {@code serve URI
   * BOUND} starts to serve; {@code call URI IN-FLIGHT MILLISECONDS} is answered with a sample.
   */
  public static void main(String[] args) {
    Library library = valueOf(args[0]).library;
    Map<String, Caller> callers = new HashMap<>();
    Replies.serve(words -> {
      int number = Integer.parseInt(words[2]);
      if (words[0].equals("serve")) {
        library.serve(words[1], number);
        return "ready";
      }
      Caller caller = callers.get(words[1]);
      if (caller == null) {
        caller = library.connect(words[1]);
        callers.put(words[1], caller);
      }
      return caller.sample(number, Duration.ofMillis(Long.parseLong(words[3]))).line();
    });
  }
}
