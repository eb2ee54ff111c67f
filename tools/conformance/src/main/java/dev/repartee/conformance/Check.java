package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Endpoint;
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
 * Runs the corpus against a server. The server must have a method that can be called many times.
 * The check looks for the methods of the specification's examples, {@code echo} and {@code sleep};
 * {@link #calling} names any other method.
 *
 * <p>Cases share a connection. A case that fails is run again on a new connection, and the second
 * result counts. That a message has no answer is proved by later requests, never by waiting alone.
 *
 * <p>Immutable. {@link #run} can be called several times, and runs on the calling thread.
 */
public final class Check {
  /**
   * Methods with their params. The first one that the server has is used in cases that can use any
   * method.
   */
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
   * Returns a check of the server at a URI; an {@code exec:} URI starts the server.
   *
   * @throws IllegalArgumentException if the URI is invalid
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

  /**
   * Returns this check with options: headers for HTTP and WebSocket, and the time limit for
   * connecting.
   */
  public Check with(Options options) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /** Returns this check with a time limit for each expected response; the default is 2 s. */
  public Check timeout(Duration timeout) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /**
   * Returns this check with the server's names for the methods of the corpus ({@code subtract},
   * {@code sum}, {@code get_data}, {@code update}, {@code notify_hello}, {@code notify_sum}, {@code
   * echo}, {@code sleep}) and for the parameters of the first ({@code minuend}, {@code
   * subtrahend}).
   *
   * @param words the names by the word of the corpus; null if the server does not have it
   */
  public Check words(Map<String, @Nullable String> words) {
    return new Check(
        endpoint, options, timeout, new LinkedHashMap<>(words), method, params, opening, chosen);
  }

  /**
   * Returns this check with the method for cases that can use any method. The method must always
   * return the same result for the given params. The default is the first of {@code subtract},
   * {@code echo}, {@code sum}, {@code get_data} that the server has.
   *
   * @param params an array or an object, or null for an empty array
   */
  public Check calling(String method, @Nullable Json params) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /**
   * Returns this check with messages that start each connection, such as an {@code initialize}
   * request. The check waits for the responses to requests among them.
   */
  public Check opening(List<Json> messages) {
    return new Check(
        endpoint, options, timeout, words, method, params, List.copyOf(messages), chosen);
  }

  /** Returns this check restricted to the cases that the predicate accepts. */
  public Check only(Predicate<Case> chosen) {
    return new Check(endpoint, options, timeout, words, method, params, opening, chosen);
  }

  /** Returns the cases that apply to the transport and framing of the server. */
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
   * Runs all cases.
   *
   * @param progress receives each verdict as soon as it is known
   * @throws ServerGoneException if the server becomes unreachable, or answers nothing on several
   *     connections in a row; the exception has the report until then
   * @throws IOException if the server cannot be reached
   */
  public Report run(Consumer<Verdict> progress) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    List<Verdict> verdicts = new ArrayList<>();
    Options limited =
        options.toBuilder().limits(limits -> limits.callTimeout(timeout)).build();
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
    Report report = new Report(
        Endpoint.shown(endpoint.toString()), verdicts, Duration.ofNanos(System.nanoTime() - begun));
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
        // No second connection: the first result counts, and the next case reports the reason.
      }
    }
    if (verdict.outcome() == Outcome.FAILED) {
      connections.drop();
    }
    return verdict;
  }

  /** Finds out which methods the server has, and its error code for unknown methods. */
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
      vocabulary.lacks(variable, "no method is known that the check can call");
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
