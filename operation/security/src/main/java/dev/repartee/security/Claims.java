package dev.repartee.security;

import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a token (RFC 7519 section 4, RFC 9068 section 2.2), or of an answer about a token
 * (RFC 7662 section 2.2). All checks fail with the refusal of wrong credentials.
 */
final class Claims {
  /** The maximum number of characters in a principal that is remembered. */
  private static final int SMALL = 2_048;

  private final Map<String, Json> members;

  /** Creates the claims of a JSON object. */
  Claims(Json object) {
    members = object.members();
  }

  /** Returns the claims in a text that should be a JSON object. */
  static Claims parse(byte[] text) {
    try {
      Json json = Json.parse(text);
      if (json.kind() == Json.Kind.OBJECT) {
        return new Claims(json);
      }
    } catch (JsonException e) {
      // refused as other texts are
    }
    throw Refusals.wrong();
  }

  /** Returns the value of a text; null if it is absent or something else. */
  @Nullable String text(String name) {
    Json value = members.get(name);
    String text = value == null ? null : value.string();
    return text == null || text.isEmpty() ? null : text;
  }

  /** Returns whether there is a value other than null. */
  boolean has(String name) {
    Json value = members.get(name);
    return value != null && !value.isNull();
  }

  boolean isTrue(String name) {
    return Json.TRUE.equals(members.get(name));
  }

  /** Returns whether the audience contains one of these names. */
  boolean isFor(Set<String> names) {
    Json audience = members.get("aud");
    if (audience == null) {
      return false;
    }
    return audience.string() != null
        ? names.contains(audience.string())
        : audience.elements().stream()
            .map(Json::string)
            .anyMatch(each -> each != null && names.contains(each));
  }

  /**
   * Returns the end, in seconds since 1970.
   *
   * @param required whether a token without an end is refused; otherwise its end never comes
   */
  long end(boolean required) {
    return seconds("exp", required ? Long.MIN_VALUE : Long.MAX_VALUE);
  }

  /** Returns whether the claims are in force. */
  boolean isInForce(Instant now, Duration skew, boolean endRequired) {
    long second = now.getEpochSecond();
    return isBefore(second, end(endRequired), skew)
        && second + skew.toSeconds() >= seconds("nbf", Long.MIN_VALUE);
  }

  /** Returns whether a second is before an end, with tolerance. */
  static boolean isBefore(long second, long end, Duration skew) {
    return second - skew.toSeconds() < end;
  }

  private long seconds(String name, long otherwise) {
    Json value = members.get(name);
    if (value == null || value.isNull()) {
      return otherwise;
    }
    try {
      return (long) Math.floor(value.as(double.class));
    } catch (JsonException e) {
      throw Refusals.wrong();
    }
  }

  /**
   * Returns the digest of the client certificate that the token is bound to (RFC 8705 section 3.1);
   * null if it is not bound.
   */
  @Nullable String boundCertificate() {
    Json confirmation = members.get("cnf");
    if (confirmation == null || confirmation.isNull()) {
      return null;
    }
    String digest = confirmation.string("x5t#S256");
    if (digest == null
        || digest.length() != Digest.CHARACTERS
        || confirmation.members().size() != 1) {
      throw Refusals.wrong(); // another proof that this server cannot check, such as DPoP
    }
    return digest;
  }

  /**
   * Returns the principal.
   *
   * @param issuer the issuer, which makes the name unique
   * @param name the claim with the name; null for issuer and subject
   * @param roles the path to the roles
   * @param expires the end of its connections; null if they go on
   */
  Principal principal(
      String issuer,
      @Nullable String name,
      List<String> roles,
      String proof,
      @Nullable Instant expires) {
    return new Principal(name(issuer, name), words(at(roles)), scopes(), proof, expires);
  }

  /** Returns an end with tolerance; null if it never comes. */
  static @Nullable Instant expiry(long end, Duration skew) {
    return end > Instant.MAX.getEpochSecond() - skew.toSeconds()
        ? null
        : Instant.ofEpochSecond(end).plus(skew);
  }

  /** Returns whether thousands of such principals may be remembered. */
  static boolean isSmall(Principal principal) {
    return principal.name().length() + length(principal.roles()) + length(principal.scopes())
        <= SMALL;
  }

  private static int length(Set<String> words) {
    return words.stream().mapToInt(String::length).sum();
  }

  private String name(String issuer, @Nullable String claim) {
    String subject = text(claim == null ? "sub" : claim);
    if (subject != null) {
      return claim == null ? issuer + "#" + subject : subject;
    }
    String client = claim == null ? text("client_id") : null;
    if (client == null) {
      throw Refusals.wrong();
    }
    return issuer + "?client:" + client; // no subject has such a name
  }

  private Set<String> scopes() {
    Json scopes = members.get("scope");
    return words(scopes == null ? members.get("scp") : scopes);
  }

  private @Nullable Json at(List<String> path) {
    Json value = null;
    for (String name : path) {
      value = value == null ? members.get(name) : value.get(name);
      if (value == null) {
        return null;
      }
    }
    return value;
  }

  /** Returns the strings of an array, or the words of a string. */
  private static Set<String> words(@Nullable Json value) {
    Set<String> words = new LinkedHashSet<>();
    if (value == null) {
      return words;
    }
    String text = value.string();
    for (Json each : text == null ? value.elements() : List.<Json>of()) {
      String word = each.string();
      if (word != null && !word.isEmpty()) {
        words.add(word);
      }
    }
    for (String word : text == null ? new String[0] : text.split(" ")) {
      if (!word.isEmpty()) {
        words.add(word);
      }
    }
    return words;
  }
}
