package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Contestants;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.process.Replies;

/**
 * The process of a server: {@code ServerMain CONTESTANT WORKLOAD}. Prints its address, then its
 * {@link MemoryUse} for each input line. Ends with its standard input.
 */
final class ServerMain {
  private ServerMain() {}

  public static void main(String[] args) throws Exception {
    System.out.println(Contestants.named(args[0]).serve(Workload.of(args[1])).text());
    Replies.serve(words -> MemoryUse.now().line());
  }
}
