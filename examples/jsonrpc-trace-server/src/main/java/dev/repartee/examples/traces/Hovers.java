package dev.repartee.examples.traces;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonLayout;
import org.jspecify.annotations.Nullable;

/** Writes the text that the editor shows for a message, in Markdown. */
final class Hovers {
  /** The length in characters to which params and results are cut. */
  private static final int MOST = 4_000;

  private final TraceText trace;
  private final StringBuilder out = new StringBuilder();

  private Hovers(TraceText trace) {
    this.trace = trace;
  }

  /** Returns the text for a message, with the request or response that belongs to it. */
  static String of(TraceText trace, Exchange.Part part) {
    Hovers hover = new Hovers(trace);
    hover.message(part, trace.pairing().exchangeOf(part.message()));
    return hover.out.toString().strip();
  }

  private void message(Exchange.Part part, @Nullable Exchange exchange) {
    TraceMessage message = part.message();
    if (exchange == null) {
      heading("response", "without a request in this trace", part);
      body(part);
    } else if (exchange.call.message() == message) {
      call(exchange);
      if (exchange.response() != null) {
        related("response", exchange.since(exchange.response()), exchange.response());
      } else if (message.isRequest()) {
        out.append("**").append(exchange.outcome()).append("**\n");
      }
    } else {
      String kind = message.isResponse() ? "response" : "notification";
      heading(
          kind, message.isResponse() ? "to " + name(exchange.call.message()) : name(message), part);
      body(part);
      String time = exchange.since(part);
      related("request", time == null ? null : time + " before", exchange.call);
    }
  }

  private void call(Exchange exchange) {
    TraceMessage message = exchange.call.message();
    heading(message.isRequest() ? "request" : "notification", name(message), exchange.call);
    body(exchange.call);
  }

  private void related(String kind, @Nullable String time, Exchange.Part part) {
    out.append("**").append(kind).append("**");
    if (kind.equals("request")) {
      out.append(' ').append(name(part.message()));
    }
    if (time != null) {
      out.append(kind.equals("response") ? " after " : ", ").append(time);
    }
    out.append(", line ").append(part.line() + 1).append("\n\n");
    body(part);
  }

  private void heading(String kind, String text, Exchange.Part part) {
    out.append("**").append(kind).append("** ").append(text);
    if (part.message().id() != null) {
      out.append(", id ").append(code(part.message().id().toString()));
    }
    Stamp stamp = part.stamp();
    if (stamp != null) {
      out.append(", ").append(stamp.direction().label());
      out.append(", connection ").append(stamp.connection());
      out.append(", at ").append(Stamp.text(stamp.micros()));
    }
    out.append("\n\n");
  }

  /** Adds the params, the result or the error. */
  private void body(Exchange.Part part) {
    TraceMessage message = part.message();
    String line = trace.line(part.line());
    Json json;
    try {
      json = Json.parse(line.substring(message.from(), message.to()));
    } catch (JsonException e) {
      return; // nested to the limit within a batch
    }
    for (String member : new String[] {"params", "result", "error"}) {
      Json value = json.get(member);
      if (value != null) {
        out.append("```json\n").append(JsonLayout.INDENTED.text(value, MOST)).append("\n```\n\n");
      }
    }
  }

  private static String name(TraceMessage message) {
    return code(message.name());
  }

  /** Returns a text of the peer as a span of code, on one line and not too long. */
  private static String code(String text) {
    String shown = text.length() <= 100 ? text : text.substring(0, 100) + "...";
    return "`" + shown.replaceAll("[`\\p{Cntrl}]", "?") + "`";
  }
}
