package dev.repartee.benchmarks.mcp;

import dev.repartee.benchmarks.load.Caller;
import java.io.IOException;
import java.util.List;

/**
 * A client of one library with its defaults, connected to a server with the tool {@code subtract}.
 * It calls the tool with 42 and 23.
 */
interface ToolClient extends Caller {
  /** Returns whether this is the text that the tool returns for the arguments 42 and 23. */
  static boolean isAnswer(String text) {
    return text.equals("19");
  }

  /**
   * Connects with the library of that name.
   *
   * @param server the URI of the server, or the words of the command that starts it
   */
  static ToolClient connect(String library, List<String> server) throws IOException {
    return switch (library) {
      case "repartee" -> ReparteeToolClient.connect(server);
      case "raw" -> RawToolClient.connect(server);
      case "mcp-java" -> SdkToolClient.connect(server);
      default -> throw new IllegalArgumentException(library);
    };
  }

  static boolean isUri(List<String> server) {
    return server.get(0).startsWith("http:");
  }
}
