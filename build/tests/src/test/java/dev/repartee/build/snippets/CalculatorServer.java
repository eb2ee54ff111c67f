package dev.repartee.build.snippets;

import dev.repartee.*;

public class CalculatorServer {
  public int subtract(int minuend, int subtrahend) {
    return minuend - subtrahend;
  }

  public static void main(String[] args) throws Exception {
    Server server = Repartee.listen(args[0], Service.of(new CalculatorServer()));
    System.out.println("listening on " + server.endpoint());
    server.join(); // until SIGTERM or Ctrl-C
  }
}
