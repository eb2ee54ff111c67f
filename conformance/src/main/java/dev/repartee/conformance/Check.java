package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Endpoint;
import dev.repartee.Json;
import dev.repartee.Options;
import dev.repartee.RpcError;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The corpus against a server. What it needs of one is a method that can be called: those of the
 * specification's examples, {@code echo} and {@code sleep} where there are any, or whatever {@link
 * #calling} is told of.
 *
 * <p>Cases share a connection. One that fails is tried again on a connection of its own, which
 * decides. That nothing is answered is proved by a request sent afterwards, never by waiting alone.
 *
 * <p>Immutable; {@link #run} may be called again, and runs on the calling thread.
 */
public final class Check {
  /** Methods of which the first that is there is called where any will do, with what it is given. */
  private static final Map<String, String> ANY = any();

  private static final String UNKNOWN = "{\"jsonrpc\":\"2.0\",\"method\":\"foobar\",\"id\":1}";

  private final Endpoint endpoint;
  private final Options options;
  private final Duration timeout;
  private final Map<String, @Nullable String> words;
  private final String method;
  private final @Nullable Json params;
  private final List<Json> opening;
  private final Predicate<Case> chosen;

  private Check(
      Endpoint endpoint,
      Options options,
      Duration timeout,
      Map<String, @Nullable String> words,
      String method,
      @Nullable Json params,
      List<Json> opening,
      Predicate<Case> chosen) {
    this.endpoint = endpoint;
    this.options = options;
    this.timeout = timeout;
    this.words = words;
    this.method = method;
    this.params = params;
    this.opening = opening;
    this.chosen = chosen;
  }

  private static Map<String, String> any() {
    Map<String, String> any = new LinkedHashMap<>();
    any.put("subtract", "[42,23]");
    any.put("echo", "[\"x\"]");
    any.put("sum", "[1,2,4]");
    any.put("get_data", "[]");
    return any;
  }

  /**
   * Checks the server at that URI; {@code exec:} starts one.
   *
   * @throws IllegalArgumentException if the URI makes no sense
   */
  public static Check of(String uri) {
    return new Check(
        Endpoint.parse(uri),
        Options.DEFAULT,
        Duration.ofSeconds(2),
        Map.of(),
        "",
        null,
        List.of(),
        tested -> true);
  }

  /** With headers, over HTTP and WebSocket, and time limits for connecting. */
  public Check with(Options options) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /** How long to wait for an answer that is owed; 2 s by default. */
  public Check timeout(Duration timeout) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /**
   * What the server calls the corpus's methods ({@code subtract}, {@code sum}, {@code get_data},
   * {@code update}, {@code notify_hello}, {@code notify_sum}, {@code echo}, {@code sleep}) and the
   * parameters of the first ({@code minuend}, {@code subtrahend}); null for what it does not have.
   */
  public Check words(Map<String, @Nullable String> words) {
    return new Check(
        endpoint, options, timeout, new LinkedHashMap<>(words), method, params, opening, chosen);
  }

  /**
   * A method that answers the same whenever it is called so, where any method will do. By default it is
   * the first there is of {@code subtract}, {@code echo}, {@code sum}, {@code get_data}.
   *
   * @param params an array or an object, or null to leave them out
   */
  public Check calling(String method, @Nullable Json params) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /** Messages that each connection begins with, such as an {@code initialize} request. */
  public Check opening(List<Json> messages) {
    return new Check(
        endpoint, options, timeout, words, method, params, List.copyOf(messages), chosen);
  }

  /** Only the cases that this holds of. */
  public Check only(Predicate<Case> chosen) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /** The cases that apply to that server. */
  public List<Case> cases() {
    return trials().stream().map(Trial::tested).toList();
  }

  private List<Trial> trials() {
    return Corpus.servers().stream()
        .filter(trial -> Wires.applies(trial.tested().over(), endpoint))
        .filter(trial -> chosen.test(trial.tested()))
        .toList();
  }

  /**
   * Runs them all.
   *
   * @param progress told of each verdict as it falls
   * @throws ServerGoneException if the server can be reached no more, or answers nothing on several
   *     connections in a row; it has what came of the cases until then
   * @throws IOException if the server cannot be reached
   */
  public Report run(Consumer<Verdict> progress) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    List<Verdict> verdicts = new ArrayList<>();
    Options limited = options.with(options.limits().withCallTimeout(timeout));
    IOException gone = null;
    Vocabulary vocabulary = new Vocabulary(words);
    try (Connections connections = new Connections(endpoint, limited, opening, timeout)) {
      try {
        explore(vocabulary, connections);
      } catch (SilenceException e) {
        gone = e;
      }
      for (Trial trial : trials()) {
        Verdict verdict = Verdict.notRun(trial.tested(), "the server went away");
        try {
          verdict = gone == null ? verdict(trial, vocabulary, connections) : verdict;
        } catch (IOException e) {
          gone = e;
        }
        verdicts.add(verdict);
        progress.accept(verdict);
      }
    }
    Report report =
        new Report(endpoint.toString(), verdicts, Duration.ofNanos(System.nanoTime() - begun));
    if (gone != null) {
      throw new ServerGoneException(report, gone);
    }
    return report;
  }

  private static Verdict verdict(Trial trial, Vocabulary vocabulary, Connections connections)
      throws IOException, InterruptedException {
    Exchange used = connections.used();
    boolean shared = used.isShared();
    Verdict verdict = used.run(trial, vocabulary);
    if (verdict.outcome() == Outcome.FAILED && shared) {
      try {
        verdict = connections.fresh().run(trial, vocabulary);
      } catch (IOException e) {
        // There is no second connection: the first one decides, and the next case tells why.
      }
    }
    if (verdict.outcome() == Outcome.FAILED) {
      connections.drop();
    }
    return verdict;
  }

  /** Finds out what the server has, and what it says of what it does not have. */
  private void explore(Vocabulary vocabulary, Connections connections)
      throws IOException, InterruptedException {
    Json unknown = connections.used().ask(Json.parse(UNKNOWN));
    Json error = unknown == null ? null : unknown.get("error");
    Json code = error == null ? null : error.get("code");
    vocabulary.set("$unknown", code == null ? Json.of(RpcError.METHOD_NOT_FOUND) : code);
    for (Map.Entry<String, String> asked : Vocabulary.METHODS.entrySet()) {
      if (vocabulary.has(asked.getKey())) {
        byte[] request = vocabulary.translate(asked.getValue().getBytes(UTF_8));
        String why = whyNoResult(connections.used().ask(Json.parse(request)));
        if (why != null) {
          vocabulary.lacks(asked.getKey(), "calling '" + asked.getKey() + "' " + why);
        }
      }
    }
    if (!method.isEmpty()) {
      call(vocabulary, connections, Json.of(method), params);
      return;
    }
    for (Map.Entry<String, String> any : ANY.entrySet()) {
      if (vocabulary.has(any.getKey())) {
        byte[] name = vocabulary.translate(Json.of(any.getKey()).toBytes());
        call(vocabulary, connections, Json.parse(name), Json.parse(any.getValue()));
        return;
      }
    }
    for (String variable : Set.of("$call", "$args", "$result")) {
      vocabulary.lacks(variable, "no method is known that can be called");
    }
  }

  private static void call(
      Vocabulary vocabulary, Connections connections, Json method, @Nullable Json params)
      throws IOException, InterruptedException {
    Json args = params == null ? Json.EMPTY_ARRAY : params;
    Json answer = connections
        .used()
        .ask(Json.parse(
            "{\"jsonrpc\":\"2.0\",\"method\":" + method + ",\"params\":" + args + ",\"id\":1}"));
    String why = whyNoResult(answer);
    Json result = answer == null ? null : answer.get("result");
    if (why != null || result == null) {
      vocabulary.lacks("$call", "calling " + method + " " + why);
      return;
    }
    vocabulary.set("$call", method);
    vocabulary.set("$args", args);
    vocabulary.set("$result", result);
  }

  private static @Nullable String whyNoResult(@Nullable Json answer) {
    if (answer == null) {
      return "got no answer";
    }
    if (answer.get("result") != null) {
      return null;
    }
    Json error = answer.get("error");
    return "got " + (error == null ? "neither result nor error" : error.toString());
  }
}
