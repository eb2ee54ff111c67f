package dev.repartee.conformance;

import dev.repartee.json.Json;
import dev.repartee.transport.Endpoint;
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
 * Runs the corpus against a client: a {@link Client}, or a shell command that calls {@code
 * subtract} with 42 and 23 and either prints the result and exits with 0, or exits with another
 * code if there is no result. The client is run once for each case, against a server that answers
 * as the case prescribes. Immutable.
 */
public final class ClientCheck {
  /** The default endpoint of the server. */
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

  /**
   * Returns a check of a shell command. {@code {uri}} in the command, and the environment variable
   * REPARTEE_URI, are the endpoint to call.
   */
  public static ClientCheck of(String command) {
    return of(command, new CommandClient(command));
  }

  /**
   * Returns a check of a client in this process.
   *
   * @param name the name of the client in reports
   */
  public static ClientCheck of(String name, Client client) {
    return new ClientCheck(name, client, Endpoint.parse(DEFAULT_ENDPOINT), Duration.ofSeconds(10));
  }

  /**
   * Returns this check with another endpoint of the server. With {@code stdio:} the client starts
   * the server from an {@code exec:} URI, which must be quoted in a shell command.
   *
   * @throws IllegalArgumentException if the URI is invalid
   */
  public ClientCheck listen(String uri) {
    return new ClientCheck(name, client, Endpoint.parse(uri), timeout);
  }

  /** Returns this check with a time limit for each run of the client; the default is 10 s. */
  public ClientCheck timeout(Duration timeout) {
    return new ClientCheck(name, client, endpoint, timeout);
  }

  /** Returns the cases that apply to the transport. */
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
   * Runs all cases.
   *
   * @param progress receives each verdict as soon as it is known
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
      fault = sent == null ? null : "the client broke the protocol: " + sent;
    }
    return fault == null ? Verdict.passed(tested) : Verdict.failed(tested, owed.toString(), fault);
  }

  /** The expected end of the client's call. */
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
