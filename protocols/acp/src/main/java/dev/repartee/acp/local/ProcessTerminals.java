package dev.repartee.acp.local;

import static dev.repartee.acp.local.Folder.invalid;

import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.acp.AcpErrors;
import dev.repartee.acp.handlers.CreateTerminalHandler;
import dev.repartee.acp.handlers.KillTerminalHandler;
import dev.repartee.acp.handlers.ReleaseTerminalHandler;
import dev.repartee.acp.handlers.TerminalOutputHandler;
import dev.repartee.acp.types.CreateTerminalRequest;
import dev.repartee.acp.types.CreateTerminalResponse;
import dev.repartee.acp.types.EnvVariable;
import dev.repartee.acp.types.KillTerminalRequest;
import dev.repartee.acp.types.KillTerminalResponse;
import dev.repartee.acp.types.ReleaseTerminalRequest;
import dev.repartee.acp.types.ReleaseTerminalResponse;
import dev.repartee.acp.types.TerminalOutputRequest;
import dev.repartee.acp.types.TerminalOutputResponse;
import dev.repartee.acp.types.WaitForTerminalExitRequest;
import dev.repartee.acp.types.WaitForTerminalExitResponse;
import dev.repartee.message.RpcError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Runs commands for an agent as child processes, without a shell and without input. A command
 * starts in one folder or below it, and is not confined in any other way. Ask the user for
 * permission.
 *
 * <p>Up to 32 terminals exist at a time. Each terminal keeps the last 1 MiB of its output, or less
 * if the agent asks for less. {@link #close} ends all commands. Thread-safe.
 */
public final class ProcessTerminals
    implements CreateTerminalHandler,
        TerminalOutputHandler,
        KillTerminalHandler,
        ReleaseTerminalHandler,
        AutoCloseable {
  private static final int MOST = 32;
  private static final int MOST_BYTES = 1 << 20;

  private final Folder folder;

  /** The terminals by id; guarded by itself. */
  private final Map<String, Command> terminals = new HashMap<>();

  private boolean closed; // guarded by terminals

  /**
   * Creates handlers for terminals.
   *
   * @param folder the working directory of commands without a folder
   * @throws IOException if the folder does not exist
   */
  public ProcessTerminals(Path folder) throws IOException {
    this.folder = new Folder(folder);
  }

  @Override
  public CreateTerminalResponse createTerminal(CreateTerminalRequest request) {
    List<String> line = new ArrayList<>();
    line.add(request.command());
    List<String> args = request.args();
    line.addAll(args == null ? List.of() : args);
    String given = request.cwd();
    Path cwd = given == null ? folder.root() : folder.existing(given);
    if (!Files.isDirectory(cwd)) {
      throw invalid("'" + given + "' is not a folder");
    }
    ProcessBuilder builder =
        new ProcessBuilder(line).directory(cwd.toFile()).redirectErrorStream(true);
    List<EnvVariable> env = request.env();
    for (EnvVariable each : env == null ? List.<EnvVariable>of() : env) {
      if (each.name().isEmpty() || each.name().contains("=") || each.name().contains("\0")) {
        throw invalid("a variable of the environment has an invalid name");
      } else if (each.value().contains("\0")) { // the exception of the JDK would contain the value
        throw invalid("the variable '" + each.name() + "' has an invalid value");
      }
      builder.environment().put(each.name(), each.value());
    }
    Long limit = request.outputByteLimit();
    int bytes = limit == null ? MOST_BYTES : (int) Math.max(0, Math.min(MOST_BYTES, limit));
    String id = UUID.randomUUID().toString();
    synchronized (terminals) {
      if (closed) {
        throw new RpcException(RpcError.INVALID_REQUEST, "the terminals are closed");
      } else if (terminals.size() >= MOST) {
        throw new RpcException(
            RpcError.INVALID_REQUEST,
            MOST + " terminals are open; release some with 'terminal/release'");
      }
      try {
        terminals.put(id, Command.start(builder, request.sessionId(), bytes));
      } catch (IOException | RuntimeException e) {
        throw invalid("the command '" + request.command() + "' cannot be started");
      }
    }
    return new CreateTerminalResponse(id);
  }

  @Override
  public TerminalOutputResponse terminalOutput(TerminalOutputRequest request) {
    return find(request.sessionId(), request.terminalId()).output();
  }

  /** Waits for the end of a command without blocking a thread. */
  @Rpc(value = "terminal/wait_for_exit", paramsObject = true)
  public CompletableFuture<WaitForTerminalExitResponse> waitForTerminalExit(
      WaitForTerminalExitRequest request) {
    return find(request.sessionId(), request.terminalId())
        .exit()
        .thenApply(status -> new WaitForTerminalExitResponse()
            .withExitCode(status.exitCode())
            .withSignal(status.signal()));
  }

  @Override
  public KillTerminalResponse killTerminal(KillTerminalRequest request) {
    find(request.sessionId(), request.terminalId()).kill();
    return new KillTerminalResponse();
  }

  @Override
  public ReleaseTerminalResponse releaseTerminal(ReleaseTerminalRequest request) {
    Command command = find(request.sessionId(), request.terminalId());
    synchronized (terminals) {
      terminals.remove(request.terminalId());
    }
    command.kill();
    return new ReleaseTerminalResponse();
  }

  private Command find(String session, String id) {
    synchronized (terminals) {
      Command command = terminals.get(id);
      if (command != null && command.session().equals(session)) {
        return command;
      }
    }
    throw AcpErrors.notFound(id);
  }

  /** Ends all commands. No other command can be started afterwards. */
  @Override
  public void close() {
    List<Command> all;
    synchronized (terminals) {
      closed = true;
      all = new ArrayList<>(terminals.values());
      terminals.clear();
    }
    all.forEach(Command::kill);
  }
}
