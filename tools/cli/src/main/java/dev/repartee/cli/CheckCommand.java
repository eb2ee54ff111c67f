package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.HeaderOptions;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.cli.terminal.Progress;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.ClientCheck;
import dev.repartee.conformance.Level;
import dev.repartee.conformance.Outcome;
import dev.repartee.conformance.Report;
import dev.repartee.conformance.ServerGoneException;
import dev.repartee.conformance.Verdict;
import dev.repartee.json.Json;
import dev.repartee.json.JsonLayout;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee check}: tests whether a server or a client conforms to JSON-RPC 2.0. */
@Command(description = """
        Tests a server, or a client, with several hundred cases and lists the failed ones. A case \
        is a rule of JSON-RPC 2.0 (MUST), a recommendation (SHOULD), or behaviour that peers rely \
        on (INTEROP).

        The server must have a method that may be called many times. The check looks for the \
        methods of the specification's examples (subtract, sum, get_data, update, notify_hello, \
        notify_sum) and for echo(value) and sleep(millis). Cases that need a missing method are \
        reported as not run.""", footer = """
          repartee check http://127.0.0.1:8645/
          repartee check 'tcp://127.0.0.1:7001#framing=content-length' --all
          repartee check http://127.0.0.1:8545/ --call eth_chainId
          repartee check exec:./server --echo-method repeat --format junit > check.xml
          repartee check 'exec:clangd#framing=content-length' --open initialize.json
          repartee check --client 'repartee call {uri} subtract 42 23 --timeout 3'

        Exit codes: 0 no MUST failed, 1 a MUST failed (see --fail-on), 2 usage, 3 cannot connect,
        4 the server went away or does not respond.""")
final class CheckCommand extends Subcommand {
  /** The interval of progress lines if standard error is not a terminal. */
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private static final int MAX_FILE = 64 << 20;

  enum Format {
    TABLE,
    JUNIT,
    JSON
  }

  @Parameters(arity = "0..1", paramLabel = "URI", description = """
          The endpoint of the server: http://HOST:PORT/PATH, ws://..., tcp://..., unix:PATH, \
          exec:COMMAND, ssh://HOST/COMMAND, nats://HOST/SUBJECT, amqp://USER@HOST/QUEUE, \
          zmq+tcp://HOST:PORT, xmpp://ACCOUNT/SERVICE.""")
  String uri = "";

  @Option(names = "--client", paramLabel = "COMMAND", description = """
          Check a client instead: a command that calls subtract with 42 and 23 at {uri} and either \
          prints the result and exits with 0, or exits with another code on an error. The shell \
          runs it once for each case, against a server that sends a correct response or a faulty \
          one.""")
  String client = "";

  @Option(names = "--listen", paramLabel = "URI", description = """
          With --client, the endpoint of the check's server. With stdio: the client starts the \
          server from an exec: URI; then write '{uri}' with quotes. Default: ${DEFAULT-VALUE}.""")
  String listen = ClientCheck.DEFAULT_ENDPOINT;

  @Option(names = "--method-map", paramLabel = "FILE", description = """
          The server's names for the methods and params, as a JSON object: \
          {"subtract":"math.minus", "minuend":"a", "subtrahend":"b", "sum":null}; null marks a \
          method that the server does not have.""")
  @Nullable String methodMap;

  @Option(names = "--subtract-method", paramLabel = "NAME", description = """
          The server's name for subtract(minuend, subtrahend).""")
  @Nullable String subtract;

  @Option(names = "--echo-method", paramLabel = "NAME", description = """
          The server's name for echo(value).""")
  @Nullable String echo;

  @Option(names = "--call", paramLabel = "CALL", description = """
          'METHOD PARAMS': a method that always returns the same result for these params (JSON; \
          without PARAMS for none), for the cases that can use any method.""")
  @Nullable String call;

  @Option(names = "--open", paramLabel = "FILE", description = """
          The messages that start each connection, such as initialize: a JSON object, or an array \
          of objects. The check waits for the responses to messages with an id.""")
  @Nullable String open;

  @Option(names = "--timeout", paramLabel = "TIME", description = """
          The time limit for an expected response, such as 300ms or 2s. Default: 2s; for a run of \
          a client 10s.""")
  @Nullable Duration timeout;

  @Option(names = "--format", paramLabel = "FORMAT", description = """
          table (valid Markdown), junit or json. Default: table.""")
  Format format = Format.TABLE;

  @Option(names = "--all", description = "List passed cases in the table too.")
  boolean all;

