package dev.repartee.benchmarks.brokers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * The process of a worker: {@code BrokerWorkerMain CONTESTANT}. Each line of its input is the URI of
 * a service to serve and the most handlers that run at the same time; ends with its standard input.
 */
final class BrokerWorkerMain {
  private BrokerWorkerMain() {}

  public static void main(String[] args) {
    try {
      Library library = Contestant.valueOf(args[0]).library;
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        library.serve(words[0], Integer.parseInt(words[1]));
        System.out.println("ready");
      }
      System.exit(0);
    } catch (Throwable e) { // threads of the libraries would keep the process alive
      e.printStackTrace();
      System.exit(1);
    }
  }
}
