package dev.repartee;

import dev.repartee.limits.LimitException;
import java.time.Duration;
import java.util.Map;

/**
 * The load of a {@link Server} at one moment, over all its connections, paths and requests without
 * a connection: {@link Server#figures}. Totals count from the start of the server and only grow.
 * The figures are read one after the other while calls begin and end: each is exact, but together
 * they are not one consistent state. The calls and bytes of a burst that is being read are added at
 * its end. Immutable.
 *
 * @param uptime the time since the start of the server
 * @param open the connections that are open: sockets, pipes and WebSockets. Requests over HTTP have
 *     no connection here
 * @param accepted the connections that were accepted
 * @param running the requests and notifications that run, except inline ones, which block their
 *     reader
 * @param waiting the requests and notifications that wait for earlier ones of their connection
 * @param started the requests and notifications that were started
 * @param errors the error responses, and the notifications that failed
 * @param refused the calls and messages that were refused before their layers, by the {@linkplain
 *     RefusedCall#reason reason} or, for input that exceeds a limit of its transport or codec, by
 *     the name of the {@linkplain LimitException#limit limit}. The number of reasons is bounded:
 *     none contains text of a peer
 * @param received the bytes of the messages from clients, without their framing and headers
 * @param sent the bytes of the messages to clients, without their framing and headers
 * @param requests the memory budget of arriving, waiting and running messages
 * @param answers the memory budget of answers that were not sent yet
 */
public record ServerFigures(
    Duration uptime,
    long open,
    long accepted,
    long running,
    long waiting,
    long started,
    long errors,
    Map<String, Long> refused,
    long received,
    long sent,
    Budget requests,
    Budget answers) {
  /**
   * A memory budget of the process ({@code heldBytes}), which all its servers share.
   *
   * @param used the bytes in use. Small messages are not counted; may exceed the maximum
   * @param max the bytes at most
   */
  public record Budget(long used, long max) {}

  /** Copies the map. */
  public ServerFigures {
    refused = Map.copyOf(refused);
  }
}
