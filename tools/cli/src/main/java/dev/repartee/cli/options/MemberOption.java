package dev.repartee.cli.options;

import dev.repartee.Deadlines;
import dev.repartee.Options;
import dev.repartee.json.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** The option to send facts of calls in members of their messages. */
public final class MemberOption {
  /** The variables that carry the context of a trace to a process, as OpenTelemetry names them. */
  private static final List<String> CONTEXT = List.of("TRACEPARENT", "TRACESTATE", "BAGGAGE");

  @Option(names = "--members", description = """
          Send the remaining time of a call as the member repartee-timeout-ms of its message. Also \
          send the variables TRACEPARENT, TRACESTATE and BAGGAGE, if they are set, as members \
          with these names in lower case. serve --members and bridge --members read all of them, \
          on every transport.""")
  boolean given;

  /** Returns the options of a connection with the members. */
  public Options addTo(Options options) {
    if (!given) {
      return options;
    }
    Map<String, Json> members = new HashMap<>();
    for (String variable : CONTEXT) {
      String value = System.getenv(variable);
      if (value != null) {
        members.put(variable.toLowerCase(Locale.ROOT), Json.of(value));
      }
    }
    return options.toBuilder()
        .deadlines(rules -> rules.send(Deadlines.Field.MEMBER))
        .callLayer((call, next) -> {
          members.forEach(call::requestMember);
          return next.handle(call);
        })
        .build();
  }
}
