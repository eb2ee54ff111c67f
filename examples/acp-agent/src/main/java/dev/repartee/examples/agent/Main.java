package dev.repartee.examples.agent;

import dev.repartee.Server;
import dev.repartee.acp.AcpAgent;

/** Serves one client over standard input and output, or many at an address. */
public final class Main {
  private Main() {}

  /** Takes the URI to serve, such as {@code tcp://127.0.0.1:4000}; {@code stdio:} without it. */
  public static void main(String[] args) throws Exception {
    AcpAgent agent = new ScriptedAgent().agent();
    if (args.length == 0 || args[0].equals("stdio:")) {
      agent.run();
      return;
    }
    try (Server server = agent.listen(args[0], AcpAgent.options().build())) {
      System.err.println("listening on " + server.endpoint().bare());
      server.join();
    }
  }
}
