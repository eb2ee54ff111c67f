package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.Options;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.ClientCheck;
import dev.repartee.conformance.Level;
import dev.repartee.conformance.Outcome;
import dev.repartee.conformance.Report;
import dev.repartee.conformance.ServerGoneException;
import dev.repartee.conformance.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee check}: whether a server, or a client, keeps to JSON-RPC 2.0. */
@Command(
    name = "check",
    description = {
      "Tries a server, or a client, with several hundred cases, and tells which it does not pass: what"
          + " JSON-RPC 2.0 demands (MUST), what it advises (SHOULD), and what peers rely on (INTEROP).",
      "",
      "Of a server it needs a method that it may call many times. It looks for those of the"
          + " specification's examples (subtract, sum, get_data, update, notify_hello, notify_sum) and"
          + " for echo(value) and sleep(millis); cases for which there is none are told as not run."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  repartee check http://127.0.0.1:8645/",
      "  repartee check 'tcp://127.0.0.1:7001#framing=content-length' --all",
      "  repartee check http://127.0.0.1:8545/ --call eth_chainId",
      "  repartee check exec:./server --echo-method repeat --format junit > check.xml",
      "  repartee check 'exec:clangd#framing=content-length' --open initialize.json",
      "  repartee check --client 'repartee call {uri} subtract 42 23 --timeout 3'",
      "",
      "Exit codes: 0 no MUST failed, 1 one did, 2 usage, 3 cannot connect,"
          + " 4 the server went away."
    })
final class CheckCommand implements Callable<Integer> {
  /** How long a check says nothing where standard error is no terminal. */
  private static final Duration PERIOD = Duration.ofSeconds(10);

  enum Format {
    TABLE,
    JUNIT,
    JSON
  }

  @Parameters(
      arity = "0..1",
      paramLabel = "URI",
      description =
          "Where the server is: http://HOST:PORT/PATH, ws://..., tcp://..., unix:PATH, exec:COMMAND.")
  String uri = "";

  @Option(
      names = "--client",
      paramLabel = "COMMAND",
      description = {
        "Check a client instead: a command that calls subtract with 42 and 23 at {uri}, prints the"
            + " result and exits 0, or exits otherwise on an error. It is run by the shell for each case,"
            + " against a server that answers rightly or not."
      })
  String client = "";

  @Option(
      names = "--listen",
      paramLabel = "URI",
      description =
          "Where that server is to listen; with stdio: the client starts it, by an exec: URI to be"
              + " quoted as '{uri}'. Default: "
              + ClientCheck.DEFAULT_ENDPOINT
              + ".")
  String listen = ClientCheck.DEFAULT_ENDPOINT;

  @Option(
      names = "--method-map",
      paramLabel = "FILE",
      description = {
        "What the server calls the methods, as a JSON object: {\"subtract\":\"math.minus\","
            + " \"minuend\":\"a\", \"subtrahend\":\"b\", \"sum\":null}; null is for what it does not have."
      })
  @Nullable String methodMap;

  @Option(
      names = "--subtract-method",
      paramLabel = "NAME",
      description = "What the server calls subtract(minuend, subtrahend).")
  @Nullable String subtract;

  @Option(
      names = "--echo-method",
      paramLabel = "NAME",
      description = "What the server calls echo(value).")
  @Nullable String echo;

  @Option(
      names = "--call",
      paramLabel = "'METHOD [PARAMS]'",
      description = {
        "A method that always answers the same when it is called with these params (JSON), for the"
            + " cases where any method will do."
      })
  @Nullable String call;

  @Option(
      names = "--open",
      paramLabel = "FILE",
      description = {
        "Messages that each connection begins with, such as initialize: a JSON object, or an array of"
            + " them. The answers to those with an id are waited for."
      })
  @Nullable String open;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "How long to wait for what is owed: 300ms, 2s. Default: 2s; for a client 10s.")
  @Nullable Duration timeout;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table (Markdown too), junit or json. Default: table.")
  Format format = Format.TABLE;

  @Option(names = "--all", description = "In the table, tell of the cases that passed too.")
  boolean all;

  @Option(
      names = "--fail-on",
      paramLabel = "LEVEL",
      description = "The least level that fails the check: must, should or interop. Default: must.")
  Level failOn = Level.MUST;

  @Mixin
  final HeaderOptions headers = new HeaderOptions();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  boolean help;

  private final Stdio stdio;

  private CheckCommand(Stdio stdio) {
    this.stdio = stdio;
  }

  static CommandLine line(Stdio stdio) {
    return new CommandLine(new CheckCommand(stdio)).setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Override
  public Integer call() throws Exception {
    if (uri.isEmpty() == client.isEmpty()) {
      throw Failure.usage("name a server's URI or say --client 'COMMAND', one of them");
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
      case JSON -> stdio.line(Layout.INDENTED.text(report.json()).getBytes(UTF_8));
    }
    if (format != Format.TABLE) {
      stdio.note(report.summary());
    }
  }

  private Report server() throws InterruptedException {
    try {
      Check check = Check.of(uri).with(headers.addTo(Options.DEFAULT)).words(words());
      if (timeout != null) {
        check = check.timeout(timeout);
      }
      if (call != null) {
        int blank = (call + " ").indexOf(' ');
        String params = call.substring(Math.min(call.length(), blank)).strip();
        check = check.calling(
            call.substring(0, Math.min(call.length(), blank)),
            params.isEmpty() ? null : parsed(params, "the text after the method of --call"));
      }
      if (open != null) {
        Json messages = parsed(read(open), "'" + open + "'");
        check = check.opening(
            messages.kind() == Json.Kind.ARRAY ? messages.elements() : List.of(messages));
      }
      try (Counter counter = new Counter(check.cases().size(), "asking what methods there are")) {
        return check.run(counter::count);
      }
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    } catch (ServerGoneException e) {
      show(e.report());
      throw new Failure(Exit.LOST, Failure.reason(e));
    } catch (IOException e) {
      throw Failure.endpoint("cannot connect to " + uri, e);
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
      Json map = parsed(read(methodMap), "'" + methodMap + "'");
      if (map.kind() != Json.Kind.OBJECT) {
        throw Failure.usage("'" + methodMap + "' is no object, such as {\"subtract\":\"minus\"}");
      }
      map.members().forEach((word, own) -> {
        if (own.kind() != Json.Kind.STRING && !own.isNull()) {
          throw Failure.usage(
              "'" + methodMap + "' has " + own + " for '" + word + "'; say a name, or null");
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

  private static Json parsed(String text, String what) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      throw Failure.usage(what + " is not JSON: " + e.getMessage());
    }
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (NoSuchFileException | InvalidPathException e) {
      throw Failure.usage("there is no file '" + file + "'");
    } catch (IOException e) {
      throw Failure.usage("'" + file + "' cannot be read: " + Failure.reason(e));
    }
  }

  /** Shows how far it is. */
  private final class Counter implements AutoCloseable {
    private final Progress progress = new Progress(stdio);
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
