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
 * A debug adapter in a process: starts a program, prints its process id, and does not end it. It
 * reports the process in its argument, if any. With the argument {@link #LATE} it starts the
 * program when it is asked for threads, with {@link #NEVER} not at all.
 */
public final class LaunchingAdapter
    implements DapSessionAware,
        InitializeHandler,
        LaunchHandler,
        ConfigurationDoneHandler,
        ThreadsHandler,
        DisconnectHandler {
  static final long LATE = -1;
  static final long NEVER = -2;

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
    long process = Long.parseLong(reported);
    if (process >= 0) {
      startProgram();
    }
    if (process > 0) {
      session.client().process(new ProcessEvent("other").withSystemProcessId((int) process));
    }
  }

  private void startProgram() {
    try {
      Process program = new ProcessBuilder("sleep", "600")
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start();
      session.client().output(new OutputEvent("pid " + program.pid() + "\n"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public ThreadsResponse threads() {
    if (reported.equals(String.valueOf(LATE))) {
      startProgram();
    }
    return new ThreadsResponse(
        List.of(new dev.repartee.dap.types.Thread((int) ProcessHandle.current().pid(), "main")));
  }

  @Override
  public void configurationDone(ConfigurationDoneArguments arguments) {}

  @Override
  public void disconnect(DisconnectArguments arguments) {}
}
