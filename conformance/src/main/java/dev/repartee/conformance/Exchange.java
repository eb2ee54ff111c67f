package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what a case says on one connection, and holds what comes back against what is owed. */
final class Exchange implements AutoCloseable {
  /** What most servers take far less than: after that a request of ours finds out what is going on. */
  private static final Duration SOON = Duration.ofMillis(50);

  /** What an answer that was overtaken by that to a later request has left. */
  private static final Duration OVERTAKEN = Duration.ofMillis(250);

  /** How many requests in a row prove that nothing is answered to what came before them. */
  private static final int PROBES = 2;

  private static final String PROBE = "probe ";

  private final Wire wire;
  private final Duration timeout;
  private Duration start;
  private int probes;
  private boolean spent;
  private boolean heardAny;
  private boolean shared;

  /**
   * Takes a new connection.
   *
   * @param timeout how long to wait for an answer
   * @param start how long to wait for the first one
   */
  Exchange(Wire wire, Duration timeout, Duration start) {
    this.wire = wire;
    this.timeout = timeout;
    this.start = start;
  }

  /** Whether it is over, or says nothing any more. */
  boolean isSpent() {
    return spent;
  }

  /** Whether anything was heard on it. */
  boolean heardAny() {
    return heardAny;
  }

  /** Whether a case that fails on it may do so for what was said before, or was going on. */
  boolean isShared() {
    return shared || wire.repliesToAll();
  }

  /** Sends a message that is not answered. */
  void tell(Json message) throws IOException {
    wire.say(new Say.Message(message.toBytes()));
  }

  /** Waits for a server that was only just started, by asking it what nobody knows. */
  void awaken() throws InterruptedException {
    ask(Json.parse(probe(PROBE + ++probes)));
  }

