package dev.repartee.examples.everything;

import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.types.Annotations;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.ResourceTemplate;
import dev.repartee.mcp.types.Role;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Resources: a text, bytes, a template, and more resources than fit on one page of a list. */
final class Documents {
  /** Together with the other resources, more than a page of the list. */
  private static final int CHAPTERS = 120;

  private Documents() {}

  static void addTo(McpServer.Builder server) {
    server.resource(
        Resource.of("test://static-text", "static-text", "A text that stays", "text/plain"),
        call -> "This is the content of the static text resource.");
    server.resource(
        picture(), call -> ResourceContents.blob(picture().uri(), "image/png", Media.PICTURE));
    server.template(
        ResourceTemplate.of(
            "test://template/{id}/data", "template", "The data of any id", "application/json"),
        (call, uri, variables) -> data(uri, variables.getOrDefault("id", "")),
        Map.of("id", (typed, known) -> ids(typed)));
    for (int i = 1; i <= CHAPTERS; i++) {
      String text = "This is chapter " + i + " of " + CHAPTERS + ".";
      server.resource(
          Resource.of("test://chapters/" + i, "chapter-" + i, "A chapter", "text/plain"),
          call -> text);
    }
  }

  /** Returns a resource with all optional members. */
  private static Resource picture() {
    return new Resource(
        "test://static-binary",
        "static-binary",
        "A disc",
        "A picture that stays",
        "image/png",
        (long) Media.PICTURE.length,
        new Annotations(List.of(Role.USER, Role.ASSISTANT), 0.5, "2026-07-28T00:00:00Z"),
        List.of(Media.ICON),
        null);
  }

  private record Data(String id, boolean templateTest, String data) {}

  private static ResourceContents data(String uri, String id) {
    Data data = new Data(id, true, "Data for ID: " + id);
    return ResourceContents.text(uri, "application/json", Json.of(data).toString());
  }

  /** Returns those ids from 1 to 200 that start with the typed text. */
  private static List<String> ids(String typed) {
    return IntStream.rangeClosed(1, 200)
        .mapToObj(Integer::toString)
        .filter(id -> id.startsWith(typed))
        .toList();
  }
}
