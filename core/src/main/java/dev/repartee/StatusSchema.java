package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.List;

/** The schema of the result of {@code rpc.status}, for {@code rpc.discover}. */
final class StatusSchema {
  static final Json SCHEMA = schema();

  private StatusSchema() {}

  private static Json schema() {
    return new Node("Load of this connection and of its server")
        .required("running", count("Requests and notifications that run on this connection"))
        .required("waiting", count("Requests and notifications that wait for earlier ones"))
        .required("pending", count("Calls of the server that this client has not answered"))
        .optional("server", server())
        .build();
  }

  private static Json server() {
    return new Node("The server; absent if a program serves its connections without one")
        .required("repartee", text("Version of Repartee"))
        .optional("version", text("Version of the service"))
        .required("uptimeSeconds", count("Seconds since the start of the server"))
        .required("connections", connections())
        .required("calls", calls())
        .required("errors", errors())
        .required("refused", refused())
        .required("bytes", bytes())
        .required("heldBytes", heldBytes())
        .build();
  }

  private static Json connections() {
    return new Node("Connections of clients; requests over HTTP have none")
        .required("open", count("Connections that are open now"))
        .required("total", count("Connections that were accepted"))
        .build();
  }

  private static Json calls() {
    return new Node("Requests and notifications of all clients")
        .required("running", count("Calls that run now, without this one"))
        .required("waiting", count("Calls that wait for earlier ones of their connection"))
        .required("total", count("Calls that were started, with this one"))
        .build();
  }

  private static Json errors() {
    return new Node("Failures of all clients")
        .required("total", count("Error responses, and notifications that failed"))
        .build();
  }

  private static Json refused() {
    return new Node("Calls and messages of all clients that were refused before they ran")
        .required("total", count("Refused for a limit, an invalid message or a missing permission"))
        .build();
  }

  private static Json bytes() {
    return new Node("Messages of all clients, without framing and headers")
        .required("received", count("Bytes from clients"))
        .required("sent", count("Bytes to clients"))
        .build();
  }

  private static Json heldBytes() {
    return new Node("Memory budgets of the process")
        .required("requests", budget("Messages that arrive, wait or run"))
        .required("answers", budget("Answers that were not sent yet"))
        .build();
  }

  private static Json budget(String description) {
    return new Node(description)
        .required("used", count("Bytes in use; may exceed the maximum"))
        .required("max", count("Bytes at most"))
        .build();
  }

  private static Json count(String description) {
    return new JsonObjectBuilder()
        .put("type", "integer")
        .put("minimum", 0)
        .put("description", description)
        .build();
  }

  private static Json text(String description) {
    return new JsonObjectBuilder()
        .put("type", "string")
        .put("description", description)
        .build();
  }

  /** Builds the schema of an object. */
  private static final class Node {
    private final String description;
    private final JsonObjectBuilder properties = new JsonObjectBuilder();
    private final List<String> required = new ArrayList<>();

    Node(String description) {
      this.description = description;
    }

    Node required(String name, Json schema) {
      required.add(name);
      return optional(name, schema);
    }

    Node optional(String name, Json schema) {
      properties.put(name, schema);
      return this;
    }

    Json build() {
      return new JsonObjectBuilder()
          .put("type", "object")
          .put("description", description)
          .put("properties", properties.build())
          .put("required", required)
          .build();
    }
  }
}
