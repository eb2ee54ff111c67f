package dev.repartee.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.MemoryUse;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * The process of a server: {@code ServerMain CONTESTANT WORKLOAD}. Prints its address, then its
 * {@link MemoryUse} for each input line. Ends with its standard input.
 */
final class ServerMain {
  private ServerMain() {}

  public static void main(String[] args) throws Exception {
    Address address = Contestants.named(args[0]).serve(Workload.of(args[1]));
    System.out.println(address.text());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (in.readLine() != null) {
      System.out.println(MemoryUse.now().line());
    }
    System.exit(0);
  }
}