  @Option(names = "--fail-on", paramLabel = "LEVEL", description = """
          The lowest level at which a failed case fails the check: must, should or interop. \
          Default: must.""")
  Level failOn = Level.MUST;

  @Mixin
  final HeaderOptions headers = new HeaderOptions();

  @Override
  public Integer call() throws Exception {
    if (uri.isEmpty() == client.isEmpty()) {
      throw Failure.usage("give either the URI of a server or --client 'COMMAND'");
    }
    Report report = client.isEmpty() ? server() : client();
    show(report);
    for (Level level : Level.values()) {
      if (level.compareTo(failOn) <= 0 && report.failures(level) > 0) {
        return Exit.ERROR_RESPONSE;
      }
    }
    return Exit.OK;
  }

  private void show(Report report) {
    switch (format) {
      case TABLE -> stdio.text(report.table(all).stripTrailing());
      case JUNIT -> stdio.line(report.junit().getBytes(UTF_8));
      case JSON -> stdio.line(JsonLayout.INDENTED.text(report.json()).getBytes(UTF_8));
    }
    if (format != Format.TABLE) {
      stdio.note(report.summary());
    }
  }

  private Report server() throws InterruptedException {
    try {
      Connection.requireJsonRpc2("the check", uri);
      Check check =
          Check.of(uri).with(headers.addTo(Options.DEFAULT, uri, stdio)).words(words());
      if (timeout != null) {
        check = check.timeout(timeout);
      }
      if (call != null) {
        int blank = (call + " ").indexOf(' ');
        String params = call.substring(Math.min(call.length(), blank)).strip();
        check = check.calling(
            call.substring(0, Math.min(call.length(), blank)),
            params.isEmpty()
                ? null
                : JsonText.parse(
                    params.getBytes(UTF_8), "the text after the method of --call is not JSON: "));
      }
      if (open != null) {
        Json messages = json(open);
        check = check.opening(
            messages.kind() == Json.Kind.ARRAY ? messages.elements() : List.of(messages));
      }
      try (Counter counter = new Counter(check.cases().size(), "asking for the list of methods")) {
        return check.run(counter::count);
      }
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (ServerGoneException e) {
      show(e.report());
      throw Failure.lost(Failure.reason(e));
    } catch (IOException e) {
      throw Failure.endpoint("cannot connect to " + Endpoint.shown(uri), e);
    }
  }

  private Report client() throws InterruptedException {
    try {
      ClientCheck check = ClientCheck.of(client).listen(listen);
      if (timeout != null) {
        check = check.timeout(timeout);
      }
      try (Counter counter = new Counter(check.cases().size(), "waiting for the first call")) {
        return check.run(counter::count);
      }
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (IOException e) {
      throw Failure.endpoint("cannot listen on " + listen, e);
    }
  }

  private Map<String, @Nullable String> words() {
    Map<String, @Nullable String> words = new LinkedHashMap<>();
    if (methodMap != null) {
      Json map = json(methodMap);
      if (map.kind() != Json.Kind.OBJECT) {
        throw Failure.usage(
            "'" + methodMap + "' is not an object such as {\"subtract\":\"minus\"}");
      }
      map.members().forEach((word, own) -> {
        if (own.kind() != Json.Kind.STRING && !own.isNull()) {
          throw Failure.usage(
              "'" + methodMap + "' has " + own + " for '" + word + "'; use a name, or null");
        }
        words.put(word, own.isNull() ? null : own.as(String.class));
      });
    }
    if (subtract != null) {
      words.put("subtract", subtract);
    }
    if (echo != null) {
      words.put("echo", echo);
    }
    return words;
  }

  private static Json json(String file) {
    String text = InputFile.text(file, MAX_FILE, "holds " + MAX_FILE + " bytes or more");
    return JsonText.parse(text.getBytes(UTF_8), "'" + file + "' is not JSON: ");
  }

  /** Counts the cases and shows the count as progress. */
  private final class Counter implements AutoCloseable {
    private final Progress progress = stdio.progress();
    private final int total;
    private final Runnable end;
    private volatile String state;
    private int done;
    private int failed;

    Counter(int total, String first) {
      this.total = total;
      this.state = first;
      this.end = progress.tell(() -> state, PERIOD);
    }

    void count(Verdict verdict) {
      done++;
      if (verdict.outcome() == Outcome.FAILED) {
        failed++;
      }
      state = done + " of " + total + " cases, " + failed + " failed: " + verdict.tested();
      progress.replace(state);
    }

    @Override
    public void close() {
      end.run();
    }
  }
}
