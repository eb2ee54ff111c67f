package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.process.Replies;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The process of a client: {@code McpClientMain LIBRARY SERVER...}. Prints whether a first call has
 * the right result, then answers each line of its input. Ends with its standard input.
 */
final class McpClientMain {
  private static final List<ToolClient> IDLE = new ArrayList<>();

  private McpClientMain() {}

  public static void main(String[] args) throws Exception {
    List<String> server = List.of(args).subList(1, args.length);
    ToolClient client = connected(args[0], server);
    System.out.println("connected");
    Replies.serve(words -> {
      int number = Integer.parseInt(words[1]);
      switch (words[0]) {
        case "rate" -> {
          Duration time = Duration.ofMillis(Long.parseLong(words[2]));
          return client.sample(number, time).line();
        }
        case "call" -> {
          for (int i = 0; i < number; i++) {
            client.call();
          }
        }
        case "open" -> {
          for (int i = 0; i < number; i++) {
            IDLE.add(connected(args[0], server));
          }
        }
        default -> throw new IOException(words[0]);
      }
      return MemoryUse.now().line();
    });
  }

  /** Returns a client that has made a call. */
  private static ToolClient connected(String library, List<String> server) throws Exception {
    ToolClient client = ToolClient.connect(library, server);
    if (!client.call()) {
      throw new IOException("the result is not 19");
    }
    return client;
  }
}
