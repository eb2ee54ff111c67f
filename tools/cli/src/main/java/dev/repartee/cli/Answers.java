package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Service;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.json.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Answers the calls of a peer with the values of the command line. */
final class Answers {
  private static final String PARAMS = "@params";

  @Option(names = "--answer", paramLabel = "METHOD=JSON", description = """
          Answer the calls of the peer to METHOD with this result, or with their params if it is \
          @params. Other calls are answered with -32601. May be repeated.""")
  List<String> given = List.of();

  /** Returns the results by method; null means the params of the call. */
  private Map<String, @Nullable Json> results() {
    Map<String, @Nullable Json> results = new TreeMap<>();
    for (String each : given) {
      String[] parts = each.split("=", 2);
      if (parts.length != 2 || parts[0].isBlank()) {
        throw Failure.usage(
            "--answer takes METHOD=JSON, such as workspace/configuration=[null]; not '" + each
                + "'");
      }
      results.put(
          parts[0],
          parts[1].equals(PARAMS)
              ? null
              : JsonText.parse(
                  parts[1].getBytes(UTF_8), "--answer has a result that cannot be parsed: "));
    }
    return results;
  }

  /** Returns a service with these answers. */
  Service service() {
    Service.Builder service = Service.builder();
    results()
        .forEach((method, result) ->
            service.method(method, call -> result == null ? call.params() : result));
    return service.build();
  }

  /** Returns whether calls of a method are answered with a result. */
  boolean has(String method) {
    return given.stream().anyMatch(each -> each.startsWith(method + "="));
  }
}
