package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.testkit.examples.ClassificationTable;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.testkit.examples.WorkedExamples;
import dev.repartee.testkit.examples.WorkedExamples.Example;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends the examples of testkit's {@code SpecificationTest} over HTTP and WebSocket and expects the
 * same answers.
 */
class HttpSpecificationTest {
  @SuppressWarnings("NullAway.Init")
  private Server server;

  private static List<Example> examples(boolean oneWay) {
    return Stream.of(
            WorkedExamples.all(), ClassificationTable.all(), ClassificationTable.responses(oneWay))
        .flatMap(List::stream)
        .toList();
  }

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", new ExampleMethods().service());
  }

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void throughOurOwnClient(String scheme) throws Exception {
    Endpoint endpoint = Endpoint.parse(server.endpoint().toString().replaceFirst("http", scheme));
    Channel channel = Transport.of(endpoint).connect(endpoint, Limits.DEFAULT, Headers.NONE);
    try (ScriptedPeer client = ScriptedPeer.on(channel)) {
      examples(scheme.equals("http")).forEach(client::play);
    }
  }

  @Test
  void throughTheClientOfTheJdkWithTheStatusOfEach() throws Exception {
    HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (Example example : examples(true)) {
      HttpRequest post = HttpRequest.newBuilder(URI.create(server.endpoint().toString()))
          .timeout(Duration.ofSeconds(20))
          .header("Content-Type", "application/json")
          .POST(BodyPublishers.ofString(example.sent()))
          .build();
      HttpResponse<String> response = http.send(post, BodyHandlers.ofString());
      if (example.answer() == null) {
        assertThat(response.statusCode()).as(example.name()).isEqualTo(204);
        assertThat(response.body()).as(example.name()).isEmpty();
      } else {
        assertThat(response.statusCode()).as(example.name()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(response.body()).as(example.name()).isEqualTo(example.answer());
      }
    }
  }
}
