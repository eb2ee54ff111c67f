package dev.repartee.benchmarks;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.LoadClient;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Contestants;
import dev.repartee.benchmarks.process.Replies;
import java.time.Duration;

/**
 * The process of a client. Each input line requests a slice; the answer is a line with {@code ok}
 * and the {@link Sample}, or with {@code failed} and the reason. Ends with its standard input.
 */
final class ClientMain {
  private ClientMain() {}

  /** Returns the line that requests a slice. */
  static String request(
      String contestant, Address server, Workload workload, Shape shape, Duration time) {
    return String.join(
        " ",
        contestant,
        server.text(),
        workload.label(),
        shape.toString(),
        Long.toString(time.toMillis()));
  }

  public static void main(String[] args) {
    Replies.serve(ClientMain::answer);
  }

  private static String answer(String[] words) {
    try {
      LoadClient client = Contestants.named(words[0]).client();
      Sample sample = client.run(
          Address.of(words[1]),
          Workload.of(words[2]),
          Shape.of(words[3]),
          Duration.ofMillis(Long.parseLong(words[4])));
      return "ok " + sample.line();
    } catch (Exception e) {
      e.printStackTrace();
      return "failed " + e.toString().replaceAll("\\s+", " ");
    }
  }
}
