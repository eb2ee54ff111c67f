package dev.repartee.security;

import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.security.Entries.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** Admits the client certificates of a list, by subject or alternative name. */
final class Certificates implements FieldAuthenticator.OfConnection {
  private static final String PROOF = "certificate";

  /** Admits every verified certificate. */
  static final Authenticator ALL = (FieldAuthenticator.OfConnection) credentials -> {
    X509Certificate shown = shown(credentials);
    if (shown == null) {
      return CompletableFuture.completedFuture(null);
    }
    String subject = shown.getSubjectX500Principal().getName();
    return !isValid(shown) || subject.isEmpty()
        ? Refusals.refuse(Refusals.wrong())
        : CompletableFuture.completedFuture(new Principal(subject, Set.of(), Set.of(), PROOF));
  };

  /** The types of alternative names (RFC 5280 section 4.2.1.6) with their prefixes in the file. */
  private static final Map<Integer, String> TYPES = Map.of(1, "email:", 2, "dns:", 6, "uri:");

  /**
   * A caller.
   *
   * @param subject the subject, exactly; null for an alternative name. Equal principals may have
   *     different subjects: they ignore case, control characters and the width of letters
   */
  private record Known(@Nullable String subject, Principal principal) {}

  private final WatchedFile<Map<Object, Known>> file;

  Certificates(Path path, Clock clock) throws IOException {
    file = new WatchedFile<>(path, false, clock, text -> parse(text, path));
  }

  private static Map<Object, Known> parse(String text, Path path) {
    Map<Object, Known> known = new HashMap<>();
    for (Entry entry : Entries.parse(text, path, "SUBJECT", true)) {
      Object property = property(entry, path);
      Principal principal = new Principal(entry.name(), entry.roles(), Set.of(), PROOF);
      if (known.put(property, new Known(subject(property), principal)) != null) {
        throw Entries.invalid(path, entry.line(), "has the subject of an earlier line");
      }
    }
    return known;
  }

  private static @Nullable String subject(Object property) {
    return property instanceof X500Principal subject ? subject.getName() : null;
  }

  private static Object property(Entry entry, Path path) {
    for (String prefix : TYPES.values()) {
      if (entry.proof().startsWith(prefix)) {
        return alternative(prefix, entry.proof().substring(prefix.length()));
      }
    }
    try {
      X500Principal subject = new X500Principal(entry.proof());
      if (!subject.getName().isEmpty()) {
        return subject;
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw Entries.invalid(
        path,
        entry.line(),
        "has neither a subject such as CN=alice,O=Shop nor an"
            + " alternative name such as dns:shop.example, uri:spiffe://shop.example/stock or"
            + " email:a@shop.example");
  }

  /** Returns the key of an alternative name. Host names ignore case, others do not. */
  private static String alternative(String prefix, String name) {
    return prefix + (prefix.equals("dns:") ? name.toLowerCase(Locale.ROOT) : name);
  }

  private static @Nullable X509Certificate shown(Credentials credentials) {
    List<X509Certificate> chain = credentials.certificates();
    return chain.isEmpty() ? null : chain.get(0);
  }

  /** Returns whether a certificate is valid now: a connection may outlive it. */
  private static boolean isValid(X509Certificate certificate) {
    try {
      certificate.checkValidity();
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  @Override
  public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
    X509Certificate shown = shown(credentials);
    if (shown == null) {
      return CompletableFuture.completedFuture(null);
    }
    if (isValid(shown)) {
      Map<Object, Known> known = file.value();
      for (Object property : properties(shown)) {
        Known found = known.get(property);
        if (found != null && Objects.equals(found.subject, subject(property))) {
          return CompletableFuture.completedFuture(found.principal);
        }
      }
    }
    return Refusals.refuse(Refusals.wrong());
  }

  private static List<Object> properties(X509Certificate certificate) {
    List<Object> properties = new ArrayList<>();
    properties.add(certificate.getSubjectX500Principal());
    Collection<List<?>> names;
    try {
      names = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException e) {
      names = null;
    }
    for (List<?> name : names == null ? List.<List<?>>of() : names) {
      String prefix = name.get(0) instanceof Integer type ? TYPES.get(type) : null;
      if (prefix != null && name.get(1) instanceof String text) {
        properties.add(alternative(prefix, text));
      }
    }
    return properties;
  }
}
