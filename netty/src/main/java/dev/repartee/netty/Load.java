package dev.repartee.netty;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bytes of requests that one connection has on its way or being served. All its streams share the
 * bound. While it is reached only the request that came first goes on arriving, so that not all of
 * them wait for each other. Of the event loop.
 */
final class Load {
  private final long max;
  private final Runnable freed;
  private final Map<HttpConnection, Long> arriving = new LinkedHashMap<>(2);
  private long arrivingBytes;
  private long servedBytes;
  private boolean refused;

  /** {@code freed} is called when there is room where {@link #takes} found none. */
  Load(long max, Runnable freed) {
    this.max = max;
    this.freed = freed;
  }

  /** Whether that one may take in more. */
  boolean takes(HttpConnection from) {
    boolean room = servedBytes < max && (servedBytes + arrivingBytes < max || isFirst(from));
    refused |= !room;
    return room;
  }

  private boolean isFirst(HttpConnection from) {
    return arriving.isEmpty() || arriving.keySet().iterator().next() == from;
  }

  /** So many bytes of a request arrived there. */
  void arrive(HttpConnection at, long bytes) {
    arriving.merge(at, bytes, Long::sum);
    arrivingBytes += bytes;
  }

  /** Nothing more of that request arrives. */
  void arrived(HttpConnection at) {
    Long bytes = arriving.remove(at);
    if (bytes != null) {
      arrivingBytes -= bytes;
      free();
    }
  }

  /** A request of that size is being served. */
  void serve(long bytes) {
    servedBytes += bytes;
  }

  /** It is no longer. */
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
