package dev.repartee.examples.guides;

import java.io.IOException;
import java.util.function.BiConsumer;

/** The client library of a broker, reduced to the methods that {@link QueueChannel} needs. */
public interface QueueBroker {
  /**
   * Sends a message to the workers of the queue, without waiting for one of them.
   *
   * @param nanos the time after which the broker may drop the message
   */
  void publish(String key, byte[] body, long nanos) throws IOException;

  /** Asks the workers to stop the work on a message. */
  void cancel(String key);

  /** Passes each reply and its key on, on one thread at a time. */
  void subscribe(BiConsumer<String, byte[]> replies);

  /** Ends the subscription. No reply is passed on afterwards. */
  void close();
}
