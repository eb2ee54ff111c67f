package dev.repartee.build.snippets;

import dev.repartee.*;

public class CalculatorClient {
  interface Calculator {
    int subtract(int minuend, int subtrahend);
  }

  public static void main(String[] args) throws Exception {
    try (Peer peer = Repartee.connect(args[0])) {
      System.out.println(peer.proxy(Calculator.class).subtract(42, 23));
    }
  }
}
