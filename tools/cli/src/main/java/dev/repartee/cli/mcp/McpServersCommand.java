package dev.repartee.cli.mcp;

import dev.repartee.CallTimeoutException;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Visible;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.RemoteTool;
import dev.repartee.mcp.types.Implementation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp servers}: lists the tools of all servers in the configuration of a client. */
@Command(description = """
        Connects to all MCP servers in the configuration file of a client, at the same time, and \
        lists the tools of each as soon as it answers. A server that cannot be reached, or is too \
        slow, is reported on a separate line.

        The file has an object 'mcpServers', or 'servers' as in VS Code. Each server has a \
        command with args, env and cwd, or a url with headers. $${NAME} and $${env:NAME} are \
        replaced by environment variables. Members without a meaning for this command are \
        reported.""", footer = """
          repartee mcp servers servers.json
          repartee mcp servers ~/.cursor/mcp.json --timeout 5s

        Exit codes: 0 all servers answer, 2 usage; otherwise the code of a failed server: 1 error
        response, 3 cannot connect, 4 timeout or connection lost, 5 it broke the protocol.""")
final class McpServersCommand extends Subcommand {
  /** The time to end the connections when all servers have answered. */
  private static final Duration CLOSING = Duration.ofSeconds(5);

  @Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = """
          The configuration file. Without it, the usual files are listed.""")
  @Nullable String file;

  @Option(names = "--timeout", paramLabel = "TIME", description = """
          The time limit of each server. Default: 30s.""")
  Duration timeout = Duration.ofSeconds(30);

  @Option(names = "--json", description = "Print a JSON object on a line for each server.")
  boolean json;

  @Mixin
  final RevisionOption revision = new RevisionOption();

  /** The outcome of one server: its tools, or the exit code and reason of its failure. */
  private record Outcome(
      ServersFile.Entry entry,
      String about,
      List<RemoteTool> tools,
      int exit,
      @Nullable String failure) {}

  @Override
  public Integer call() throws InterruptedException {
    if (file == null) {
      throw Failure.usage("name the configuration file with the servers; usual are " + usual());
    }
    List<ServersFile.Entry> entries = new ServersFile(System::getenv).read(file);
    for (ServersFile.Entry entry : entries) {
      if (!entry.ignored().isEmpty()) {
        stdio.note(entry.name() + ": ignored: " + String.join(", ", entry.ignored()));
      }
      if (entry.disabled()) {
        stdio.note(entry.name() + ": left out, since it is disabled");
      }
    }
    return ask(entries.stream().filter(entry -> !entry.disabled()).toList());
  }

  private static String usual() {
    String home = System.getProperty("user.home");
    return String.join(
        ", ",
        ServersFile.USUAL.stream()
            .map(name -> Files.exists(Path.of(name.replaceFirst("^~", home.replace("\\", "\\\\"))))
                ? name + " (exists)"
                : name)
            .toList());
  }

  private int ask(List<ServersFile.Entry> entries) throws InterruptedException {
    BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    ExecutorService threads = Executors.newCachedThreadPool(Threads.numbered("mcp-server"));
    Map<ServersFile.Entry, Future<?>> pending = new LinkedHashMap<>();
    entries.forEach(entry -> pending.put(entry, threads.submit(() -> ask(entry, outcomes))));
    int exit = Exit.OK;
    long end = System.nanoTime() + timeout.toNanos();
    while (!pending.isEmpty()) {
      Outcome outcome = outcomes.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      if (outcome == null) {
        break;
      }
      pending.remove(outcome.entry);
      exit = Math.max(exit, print(outcome));
    }
    for (Map.Entry<ServersFile.Entry, Future<?>> late : pending.entrySet()) {
      exit = Math.max(exit, print(late(late.getKey())));
      late.getValue().cancel(true); // the interrupted thread ends its connection
    }
    threads.shutdown();
    threads.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
    return exit;
  }

  private Outcome late(ServersFile.Entry entry) {
    return failed(
        entry,
        Exit.LOST,
        "no answer within " + timeout.toMillis() + " ms; raise the limit with --timeout");
  }

  /** Asks one server for its tools, on a separate thread. */
  private void ask(ServersFile.Entry entry, BlockingQueue<Outcome> outcomes) {
    if (entry.fault() != null) {
      outcomes.add(failed(entry, Exit.USAGE, entry.fault()));
      return;
    }
    // The last line on the standard error of a process is often the best explanation.
    AtomicReference<String> lastError = new AtomicReference<>("");
    try (McpClient client = revision
        .on(McpClient.builder("repartee", Repartee.version()))
        .options(options(entry))
        .timeout(timeout.plus(CLOSING)) // the command's own time limit passes first
        .onStderr(line -> {
          if (!line.isBlank()) {
            lastError.set(line);
          }
        })
        .connect(entry.uri())) {
      boolean hasTools = client.capabilities().get("tools") != null;
      List<RemoteTool> tools = hasTools ? client.tools().toList() : List.of();
      outcomes.add(new Outcome(entry, about(client), tools, Exit.OK, null));
    } catch (CancellationException e) {
      // The time limit has passed; this is already reported.
    } catch (Exception e) {
      String wrote = lastError.get().isEmpty() ? "" : "; it wrote: " + lastError.get();
      boolean isOther =
          e instanceof RpcException error && McpClientCommand.isOfAnotherProtocol(error);
      String reason = isOther ? McpClientCommand.noMcp(entry.uri()) : Failure.reason(e);
      outcomes.add(failed(entry, exit(e), reason + wrote));
    }
  }

  private static Options options(ServersFile.Entry entry) {
    Options.Builder options = Options.builder();
    entry.headers().fields().forEach(options::header);
    return options.build();
  }

  private static Outcome failed(ServersFile.Entry entry, int exit, String failure) {
    return new Outcome(entry, "", List.of(), exit, failure);
  }

  private static int exit(Exception e) {
    if (e instanceof RpcException) {
      return Exit.ERROR_RESPONSE;
    } else if (e instanceof ProtocolException || e instanceof JsonException) {
      return Exit.PROTOCOL;
    } else if (e instanceof IllegalArgumentException) {
      return Exit.USAGE;
    } else if (e instanceof CallTimeoutException) {
      return Exit.LOST;
    }
    return Exit.CANNOT_CONNECT;
  }

  private static String about(McpClient client) {
    Implementation server = client.server();
    return (server == null ? "" : server.name() + " " + server.version() + ", ")
        + client.revision().label();
  }

  /** Prints the outcome of a server and returns its exit code. */
  private int print(Outcome outcome) {
    String name = outcome.entry.name();
    if (json) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("server", name);
      if (outcome.failure == null) {
        members.put("tools", outcome.tools.stream().map(RemoteTool::json).toList());
      } else {
        members.put("failure", outcome.failure);
      }
      stdio.item(Json.of(members));
    } else if (outcome.failure != null) {
      stdio.say(name + ": " + outcome.failure);
    } else {
      int count = outcome.tools.size();
      StringBuilder text = new StringBuilder(Visible.sentence(
          name + " (" + outcome.about + "): " + count + (count == 1 ? " tool" : " tools")));
      if (count > 0) {
        int width = stdio.width() == Integer.MAX_VALUE ? stdio.width() : stdio.width() - 2;
        text.append("\n  ")
            .append(McpToolsCommand.table(outcome.tools).text(width).replace("\n", "\n  "));
      }
      stdio.text(text.toString());
    }
    return outcome.exit;
  }
}
