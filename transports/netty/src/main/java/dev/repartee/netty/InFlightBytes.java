package dev.repartee.netty;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bytes of the requests of one connection that are arriving or being served. The streams of an
 * HTTP/2 connection share one limit. At the limit, only the request that began first may continue
 * to arrive: if all requests stopped halfway, none could ever be served. Runs on the event loop.
 */
final class InFlightBytes {
  private final long max;
  private final Runnable freed;
  private final Map<HttpConnection, Long> arriving = new LinkedHashMap<>(2);
  private long arrivingBytes;
  private long servedBytes;
  private boolean refused;

  /**
   * Creates counts without requests.
   *
   * @param max the limit in bytes
   * @param freed runs when bytes are freed after {@link #hasRoom} has returned false
   */
  InFlightBytes(long max, Runnable freed) {
    this.max = max;
    this.freed = freed;
  }

  /** Returns whether a connection or stream may receive more bytes. */
  boolean hasRoom(HttpConnection from) {
    boolean hasRoom = servedBytes < max && (servedBytes + arrivingBytes < max || isFirst(from));
    refused |= !hasRoom;
    return hasRoom;
  }

  private boolean isFirst(HttpConnection from) {
    return arriving.isEmpty() || arriving.keySet().iterator().next() == from;
  }

  /** Adds bytes of a request that is arriving. */
  void arrive(HttpConnection at, long bytes) {
    arriving.merge(at, bytes, Long::sum);
    arrivingBytes += bytes;
  }

  /** Removes a request that was arriving, whether it is complete or not. */
  void arrived(HttpConnection at) {
    Long bytes = arriving.remove(at);
    if (bytes != null) {
      arrivingBytes -= bytes;
      free();
    }
  }

  /** Adds a request that is being served. */
  void serve(long bytes) {
    servedBytes += bytes;
  }

  /** Removes a request that was being served. */
  void served(long bytes) {
    servedBytes -= bytes;
    free();
  }

  private void free() {
    if (refused) {
      refused = false;
      freed.run();
    }
  }
}
