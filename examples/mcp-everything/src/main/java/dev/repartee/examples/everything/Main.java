package dev.repartee.examples.everything;

import dev.repartee.Server;
import dev.repartee.mcp.McpServer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The command: listens at each URI of its arguments, until it is stopped. */
public final class Main {
  private static final String HELP = """
      usage: examples/mcp-everything/server [--token TOKEN] URI...

      Serves MCP, in all its revisions, at each URI until SIGTERM or SIGINT (Ctrl-C):

        http://127.0.0.1:3000/mcp   Streamable HTTP, with and without sessions, and HTTP+SSE; port 0
                                    takes a free one
        stdio:                      standard input and output, until end of input
        unix:PATH, tcp://HOST:PORT  the same on a socket

      With --token, clients over HTTP have to send this header: Authorization: Bearer TOKEN.
      Prints 'listening on URI' for each to standard error.
      """;

  private Main() {}

  /** Runs the command. */
  public static void main(String[] args) throws InterruptedException {
    Deque<String> words = new ArrayDeque<>(List.of(args));
    if (words.contains("--help")) {
      System.out.print(HELP);
      return;
    }
    String token = null;
    if ("--token".equals(words.peek()) && words.size() > 1) {
      words.remove();
      token = words.remove();
    }
    if (words.isEmpty() || words.peek().startsWith("-")) {
      System.err.print(HELP);
      System.exit(2);
    }
    serve(Everything.server(token), words);
  }

  private static void serve(McpServer everything, Iterable<String> uris)
      throws InterruptedException {
    List<Server> servers = new ArrayList<>();
    try {
      for (String uri : uris) {
        Server server = everything.listen(uri);
        servers.add(server);
        System.err.println("listening on " + server.endpoint());
      }
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("server: " + e.getMessage());
      System.exit(2);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(servers)));
    for (Server server : servers) {
      server.join();
    }
  }

  /**
   * Handles a signal: lets running calls finish, and exits with status 0 instead of the JVM's 143.
   */
  private static void stop(List<Server> servers) {
    servers.forEach(Server::close);
    Runtime.getRuntime().halt(0);
  }
}
