package dev.repartee.telemetry;

import dev.repartee.RefusedCall;
import dev.repartee.ServerFigures;
import dev.repartee.limits.MemoryBudget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * One metric of a server or of the process: its name, and how it is read. The metrics libraries
 * share these tables.
 *
 * @param <S> the source of the value
 * @param unit the unit in UCUM
 * @param grows whether the value is a total that only grows
 * @param tag the name of the tag that distinguishes several values; empty if there is one value
 * @param read returns the values by tag value, always for the same tag values
 */
record Figure<S>(
    String name,
    String unit,
    String description,
    boolean grows,
    String tag,
    Function<S, Map<String, Long>> read) {
  /** The memory budgets of the process. */
  record Budgets(MemoryBudget requests, MemoryBudget answers) {
    static final Budgets OF_PROCESS =
        new Budgets(MemoryBudget.ofProcess(), MemoryBudget.ofAnswers());
  }

  /** The tag with the endpoint of a server. */
  static final String ENDPOINT = "repartee.endpoint";

  private static final List<String> REASONS = List.of(
      RefusedCall.ACCESS,
      RefusedCall.CANCELLED,
      RefusedCall.CLOSING,
      RefusedCall.DEADLINE,
      RefusedCall.EXECUTOR,
      RefusedCall.INVALID,
      RefusedCall.METHOD,
      RefusedCall.TRANSPORT,
      "depth",
      "frameBytes",
      "heldBytes",
      "queuedBytes",
      "queuedMessages",
      "runningCalls");

  /** The metrics of a server. */
  static final List<Figure<ServerFigures>> OF_SERVER = List.of(
      of("connections.open", "{connection}", "Open connections", false, ServerFigures::open),
      of(
          "connections.accepted",
          "{connection}",
          "Accepted connections",
          true,
          ServerFigures::accepted),
      of(
          "calls.running",
          "{call}",
          "Calls that run, except inline ones",
          false,
          ServerFigures::running),
      of("calls.waiting", "{call}", "Calls that wait to run", false, ServerFigures::waiting),
      of("calls.started", "{call}", "Calls that were started", true, ServerFigures::started),
      new Figure<>(
          "repartee.server.calls.refused",
          "{call}",
          "Calls and messages that were refused before they ran",
          true,
          "repartee.reason",
          Figure::refused),
      of("errors", "{error}", "Error responses, failed notifications", true, ServerFigures::errors),
      new Figure<>(
          "repartee.server.io",
          "By",
          "Messages without their framing and headers",
          true,
          "network.io.direction",
          now -> Map.of("receive", now.received(), "transmit", now.sent())));

  /** The metrics of the memory budgets of the process, which all its servers share. */
  static final List<Figure<Budgets>> OF_PROCESS = List.of(
      memory("used", "Memory of messages that is in use", MemoryBudget::held),
      memory("limit", "Memory of messages at most", MemoryBudget::max));

  private static Figure<ServerFigures> of(
      String name,
      String unit,
      String description,
      boolean grows,
      ToLongFunction<ServerFigures> value) {
    return new Figure<>(
        "repartee.server." + name,
        unit,
        description,
        grows,
        "",
        now -> Map.of("", value.applyAsLong(now)));
  }

  private static Figure<Budgets> memory(
      String name, String description, ToLongFunction<MemoryBudget> value) {
    return new Figure<>(
        "repartee.memory." + name,
        "By",
        description,
        false,
        "repartee.budget",
        now -> Map.of(
            "requests", value.applyAsLong(now.requests),
            "answers", value.applyAsLong(now.answers)));
  }

  /** Returns the refusals by reason, with a zero for each that has not occurred. */
  private static Map<String, Long> refused(ServerFigures now) {
    Map<String, Long> all = new HashMap<>();
    REASONS.forEach(reason -> all.put(reason, 0L));
    all.putAll(now.refused());
    return all;
  }
}
