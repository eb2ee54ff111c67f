package dev.repartee.benchmarks;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.process.MemoryUse;

/**
 * The process that calls an address, one call at a time, and prints the bytes allocated for a call.
 */
final class CallerMain {
  private static final int CALLS = 20_000;

  private CallerMain() {}

  public static void main(String[] args) throws Exception {
    try (Peer peer = Repartee.connect("tcp://127.0.0.1:" + Address.of(args[0]).port())) {
      call(peer);
      long allocated = MemoryUse.allocatedByAll();
      call(peer);
      System.out.println((MemoryUse.allocatedByAll() - allocated) / (double) CALLS);
    }
    System.exit(0);
  }

  private static void call(Peer peer) {
    for (int i = 0; i < CALLS; i++) {
      if (peer.callAsync("subtract", int.class, 42, 23).join() != 19) {
        throw new IllegalStateException("the server gave a wrong answer");
      }
    }
  }
}
