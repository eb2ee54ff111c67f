package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs cases on one connection: sends their messages and judges the answers.
 *
 * <p>To prove that a message has no answer, it sends {@link #PROBES} requests of an unknown method
 * after the message. A server that answers these requests first, and nothing else, has not answered
 * the message. Over HTTP every request has a reply, and no probe is needed.
 */
final class Exchange implements AutoCloseable {
  /** The time to wait before a probe is sent. Most servers answer much faster. */
  private static final Duration SOON = Duration.ofMillis(50);

  /**
   * The part of the time limit that is left for an expected answer after the server has answered a
   * later probe: 250 ms of the 2 s of {@link Check}. Waiting for the whole limit would make a check
   * of a server that answers few cases take minutes. A case with several answers, of which one has
   * come, has the whole limit: the server works on the others.
   */
  private static final int OVERTAKEN = 8;

  /**
   * The most of that time that is spent on an answer that the case passes without. A longer limit
   * is for slow servers, whose answers are late; here a missing answer is no fault.
   */
  private static final Duration OPTIONAL = Duration.ofMillis(250);

  /** The number of probes, one after another, that prove that earlier messages have no answer. */
  private static final int PROBES = 2;

  /** The start of the id of a probe. */
  private static final String PROBE = "probe ";

  private final Wire wire;
  private final Duration timeout;
  /** The time limit of the first response. */
  private Duration start;
  /** The number of probes sent so far. */
  private int probes;
  /** True if the connection has ended or the server no longer responds on it. */
  private boolean spent;
  /** True after the first message from the server. */
  private boolean heardAny;
  /** True after the first case has run on this connection. */
  private boolean shared;

  /**
   * Uses a new connection.
   *
   * @param timeout the time limit of a response
   * @param start the time limit of the first response
   */
  Exchange(Wire wire, Duration timeout, Duration start) {
    this.wire = wire;
    this.timeout = timeout;
    this.start = start;
  }

  /** Returns whether the connection has ended, or the server no longer responds on it. */
  boolean isSpent() {
    return spent;
  }

  /** Returns whether anything was received on this connection. */
  boolean heardAny() {
    return heardAny;
  }

  /** Returns whether messages of earlier cases may be the reason why a case fails. */
  boolean isShared() {
    return shared || wire.repliesToAll();
  }

  /** Sends a message without waiting for an answer. */
  void tell(Json message) throws IOException {
    wire.say(new Say.Message(message.toBytes()));
  }

  /** Waits until a server that may just have been started answers a probe. */
  void awaken() throws InterruptedException {
    ask(Json.parse(probe(PROBE + ++probes)));
  }

  /** Sends a request and returns its response, or null if none is received in time. */
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
          return answer; // the id is not checked here, but by the cases
        }
      }
    }
    spent |= !heardAny;
    return null;
  }

  /** Returns the next thing received, or null if there is none within {@code time}. */
  private @Nullable Heard next(Duration time) throws InterruptedException {
    Heard heard = wire.hear(time);
    heardAny |= heard != null && !(heard instanceof Heard.End);
    return heard;
  }

  /** Runs a case until its first fault. */
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

  /** Returns why a step cannot be run with this server or connection, or null if it can. */
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

  /**
   * Discards late answers to the previous case, which could be mistaken for answers to this one.
   */
  private void drain() throws InterruptedException {
    for (Heard heard = next(Duration.ZERO); heard != null; heard = next(Duration.ZERO)) {
      spent |= heard instanceof Heard.End;
    }
  }

  /** Sends the messages of a step and returns the fault of the answer, or null if it is right. */
  private @Nullable String step(List<Say> says, Expectation owed) throws InterruptedException {
    List<Heard> heard = new ArrayList<>();
    try {
      for (Say say : says) {
        wire.say(say);
      }
    } catch (IOException e) {
      // Judged by the messages received before, or by the end of the connection.
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

  /** Receives until the judgement is decided, or nothing is received for {@code patience}. */
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

  /** Sends probes. Messages that are received before their answers belong to the case. */
  private Expectation.Judgement probe(List<Heard> heard, Expectation owed)
      throws InterruptedException {
    for (int i = 0; i < PROBES && !spent; i++) {
      Expectation.Judgement judgement = probeOnce(heard, owed);
      if (judgement.decided()) {
        return judgement;
      }
    }
    return spent ? owed.judge(heard, true) : listen(heard, owed, overtaken(heard, owed));
  }

  private Duration overtaken(List<Heard> heard, Expectation owed) {
    if (owed instanceof Expectation.Silence) {
      return Duration.ZERO;
    }
    boolean passes = owed.judge(heard, true).fault() == null;
    if (!passes && !heard.isEmpty()) {
      return timeout;
    }
    Duration rest = timeout.dividedBy(OVERTAKEN);
    return passes && rest.compareTo(OPTIONAL) > 0 ? OPTIONAL : rest;
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
      end = System.nanoTime() + timeout.toNanos(); // the server is still answering the case
    }
  }

  private static String probe(String id) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"repartee.probe\",\"id\":\"" + id + "\"}";
  }

  /** Returns the next thing received that is not the answer to an earlier probe. */
  private @Nullable Heard hear(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    Heard one = next(patience);
    while (one != null && isProbed(one, "")) {
      one = next(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
    return one;
  }

  /**
   * Returns whether this is the answer to the probe with that id, or to any probe if it is empty.
   */
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