  /** The response to a request, or null if none came in time. */
  @Nullable Json ask(Json request) throws InterruptedException {
    Duration patience = heardAny ? timeout : start;
    start = timeout;
    try {
      tell(request);
    } catch (IOException e) {
      spent = true;
      return null;
    }
    long end = System.nanoTime() + patience.toNanos();
    Heard heard;
    while ((heard = next(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) != null) {
      if (heard instanceof Heard.End) {
        spent = true;
        return null;
      }
      if (heard instanceof Heard.Message message) {
        Json answer = message.json();
        if (answer != null && answer.get("method") == null) {
          return answer; // whatever its id: that is for the cases to look at
        }
      }
    }
    spent |= !heardAny;
    return null;
  }

  /** The next thing heard, or null if there is none for that long. */
  private @Nullable Heard next(Duration time) throws InterruptedException {
    Heard heard = wire.hear(time);
    heardAny |= heard != null && !(heard instanceof Heard.End);
    return heard;
  }

  /** Runs a case to its first fault. */
  Verdict run(Trial trial, Vocabulary vocabulary) throws InterruptedException {
    Case tested = trial.tested();
    List<List<Say>> said = new ArrayList<>();
    for (Step step : trial.steps()) {
      String why = refusal(step, vocabulary);
      if (why != null) {
        return Verdict.notRun(tested, why);
      }
      said.add(vocabulary.translate(step.says()));
    }
    drain();
    shared = true;
    for (int i = 0; i < said.size(); i++) {
      Expectation owed =
          Expectation.of(vocabulary.translate(trial.steps().get(i).expected()));
      String fault = step(said.get(i), owed);
      if (fault != null) {
        String where = said.size() == 1 ? "" : " (step " + (i + 1) + " of " + said.size() + ")";
        return Verdict.failed(tested, owed.toString(), fault + where);
      }
    }
    return Verdict.passed(tested);
  }

  private @Nullable String refusal(Step step, Vocabulary vocabulary) {
    String why = vocabulary.missingFor(step.expected().toBytes());
    for (Say say : step.says()) {
      why = why == null ? vocabulary.missingFor(say) : why;
    }
    for (Say say : vocabulary.translate(step.says())) {
      why = why == null ? wire.refusal(say) : why;
    }
    return why;
  }

  /** What came too late for the case before is no answer to this one. */
  private void drain() throws InterruptedException {
    for (Heard heard = next(Duration.ZERO); heard != null; heard = next(Duration.ZERO)) {
      spent |= heard instanceof Heard.End;
    }
  }

  /** Why that was not answered as it is owed, or null if it was. */
  private @Nullable String step(List<Say> says, Expectation owed) throws InterruptedException {
    List<Heard> heard = new ArrayList<>();
    try {
      for (Say say : says) {
        wire.say(say);
      }
    } catch (IOException e) {
      // What was heard before, or the end, tells more than this.
    }
    Expectation.Judgement judgement = owed.judge(heard, false);
    boolean silence = owed instanceof Expectation.Silence;
    if (!silence || wire.repliesToAll()) {
      judgement = listen(heard, owed, wire.repliesToAll() ? Duration.ZERO : SOON);
    }
    if (!judgement.decided() && !wire.repliesToAll()) {
      judgement = probe(heard, owed);
    }
    if (!judgement.decided()) {
      judgement = owed.judge(heard, true);
    }
    return judgement.fault();
  }

  /** Hears until all is said or nothing comes for that long. */
  private Expectation.Judgement listen(List<Heard> heard, Expectation owed, Duration patience)
      throws InterruptedException {
    Expectation.Judgement judgement = owed.judge(heard, false);
    while (!judgement.decided()) {
      Heard one = hear(patience);
      if (one == null) {
        break;
      }
      heard.add(one);
      spent |= one instanceof Heard.End;
      judgement = owed.judge(heard, spent && !wire.repliesToAll());
    }
    return judgement;
  }

  /** Asks for a method that nobody has; what was answered before its answer is to the case. */
  private Expectation.Judgement probe(List<Heard> heard, Expectation owed)
      throws InterruptedException {
    for (int i = 0; i < PROBES && !spent; i++) {
      Expectation.Judgement judgement = probeOnce(heard, owed);
      if (judgement.decided()) {
        return judgement;
      }
    }
    return spent ? owed.judge(heard, true) : listen(heard, owed, overtaken(owed));
  }

  private static Duration overtaken(Expectation owed) {
    return owed instanceof Expectation.Silence ? Duration.ZERO : OVERTAKEN;
  }

  private Expectation.Judgement probeOnce(List<Heard> heard, Expectation owed)
      throws InterruptedException {
    String id = PROBE + ++probes;
    try {
      wire.say(new Say.Message(probe(id).getBytes(UTF_8)));
    } catch (IOException e) {
      spent = true;
    }
    long end = System.nanoTime() + timeout.toNanos();
    while (true) {
      Heard one = next(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
      if (one == null) {
        spent = true;
        heard.add(new Heard.Hang());
        return owed.judge(heard, true);
      }
      if (isProbed(one, id)) {
        return Expectation.Judgement.MORE;
      }
      if (isProbed(one, "")) {
        continue;
      }
      heard.add(one);
      spent |= one instanceof Heard.End;
      Expectation.Judgement judgement = owed.judge(heard, spent);
      if (judgement.decided()) {
        return judgement;
      }
      end = System.nanoTime() + timeout.toNanos(); // it is at it: there are answers yet to come
    }
  }

  private static String probe(String id) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"repartee.probe\",\"id\":\"" + id + "\"}";
  }

  /** The next thing heard that is no answer to a probe of before. */
  private @Nullable Heard hear(Duration patience) throws InterruptedException {
    Heard one = next(patience);
    while (one != null && isProbed(one, "")) {
      one = next(patience);
    }
    return one;
  }

  /** Whether that answers the probe of that id, or any if that is empty. */
  private static boolean isProbed(Heard heard, String id) {
    Json answer = heard instanceof Heard.Message message ? message.json() : null;
    Json got = answer == null ? null : answer.get("id");
    return got != null
        && (id.isEmpty() ? got.toString().startsWith("\"" + PROBE) : got.equals(Json.of(id)));
  }

  @Override
  public void close() {
    wire.close();
  }
}
