package dev.repartee.netty;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks up the addresses of hosts. The JDK's lookup blocks, cannot be interrupted and may take many
 * seconds, so it runs neither on an event loop nor on a thread that has a time limit: each name that is
 * being looked up has a thread of its own, which everyone who waits for that name shares.
 */
final class HostNames {
  private static final Map<String, CompletableFuture<InetAddress[]>> UNDER_WAY =
      new ConcurrentHashMap<>();

  private HostNames() {}

  /** Returns the addresses of that host, at least one, or the {@link IOException} why there are none. */
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
      Thread thread = new Thread(() -> lookUp(host, found), "repartee-names");
      thread.setDaemon(true);
      thread.start();
    } catch (Error e) { // no thread is to be had
      UNDER_WAY.remove(host);
      found.completeExceptionally(e);
    }
    return found;
  }

  /** Removes the lookup before it completes, so that a later connection looks up anew. */
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
