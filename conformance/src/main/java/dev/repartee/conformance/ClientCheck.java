package dev.repartee.conformance;

import dev.repartee.Endpoint;
import dev.repartee.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The corpus against a client: a {@link Client}, or a command that calls {@code subtract} with 42 and 23,
 * prints the result and exits 0, or exits otherwise if there is none. It is run once for each case, a
 * command by the shell, against a server that answers as the case has it. Immutable.
 */
public final class ClientCheck {
  /** Where the server listens unless told otherwise. */
  public static final String DEFAULT_ENDPOINT = "tcp://127.0.0.1:0";

  private static final String RESULT = "19";
  private static final String GROUP = "client";

  private final String name;
  private final Client client;
  private final Endpoint endpoint;
  private final Duration timeout;

  private ClientCheck(String name, Client client, Endpoint endpoint, Duration timeout) {
    this.name = name;
    this.client = client;
    this.endpoint = endpoint;
    this.timeout = timeout;
  }

  /** Checks that command; {@code {uri}} in it, and the variable REPARTEE_URI, is where to call. */
  public static ClientCheck of(String command) {
    return of(command, new CommandClient(command));
  }

  /** Checks a client in this process, which reports call so. */
  public static ClientCheck of(String name, Client client) {
    return new ClientCheck(name, client, Endpoint.parse(DEFAULT_ENDPOINT), Duration.ofSeconds(10));
  }

  /**
   * Where the server is to listen; {@code stdio:} has the client start it, by an {@code exec:} URI that
   * a shell has to be given in quotes.
   *
   * @throws IllegalArgumentException if the URI makes no sense
   */
  public ClientCheck listen(String uri) {
    return new ClientCheck(name, client, Endpoint.parse(uri), timeout);
  }

  /** How long a call may take, which is given up then; 10 s by default. */
  public ClientCheck timeout(Duration timeout) {
    return new ClientCheck(name, client, endpoint, timeout);
  }

  /** The cases that apply to that transport. */
  public List<Case> cases() {
    return List.copyOf(written().keySet());
  }

  private Map<Case, Json> written() {
    Map<Case, Json> cases = new LinkedHashMap<>();
    for (Json written : Corpus.expanded(Corpus.file(GROUP))) {
      Case tested = Corpus.client(GROUP, written);
      if (Wires.applies(tested.over(), endpoint)) {
        cases.put(tested, written);
      }
    }
    return cases;
  }

  /**
   * Runs them all.
   *
   * @param progress told of each verdict as it falls
   * @throws IOException if the server cannot listen
   */
  public Report run(Consumer<Verdict> progress) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    List<Verdict> verdicts = new ArrayList<>();
    try (ScriptedServer server = server()) {
      for (Map.Entry<Case, Json> one : written().entrySet()) {
        Verdict verdict = run(one.getKey(), one.getValue(), server);
        verdicts.add(verdict);
        progress.accept(verdict);
      }
    }
    return new Report(name, verdicts, Duration.ofNanos(System.nanoTime() - begun));
  }

  private ScriptedServer server() throws IOException {
    return switch (endpoint.scheme()) {
      case "http" -> new HttpScriptServer(endpoint);
      case "stdio" -> new ChildServer(endpoint);
      default -> new ChannelServer(endpoint);
    };
  }

  private Verdict run(Case tested, Json written, ScriptedServer server)
      throws IOException, InterruptedException {
    server.play(written);
    Owed owed = Owed.valueOf(
        String.valueOf(written.get("owed")).replace("\"", "").toUpperCase(Locale.ROOT));
    String fault;
    FutureTask<String> call = new FutureTask<>(() -> client.call(server.uri()));
    Thread caller = new Thread(call, "conformance-client");
    caller.setDaemon(true);
    caller.start();
    try {
      fault = owed.fault(call.get(timeout.toNanos(), TimeUnit.NANOSECONDS), null);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      String why = cause == null ? null : cause.getMessage();
      fault = owed.fault("", why == null ? String.valueOf(cause) : why);
    } catch (TimeoutException e) {
      call.cancel(true);
      fault = "it has not ended within " + timeout.toMillis() + " ms";
    }
    if (fault == null) {
      String sent = server.fault();
      fault = sent == null ? null : "what it sent breaks the rules: " + sent;
    }
    return fault == null ? Verdict.passed(tested) : Verdict.failed(tested, owed.toString(), fault);
  }

  /** What has to come of the call. */
  private enum Owed {
    RESULT("the result " + ClientCheck.RESULT),
    SUCCESS("a result"),
    FAILURE("a failure"),
    ANY("any end");

    private final String text;

    Owed(String text) {
      this.text = text;
    }

    @Nullable String fault(String result, @Nullable String failure) {
      boolean right = switch (this) {
        case RESULT -> failure == null && result.contains(ClientCheck.RESULT);
        case SUCCESS -> failure == null;
        case FAILURE -> failure != null;
        case ANY -> true;
      };
      return right ? null : failure == null ? "the result " + result.strip() : failure;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
