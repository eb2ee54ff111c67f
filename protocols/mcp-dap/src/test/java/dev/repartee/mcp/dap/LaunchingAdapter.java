package dev.repartee.mcp.dap;

import dev.repartee.dap.DapServer;
import dev.repartee.dap.DapSession;
import dev.repartee.dap.DapSessionAware;
import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.*;
import dev.repartee.json.Json;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;

/**
 * A debug adapter in a process: starts a program, prints its process id, and leaves it behind. It
 * reports no process, or that of its argument.
 */
public final class LaunchingAdapter
    implements DapSessionAware,
        InitializeHandler,
        LaunchHandler,
        ConfigurationDoneHandler,
        DisconnectHandler {
  private final String reported;
  private DapSession session;

  private LaunchingAdapter(String reported) {
    this.reported = reported;
  }

  public static void main(String[] args) throws Exception {
    DapServer.run(new LaunchingAdapter(args[0]));
    System.exit(0);
  }

  /** Returns the URI of an adapter that reports a process; of none for 0. */
  static String uri(long reported) {
    return "exec:"
        + Json.of(List.of(
            System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            LaunchingAdapter.class.getName(),
            String.valueOf(reported)));
  }

  @Override
  public void connect(DapSession session) {
    this.session = session;
  }

  @Override
  public Capabilities initialize(InitializeRequestArguments client) {
    session.client().initialized();
    return new Capabilities()
        .withSupportsConfigurationDoneRequest(true)
        .withSupportTerminateDebuggee(true);
  }

  @Override
  public void launch(Configuration configuration) {
    try {
      Process program = new ProcessBuilder("sleep", "600")
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start();
      session.client().output(new OutputEvent("pid " + program.pid() + "\n"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    if (!reported.equals("0")) {
      session
          .client()
          .process(new ProcessEvent("other").withSystemProcessId(Integer.parseInt(reported)));
    }
  }

  @Override
  public void configurationDone(ConfigurationDoneArguments arguments) {}

  @Override
  public void disconnect(DisconnectArguments arguments) {}
}
