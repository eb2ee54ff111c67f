package dev.repartee.benchmarks.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Driver;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.process.MemoryUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The process of a client: {@code McpClientMain LIBRARY SERVER...}. Prints the result of a first
 * call, then answers each line of its input. Ends with its standard input.
 */
final class McpClientMain {
  private McpClientMain() {}

  public static void main(String[] args) {
    try {
      answer(args);
      System.exit(0);
    } catch (Throwable e) { // threads of the libraries would keep the process alive
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void answer(String[] args) throws Exception {
    List<String> server = List.of(args).subList(1, args.length);
    ToolClient client = ToolClient.connect(args[0], server);
    System.out.println(client.call());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    List<ToolClient> idle = new ArrayList<>();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      int number = Integer.parseInt(words[1]);
      switch (words[0]) {
        case "rate" -> {
          Duration time = Duration.ofMillis(Long.parseLong(words[2]));
          System.out.println(run(client, number, time).rate());
        }
        case "call" -> {
          for (int i = 0; i < number; i++) {
            client.call();
          }
          System.out.println(MemoryUse.now().line());
        }
        case "open" -> {
          for (int i = 0; i < number; i++) {
            idle.add(ToolClient.connect(args[0], server));
            idle.get(i).call();
          }
          System.out.println(MemoryUse.now().line());
        }
        default -> throw new IOException(line);
      }
    }
  }

  /**
   * Calls for that time, with that number of calls in flight. A single call at a time waits for its
   * result.
   */
  static Sample run(ToolClient client, int inFlight, Duration time) throws Exception {
    Driver.Connection calls = new Driver.Connection() {
      @Override
      public void call(Driver.Done done) throws IOException {
        if (blocks()) {
          done.done(ToolClient.isAnswer(client.call()));
        } else {
          client.call(done);
        }
      }

      @Override
      public boolean blocks() {
        return inFlight == 1;
      }

      @Override
      public void close() {} // the client stays open for the next sample
    };
    return new Driver((server, workload) -> calls)
        .run(Address.port(0), Workload.SUBTRACT, new Shape(1, inFlight), time);
  }
}
