package dev.repartee.security;

import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.UserCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks authenticators in order until one knows the caller. If none does, the most important refusal
 * counts: with the status 429, then 503, then others. After a refusal of credentials in a header
 * field, authenticators of other places are not asked.
 */
record FirstOf(List<Authenticator> authenticators) implements Authenticator {
  FirstOf {
    authenticators = ordered(authenticators.stream()
        .flatMap(each ->
            each instanceof FirstOf nested ? nested.authenticators.stream() : Stream.of(each))
        .toList());
  }

  /**
   * The refusals so far.
   *
   * @param failure the most important one
   * @param field the header field of refused credentials
   */
  private record Refused(
      @Nullable Throwable failure, @Nullable String field) {
    static final Refused NOTHING = new Refused(null, null);

    /** Adds the failure of credentials at a place; null for no failure. */
    Refused and(@Nullable Throwable another, @Nullable String place) {
      if (another == null) {
        return this;
      }
      Throwable other = UserCode.cause(another);
      boolean isFirst = field == null && !FieldAuthenticator.CONNECTION.equals(place);
      return new Refused(rank(other) > rank(failure) ? other : failure, isFirst ? place : field);
    }

    /** Returns whether credentials at a place must not replace refused ones. */
    boolean excludes(@Nullable String place) {
      return field != null && place != null && !place.equals(field);
    }
  }

  /** Moves authenticators of header fields before the first sessions. */
  private static List<Authenticator> ordered(List<Authenticator> given) {
    List<Authenticator> ordered = new ArrayList<>();
    List<Authenticator> later = new ArrayList<>();
    for (Authenticator each : given) {
      boolean isLater = each instanceof Sessions || !later.isEmpty() && !isOfField(each);
      (isLater ? later : ordered).add(each);
    }
    ordered.addAll(later);
    return List.copyOf(ordered);
  }

  private static boolean isOfField(Authenticator authenticator) {
    String field = FieldAuthenticator.of(authenticator);
    return field != null && !field.equals(FieldAuthenticator.CONNECTION);
  }

  @Override
  public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
    return from(0, credentials, Refused.NOTHING);
  }

  private CompletionStage<@Nullable Principal> from(
      int start, Credentials credentials, Refused before) {
    Refused refused = before;
    for (int i = start; i < authenticators.size(); i++) {
      Authenticator authenticator = authenticators.get(i);
      String field = FieldAuthenticator.of(authenticator);
      if (refused.excludes(field)) {
        continue;
      }
      CompletableFuture<@Nullable Principal> asked = ask(authenticator, credentials);
      if (!asked.isDone()) {
        int next = i + 1;
        Refused soFar = refused;
        return asked
            .handle((found, failure) -> found != null
                ? CompletableFuture.<@Nullable Principal>completedFuture(found)
                : from(next, credentials, soFar.and(failure, field)))
            .thenCompose(stage -> stage);
      }
      try {
        Principal found = asked.join();
        if (found != null) {
          return asked;
        }
      } catch (RuntimeException e) {
        refused = refused.and(e, field);
      }
    }
    return refused.failure == null
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(refused.failure);
  }

  /** Asks an authenticator; an exception that it throws is a failure of the stage, too. */
  static CompletableFuture<@Nullable Principal> ask(
      Authenticator authenticator, Credentials credentials) {
    try {
      return authenticator.authenticate(credentials).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static int rank(@Nullable Throwable failure) {
    if (failure == null) {
      return 0;
    }
    return failure instanceof AccessException refusal
        ? switch (refusal.status()) {
          case 429 -> 4;
          case 503 -> 2;
          default -> 1;
        }
        : 3;
  }

  @Override
  public List<String> challenges() {
    List<String> all = new ArrayList<>();
    for (Authenticator each : authenticators) {
      for (String challenge : each.challenges()) {
        if (!all.contains(challenge)) {
          all.add(challenge);
        }
      }
    }
    return all;
  }
}
