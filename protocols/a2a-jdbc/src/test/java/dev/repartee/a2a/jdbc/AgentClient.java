package dev.repartee.a2a.jdbc;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Calls the methods of a server of A2A 1.0. */
record AgentClient(URI uri) {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  static AgentClient of(Server server) {
    return new AgentClient(URI.create(server.endpoint().toString()));
  }

  /** Returns the response, with a result or an error. */
  Json call(String method, String params) throws IOException, InterruptedException {
    String body = """
        {"jsonrpc":"2.0","id":1,"method":"%s","params":%s}""".formatted(method, params);
    HttpRequest request = HttpRequest.newBuilder(uri)
        .timeout(Duration.ofSeconds(60))
        .header("Content-Type", "application/json")
        .header("A2A-Version", "1.0")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    return Json.parse(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  Json result(String method, String params) throws IOException, InterruptedException {
    Json response = call(method, params);
    Json result = response.get("result");
    if (result == null) {
      throw new IOException(response.toString());
    }
    return result;
  }

  /** Sends a message; returns the task. */
  Json send(String text, String more) throws IOException, InterruptedException {
    return result("SendMessage", """
        {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"%s"}]%s},
         "configuration":{"returnImmediately":%s}}""".formatted(text, more, text.equals("wait"))).get("task");
  }

  /** Returns the text of a member. */
  static String text(Json json, String... path) {
    Json at = json;
    for (String name : path) {
      at = at.get(name);
    }
    return at.as(String.class);
  }
}
