package dev.repartee.a2a.types;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of the alternatives of credentials that an agent accepts.
 *
 * @param schemes the names of all security schemes that are needed together, with their scopes
 */
public record SecurityRequirement(Map<String, List<String>> schemes) {
  /** Copies the map. */
  public SecurityRequirement {
    Map<String, List<String>> copy = new LinkedHashMap<>();
    schemes.forEach((name, scopes) -> copy.put(name, List.copyOf(scopes)));
    schemes = Collections.unmodifiableMap(copy);
  }

  /** Returns a requirement of one scheme. */
  public static SecurityRequirement of(String scheme, String... scopes) {
    return new SecurityRequirement(Map.of(scheme, List.of(scopes)));
  }
}
