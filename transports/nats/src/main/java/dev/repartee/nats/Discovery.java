package dev.repartee.nats;

import dev.repartee.json.Json;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Announces a worker to the tools of NATS, such as {@code nats micro ls}: answers the requests of
 * the NATS service API (ADR-32, version 1) on the subjects {@code $SRV.PING}, {@code $SRV.INFO} and
 * {@code $SRV.STATS}. Thread-safe.
 */
final class Discovery {
  private static final String PREFIX = "$SRV.";

  private final String name;
  private final String version;
  private final String id;
  private final String subject;
  private final String group;
  private final Statistics statistics;
  private final String started = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();

  /**
   * Creates the discovery of a worker.
   *
   * @param name the name of the service: letters, digits, hyphens and underscores
   * @param version three numbers separated by dots
   * @param id the id of the worker
   * @param group the queue group of the workers
   */
  Discovery(
      String name, String version, String id, String subject, String group, Statistics statistics) {
    this.name = name;
    this.version = version;
    this.id = id;
    this.subject = subject;
    this.group = group;
    this.statistics = statistics;
  }

  /** Returns the default name of a service with this subject. */
  static String nameOf(String subject) {
    return subject.replaceAll("[^A-Za-z0-9_-]", "_");
  }

  /** Returns whether an error of the server concerns the subjects of discovery. */
  static boolean isMeant(String error) {
    return error.contains("\"" + PREFIX);
  }

  /**
   * Subscribes to the requests.
   *
   * @param reply sends an answer to a subject; must not block
   */
  void subscribe(Dispatcher dispatcher, BiConsumer<String, byte[]> reply) {
    for (String verb : List.of("PING", "INFO", "STATS")) {
      String all = PREFIX + verb;
      for (String each : List.of(all, all + "." + name, all + "." + name + "." + id)) {
        dispatcher.subscribe(each, question -> answer(verb, question, reply));
      }
    }
  }

  private void answer(String verb, Message question, BiConsumer<String, byte[]> reply) {
    String to = Names.replySubject(question.getReplyTo());
    if (to != null) {
      Map<String, Object> answer = switch (verb) {
        case "PING" -> identity("ping");
        case "INFO" -> info();
        default -> stats();
      };
      reply.accept(to, Json.of(answer).toBytes());
    }
  }

  private Map<String, Object> identity(String kind) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("type", "io.nats.micro.v1." + kind + "_response");
    answer.put("name", name);
    answer.put("id", id);
    answer.put("version", version);
    answer.put("metadata", Map.of("protocol", "JSON-RPC 2.0"));
    return answer;
  }

  private Map<String, Object> info() {
    Map<String, Object> answer = identity("info");
    answer.put("description", "JSON-RPC 2.0 on the subject " + subject);
    answer.put("endpoints", List.of(endpoint()));
    return answer;
  }

  private Map<String, Object> stats() {
    Map<String, Object> endpoint = endpoint();
    long requests = statistics.requests();
    long nanos = statistics.nanos();
    endpoint.put("num_requests", requests);
    endpoint.put("num_errors", statistics.errors());
    endpoint.put("last_error", statistics.lastError());
    endpoint.put("processing_time", nanos);
    endpoint.put("average_processing_time", requests == 0 ? 0 : nanos / requests);
    Map<String, Object> answer = identity("stats");
    answer.put("started", started);
    answer.put("endpoints", List.of(endpoint));
    return answer;
  }

  private Map<String, Object> endpoint() {
    Map<String, Object> endpoint = new LinkedHashMap<>();
    endpoint.put("name", name);
    endpoint.put("subject", subject);
    endpoint.put("queue_group", group);
    return endpoint;
  }
}
