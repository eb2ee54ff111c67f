package dev.repartee.examples.script;

import dev.repartee.Server;
import dev.repartee.dap.DapServer;

/** Serves one client over standard input and output, or many at an address. */
public final class Main {
  private Main() {}

  /** Takes the URI to serve, such as {@code tcp://127.0.0.1:4711}; {@code stdio:} without it. */
  public static void main(String[] args) throws Exception {
    if (args.length == 0 || args[0].equals("stdio:")) {
      DapServer.run(new ScriptAdapter());
      return;
    }
    try (Server server =
        DapServer.listen(args[0], ScriptAdapter::new, DapServer.options().build())) {
      System.err.println("listening on " + server.endpoint().bare());
      server.join();
    }
  }
}
