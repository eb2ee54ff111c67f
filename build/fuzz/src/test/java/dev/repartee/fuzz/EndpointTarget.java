package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.transport.Endpoint;
import java.util.Locale;
import java.util.Map;

/**
 * Checks that {@link Endpoint} refuses a URI with a message that names it, or reads a URI that can
 * be written again.
 */
final class EndpointTarget {
  private EndpointTarget() {}

  static void run(byte[] input) {
    String uri = new String(input, UTF_8);
    Endpoint endpoint;
    try {
      endpoint = Endpoint.parse(uri);
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      check(message.contains(uri) || message.startsWith("unknown framing '"), "refused so: " + e);
      return;
    }
    int colon = uri.indexOf(':');
    String canonical = uri.substring(0, colon).toLowerCase(Locale.ROOT) + uri.substring(colon);
    same("the scheme", canonical.substring(0, colon), endpoint.scheme());
    same("the URI", canonical, endpoint.toString());
    same("the endpoint read again", endpoint, Endpoint.parse(endpoint.toString()));
    same("without options", Map.of(), endpoint.bare().options());
    same("at another address", endpoint.options(), endpoint.at("x").options());
  }
}
