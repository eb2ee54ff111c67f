package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.Worker;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.support.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the requests that a stream of JetStream has stored for a service, only as many as this
 * worker runs at the same time. Thread-safe.
 *
 * <p>Each request is pulled separately (NATS ADR-13), so that none waits in this process: a
 * delivered message begins immediately. A pull ends with a message, or with a status, for example
 * when it expires without a message. The consumer delivers unacknowledged messages again;
 * {@link Worker} limits the number of attempts.
 */
final class RequestStream {
  /** The number of stored requests that a worker runs at the same time by default. */
  static final int DEFAULT_MOST = 16;

  /** The maximum of this number. */
  static final int HIGHEST_MOST = 256;

  /** The maximum number of messages in a stream that a worker creates. */
  private static final int LENGTH = 10_000;

  /** The maximum number of pulls of all workers. */
  private static final int WAITING = 8_192;

  /** The time after which an unacknowledged message is delivered again, if a worker sets it. */
  private static final Duration ACK_WAIT = Duration.ofSeconds(30);

  private static final Duration EXPIRY = Duration.ofSeconds(30);

  /** The time that the end of a pull may arrive after its expiry. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** The pause after a failed pull. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** The pause after further failures. */
  private static final Duration LONG_PAUSE = Duration.ofSeconds(10);

  private static final int NOT_FOUND = 404;
  private static final int TIMED_OUT = 408;

  private static final byte[] PULL =
      ("{\"batch\":1,\"expires\":" + EXPIRY.toNanos() + "}").getBytes(UTF_8);

  private final NatsListening worker;
  private final NatsAddress address;
  private final String stream;
  private final String consumer;
  private final int most;

  private volatile @Nullable Connection connection;
  private volatile Duration ackWait = ACK_WAIT;

  // Guarded by this.
  private String inbox = "";

  /** The times when the pulls that have not ended count as lost, oldest first. */
  private final Deque<Long> pulls = new ArrayDeque<>();

  private int running;
  private boolean restoring;
  private boolean stopped;

  /**
   * Creates the stream of a worker.
   *
   * @param most the maximum number of requests that run at the same time
   */
  RequestStream(NatsListening worker, NatsAddress address, String group, String stream, int most) {
    this.worker = worker;
    this.address = address;
    this.stream = stream;
    this.consumer = Discovery.nameOf(address.subject() + "-" + group);
    this.most = most;
  }

  /**
   * Subscribes over a new connection; {@link #fill} follows.
   *
   * @throws IOException if there is no stream and none can be created
   */
  Dispatcher open(Connection opened) throws IOException {
    declare(opened);
    String own = opened.createInbox();
    Dispatcher dispatcher = opened.createDispatcher(this::received);
    dispatcher.subscribe(own);
    synchronized (this) {
      inbox = own;
      pulls.clear(); // the server drops the pulls of the last connection
      restoring = false;
    }
    connection = opened;
    return dispatcher;
  }

  /**
   * Creates missing streams and consumers. Existing ones are used unchanged, since an operator may
   * have created them.
   */
  private void declare(Connection opened) throws IOException {
    String stored = Names.stored(address.subject());
    String dead = Names.deadLetters(address.subject());
    ConsumerConfiguration known;
    try {
      JetStreamManagement management = opened.jetStreamManagement();
      try {
        management.getStreamInfo(stream);
      } catch (JetStreamApiException e) {
        require(e, NOT_FOUND);
        management.addStream(StreamConfiguration.builder()
            .name(stream)
            .subjects(stored)
            .retentionPolicy(RetentionPolicy.WorkQueue)
            .discardPolicy(DiscardPolicy.New)
            .maxMessages(LENGTH)
            .build());
      }
      if (management.getStreamNames(dead).isEmpty()) {
        management.addStream(StreamConfiguration.builder()
            .name(Discovery.nameOf(dead))
            .subjects(dead)
            .maxMessages(LENGTH)
            .build());
      }
      known = consumer(management, stored);
    } catch (JetStreamApiException e) {
      throw new IOException(
          "the server " + address.broker() + " says '" + e.getMessage() + "'; the stream '" + stream
              + "' has to store the subject '" + stored + "'",
          e);
    } catch (IOException e) {
      throw new IOException(
          "the server " + address.broker()
              + " does not answer as JetStream, which the option stream"
              + " needs: start it with -js, and permit this user '$JS.API.>' and '_INBOX.>'",
          e);
    }
    if (known.getAckPolicy() != AckPolicy.Explicit || known.getDeliverSubject() != null) {
      throw new IOException("the consumer '" + consumer + "' of the stream '" + stream
          + "' is not a pull consumer with explicit acknowledgements; delete it, so that a worker"
          + " creates it");
    }
    ackWait = Objects.requireNonNullElse(known.getAckWait(), ACK_WAIT);
  }

