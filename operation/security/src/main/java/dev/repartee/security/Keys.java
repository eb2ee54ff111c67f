package dev.repartee.security;

import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.security.Entries.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks random keys by their digests in a {@link KeyFile}. */
final class Keys extends TokenAuthenticator {
  /** The maximum number of characters of a key. */
  private static final int LONGEST = 1_024;

  private record Known(Digest digest, CompletionStage<@Nullable Principal> principal) {}

  private final WatchedFile<Map<Digest, Known>> file;

  Keys(String proof, TokenField field, Path path, Clock clock) throws IOException {
    super(field, LONGEST);
    this.file = new WatchedFile<>(path, true, clock, text -> parse(text, path, proof));
  }

  private static Map<Digest, Known> parse(String text, Path path, String proof) {
    Map<Digest, Known> known = new HashMap<>();
    for (Entry entry : KeyFile.parse(text, path)) {
      Digest digest = KeyFile.digest(entry);
      Principal principal = new Principal(entry.name(), entry.roles(), Set.of(), proof);
      Known before =
          known.put(digest, new Known(digest, CompletableFuture.completedFuture(principal)));
      if (before != null) {
        throw Entries.invalid(path, entry.line(), "has the key of an earlier line");
      }
    }
    return known;
  }

  @Override
  CompletionStage<@Nullable Principal> check(Digest digest, String key, Credentials credentials) {
    Known known = file.value().get(digest);
    return known != null && known.digest.matches(digest)
        ? known.principal
        : Refusals.refuse(Refusals.wrong());
  }
}
