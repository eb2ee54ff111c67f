package dev.repartee.benchmarks;

/**
 * The process of a server: {@code ServerMain CONTESTANT WORKLOAD}. Prints where it listens, and ends
 * with its standard input.
 */
final class ServerMain {
  private ServerMain() {}

  public static void main(String[] args) throws Exception {
    Address address = Contestants.named(args[0]).serve(Workload.of(args[1]));
    System.out.println(address.text());
    System.in.readAllBytes();
    System.exit(0);
  }
}