  private ConsumerConfiguration consumer(JetStreamManagement management, String stored)
      throws IOException, JetStreamApiException {
    try {
      return management.getConsumerInfo(stream, consumer).getConsumerConfiguration();
    } catch (JetStreamApiException e) {
      require(e, NOT_FOUND);
      return management
          .addOrUpdateConsumer(
              stream,
              ConsumerConfiguration.builder()
                  .durable(consumer)
                  .filterSubject(stored)
                  .ackPolicy(AckPolicy.Explicit)
                  .ackWait(ACK_WAIT)
                  .maxDeliver(-1) // the worker limits the attempts, and stores a dead letter
                  .maxAckPending(-1)
                  .maxPullWaiting(WAITING)
                  .build())
          .getConsumerConfiguration();
    }
  }

  private static void require(JetStreamApiException e, int code) throws JetStreamApiException {
    if (e.getErrorCode() != code) {
      throw e;
    }
  }

  /** Requests as many messages as may still run. */
  void fill() {
    int missing;
    String to;
    synchronized (this) {
      long now = worker.clock().nanos();
      while (!pulls.isEmpty() && now > pulls.peek()) {
        pulls.remove(); // its end was lost
      }
      missing = stopped || restoring ? 0 : most - running - pulls.size();
      for (int i = 0; i < missing; i++) {
        pulls.add(now + EXPIRY.plus(GRACE).toNanos());
      }
      to = inbox;
    }
    for (int i = 0; i < missing; i++) {
      worker.ask("$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer, to, PULL);
    }
  }

  private void received(Message message) {
    Status status = message.isStatusMessage() ? message.getStatus() : null;
    if (status == null) {
      synchronized (this) {
        pulls.poll();
        running++;
      }
      worker.serve(new StoredRequest(this, message));
      return;
    }
    synchronized (this) {
      pulls.poll();
    }
    if (status.getCode() == NOT_FOUND || status.getCode() == TIMED_OUT) {
      fill();
    } else {
      restore("the server says '" + status.getMessageWithCode() + "'", PAUSE);
    }
  }

  /** Creates missing streams and consumers again, after a pause. */
  private void restore(String why, Duration pause) {
    synchronized (this) {
      if (restoring || stopped) {
        return;
      }
      restoring = true;
    }
    worker.report(
        "no stored requests arrive from the stream '" + stream + "': " + why + "; trying again");
    Connection broken = connection;
    worker.clock().schedule(pause, NatsConnector::run, () -> {
      String fault = null;
      try {
        if (broken != null && broken.getStatus() == Connection.Status.CONNECTED) {
          declare(broken);
        }
      } catch (IOException | RuntimeException e) {
        fault = String.valueOf(e.getMessage());
      }
      synchronized (this) {
        restoring = false;
      }
      if (fault == null || broken != connection) {
        fill();
      } else {
        restore(fault, LONG_PAUSE);
      }
    });
  }

  /**
   * Returns the interval in milliseconds for extending the acknowledgement time of a running
   * request.
   */
  long signMillis() {
    return Math.max(50, ackWait.toMillis() / 3);
  }

  /** Fetches no further requests; pulls in flight may still deliver some. */
  synchronized void stop() {
    stopped = true;
  }

  /** Sends the settlement of a request to the stream. */
  void settle(String subject, String verb) {
    worker.send(subject, null, verb.getBytes(UTF_8));
  }

  /**
   * Moves a request to the dead letters.
   *
   * @param kept runs after the server has stored it there
   */
  void bury(byte[] body, String reason, Runnable kept) {
    worker.bury(body, reason, kept);
  }

  /** Makes room for the next request. */
  void ended() {
    synchronized (this) {
      running--;
    }
    fill();
  }
}
