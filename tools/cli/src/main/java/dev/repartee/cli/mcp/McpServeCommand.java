package dev.repartee.cli.mcp;

import dev.repartee.CallTimeoutException;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.options.ConnectedCommand;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.CredentialOptions;
import dev.repartee.cli.options.Listening;
import dev.repartee.cli.options.ServedClass;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.framing.Envelope;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.bridge.RemoteEvents;
import dev.repartee.mcp.bridge.RemoteService;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Lenience;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee mcp serve}: serves the methods of a JSON-RPC service as MCP tools. */
@Command(description = """
        Serves the methods of a JSON-RPC service, or of any class, as the tools of an MCP server.

        It supports every revision of MCP. By default it uses standard input and output, as \
        programs that start their MCP servers expect.

        The methods are discovered with rpc.discover, which returns an OpenRPC document; \
        --describe reads one from a file, and #envelope=lazydap and #envelope=mxr include one. \
        Each method becomes a tool; methods that answer with a stream are skipped. Cancellation \
        and progress are forwarded, and notifications become log messages. Errors, time-outs and \
        lost connections are reported to the model. After a lost connection, the next call \
        connects again.

        With --as lsp, the URI is the URI of a language server, and the tools are its features \
        for the files of a folder: hover, definition, references, diagnostics, symbols, rename.

        With --as dap, the URI is the URI of a debug adapter, and the tools debug a program with \
        it: breakpoints, launch, steps, stack, variables, evaluate. A model that has these tools \
        can run any program with your rights.""", footer = """
          repartee mcp serve tcp://127.0.0.1:7000
          repartee mcp serve --class java.lang.Math
          repartee mcp serve --class com.example.Shop \\
              --classpath target/classes:lib/money.jar
          repartee mcp serve http://127.0.0.1:8645/ --listen http://127.0.0.1:8646/mcp
          repartee mcp serve 'exec:node prices.js' --method price --method currencies
          repartee mcp serve http://127.0.0.1:8545/ \\
              --method 'eth_getBlockByNumber(block, full)'
          repartee mcp serve tcp://127.0.0.1:7000 --describe openrpc.json
          repartee mcp serve 'unix:/run/lazydap/app.sock#envelope=lazydap'
          repartee mcp serve exec:clangd --as lsp --workspace ~/src/engine
          repartee mcp serve 'exec:python3 -m debugpy.adapter' --as dap \\
              --workspace ~/src/shop
          echo '{"jsonrpc":"2.0","method":"ping","id":1}' |
              repartee mcp serve tcp://127.0.0.1:7000

        Exit codes: 0 end of input or a signal, 1 the service does not list its methods, 2 usage,
        3 cannot connect or listen, 4 timeout or connection lost, 5 the service broke the
        protocol.""")
final class McpServeCommand extends ConnectedCommand {
  private static final String DEFAULT_ENDPOINT = "stdio:";
  private static final int MAX_FILE = 64 << 20;

  McpServeCommand() {
    super(new Connection(new CredentialOptions.ForBackend()));
  }

  @Parameters(index = "0", arity = "0..1", paramLabel = "URI", description = """
          The endpoint of the service, as for 'repartee call'.""")
  @Nullable String uri;

  @Mixin
  final ServedClass served = new ServedClass();

  @Option(names = "--method", paramLabel = "SIGNATURE", description = """
          Serve this method without rpc.discover, for services that do not support it; may be \
          repeated. NAME alone accepts named params. 'NAME(a, b?, c...)' declares positional \
          params: b is optional, and c is an array with elements that are sent as separate \
          params.""")
  List<String> methods = new ArrayList<>();

  @Option(names = "--describe", paramLabel = "FILE", description = """
          Serve the methods in this OpenRPC document, without rpc.discover. Its member x-connect \
          lists calls to make first on each connection.""")
  @Nullable String described;

  @Mixin
  final Connection.First first = new Connection.First();

  @Option(names = "--name", paramLabel = "NAME", description = """
          The name of the MCP server. Default: the URI, or the class.""")
  @Nullable String name;

  @Mixin
  final DeveloperToolOptions developerTool = new DeveloperToolOptions();

  @Mixin
  final Listening listening = new Listening();

