package dev.repartee.netty;

import dev.repartee.internal.Threads;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks up the addresses of hosts. The JDK's lookup blocks, cannot be interrupted and may take many
 * seconds. Therefore it runs neither on an event loop nor on a thread with a time limit. Each name
 * is looked up on a separate thread, whose result all callers for that name share.
 */
final class HostNames {
  /** The lookups in progress, by name. */
  private static final Map<String, CompletableFuture<InetAddress[]>> UNDER_WAY =
      new ConcurrentHashMap<>();

  private HostNames() {}

  /**
   * Looks up a host. The future completes with at least one address, or fails with an
   * {@link IOException}. With a literal address it completes immediately.
   */
  static CompletableFuture<InetAddress[]> resolve(String host) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      try {
        return CompletableFuture.completedFuture(
            new InetAddress[] {InetAddress.getByAddress(literal)});
      } catch (UnknownHostException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    CompletableFuture<InetAddress[]> found = new CompletableFuture<>();
    CompletableFuture<InetAddress[]> other = UNDER_WAY.putIfAbsent(host, found);
    if (other != null) {
      return other;
    }
    try {
      Threads.start("repartee-names", () -> lookUp(host, found));
    } catch (Error e) { // no thread can be started
      UNDER_WAY.remove(host);
      found.completeExceptionally(e);
    }
    return found;
  }

  /**
   * Looks up one name. The lookup is removed from the map before it completes; a later caller
   * starts a new one.
   */
  private static void lookUp(String host, CompletableFuture<InetAddress[]> found) {
    try {
      InetAddress[] addresses = InetAddress.getAllByName(host);
      UNDER_WAY.remove(host);
      found.complete(addresses);
    } catch (UnknownHostException e) {
      UNDER_WAY.remove(host);
      UnknownHostException unknown = new UnknownHostException(
          "no address is known for the host '" + host + "'; check its spelling");
      unknown.initCause(e);
      found.completeExceptionally(unknown);
    } catch (RuntimeException | Error e) {
      UNDER_WAY.remove(host);
      found.completeExceptionally(e);
    }
  }
}
