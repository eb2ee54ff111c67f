package dev.repartee.examples.everything;

import dev.repartee.Server;
import dev.repartee.mcp.McpServer;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** The command: listens at each URI that it is given, until it is told to stop. */
public final class Main {
  private static final String HELP = """
      usage: examples/mcp-everything/server URI...

      Serves MCP, in all its revisions, at each URI until SIGTERM or SIGINT (Ctrl-C):

        http://127.0.0.1:3000/mcp   Streamable HTTP, with and without sessions, and HTTP+SSE; port 0
                                    takes a free one
        stdio:                      standard input and output, until end of input
        unix:PATH, tcp://HOST:PORT  the same on a socket

      Says 'listening on URI' for each on standard error.
      """;

  private Main() {}

  /** Runs the command. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length == 0 || List.of(args).contains("--help")) {
      (args.length == 0 ? System.err : System.out).print(HELP);
      System.exit(args.length == 0 ? 2 : 0);
    }
    PrintStream out = System.err; // standard output may carry the protocol
    List<Server> servers = new ArrayList<>();
    try {
      McpServer everything = Everything.server();
      for (String uri : args) {
        Server server = everything.listen(uri);
        servers.add(server);
        out.println("listening on " + server.endpoint());
      }
    } catch (IOException | IllegalArgumentException e) {
      out.println("server: " + e.getMessage());
      System.exit(2);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(servers)));
    for (Server server : servers) {
      server.join();
    }
  }

  /** What a signal does: lets running calls finish, and exits 0 where the JVM would say 143. */
  private static void stop(List<Server> servers) {
    servers.forEach(Server::close);
    Runtime.getRuntime().halt(0);
  }
}