  @Override
  public Integer call() throws InterruptedException {
    if (uri != null && served.name != null) {
      throw Failure.usage("'" + uri + "' and a --class are two services; serve one");
    }
    if (uri == null && served.name == null) {
      throw Failure.usage("there is nothing to serve; give the URI of a service, or a --class");
    }
    if (described != null && !methods.isEmpty()) {
      throw Failure.usage("--describe and --method both list the methods to serve; give one");
    }
    developerTool.check(uri, !methods.isEmpty() || described != null);
    return listening.serve(stdio, DEFAULT_ENDPOINT, this::source);
  }

  private Listening.Served source() {
    String there = uri == null ? String.valueOf(served.name) : uri;
    Options lenient = Options.builder().lenience(Lenience.values()).build();
    McpServer.Builder server = McpServer.builder(name == null ? there : name, Repartee.version())
        .options(listening.guardedMcp(lenient, stdio));
    if (developerTool.areGiven()) {
      return developerTool.serve(server, there, connection, stdio);
    }
    Service own = served.service(stdio);
    Server host = own == null ? null : host(own, there);
    return bridge(host == null ? there : host.endpoint().toString(), server, host);
  }

  /** Serves a class inside this process; it is then bridged like any other service. */
  private static Server host(Service service, String className) {
    try {
      return Repartee.listen("mem:" + className, service);
    } catch (IOException e) {
      throw Failure.endpoint("cannot serve " + className, e);
    }
  }

  private Listening.Served bridge(String uri, McpServer.Builder builder, @Nullable Server host) {
    Stopwatch watch = connection.stopwatch(stdio);
    RemoteEvents events = new RemoteEvents();
    RemoteService service = connect(uri, events);
    watch.lap("connected");
    List<Tool> tools = methods.isEmpty() ? discover(service, uri) : named(service);
    watch.lap(tools.size() + " methods found");
    McpServer server = builder.tools(tools).build();
    events.to(server);
    return Listening.Served.of(server::listen, () -> {
      service.close();
      if (host != null) {
        host.close();
      }
    });
  }

  private RemoteService connect(String uri, RemoteEvents events) {
    Options options = Options.builder()
        .lenience(Lenience.NULL_ID_FAILS_LONE_CALL)
        .dialect(events.in(Connection.dialect(uri)))
        .build();
    try {
      return RemoteService.connect(
          () -> first.on(connection.dial(uri, Service.NONE, listening.backend(options), stdio)),
          description(uri),
          events);
    } catch (IOException e) {
      throw Connection.unreachable(uri, e);
    } catch (ProtocolException e) {
      throw misdescribed(e);
    }
  }

  /**
   * Returns the document in the file, or the document of the envelope, or null to ask the service.
   */
  private @Nullable Json description(String uri) {
    if (described == null) {
      Envelope envelope = Endpoint.parse(uri).envelope();
      return envelope == null ? null : envelope.description();
    }
    byte[] text = InputFile.bytes(
        described,
        MAX_FILE,
        "holds " + MAX_FILE + " bytes or more",
        " to read an OpenRPC document from");
    return JsonText.parse(text, "'" + described + "' is not an OpenRPC document: ");
  }

  private Failure misdescribed(ProtocolException e) {
    return Failure.usage((described == null ? "" : "'" + described + "': ") + Failure.reason(e));
  }

  private List<Tool> named(RemoteService service) {
    try {
      return service.tools(methods);
    } catch (IllegalArgumentException e) {
      service.close();
      throw Failure.usage(String.valueOf(e.getMessage()));
    }
  }

  private List<Tool> discover(RemoteService service, String uri) {
    try {
      return service.tools(
          (method, reason) -> stdio.say("not served: " + method + " (" + reason + ")"));
    } catch (RpcException e) {
      throw Failure.refusal(Endpoint.shown(uri)
          + " does not list its methods: it answers rpc.discover with the error "
          + e.error().message() + " (" + e.code()
          + "); name the methods to serve with --method SIGNATURE");
    } catch (CallTimeoutException | DisconnectedException | ProtocolException | JsonException e) {
      if (described != null && e instanceof ProtocolException invalid) {
        service.close();
        throw misdescribed(invalid);
      }
      throw Failure.unanswered("rpc.discover", uri, connection.timeout, e, null, true);
    } catch (IOException e) {
      throw Connection.unreachable(uri, e);
    }
  }
}
