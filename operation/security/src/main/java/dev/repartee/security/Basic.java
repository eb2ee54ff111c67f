package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.security.Entries.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks the name and password of HTTP Basic. bcrypt runs on a few threads for all instances;
 * {@link Checks} bounds the queue. An unknown name costs a check too, with the cost of the hash of
 * some user.
 */
final class Basic implements FieldAuthenticator {
  private static final List<String> CHALLENGES =
      List.of("Basic realm=\"repartee\", charset=\"UTF-8\"");
  private static final Duration REMEMBERED = Duration.ofMinutes(5);
  private static final int MOST_REMEMBERED = 10_000;

  /** The maximum number of characters of the encoded name and password. */
  private static final int LONGEST = 1_024;

  /** The hash of no password; its cost is inserted. */
  private static final String NOBODY =
      "$2y$%02d$abcdefghijklmnopqrstuu" + "5s2v8.iXieOjg/.AySBTTZIIVFJeBui";

  private record User(String hash, Principal principal) {}

  /** A password that was correct for a hash until a time on the clock. */
  private record Verified(String hash, long until) {}

  private record Users(Map<String, User> byName, List<Integer> costs) {
    static Users parse(String text, Path path) {
      Map<String, User> users = new HashMap<>();
      List<Entry> entries = PasswordFile.parse(text, path);
      for (Entry entry : entries) {
        Principal principal = new Principal(entry.name(), entry.roles(), Set.of(), "basic");
        users.put(entry.name(), new User(entry.proof(), principal));
      }
      return new Users(users, entries.stream().map(PasswordFile::cost).toList());
    }
  }

  private static final class Shared {
    static final Executor THREADS = threads();

    private static Executor threads() {
      int number = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
      ThreadPoolExecutor pool = new ThreadPoolExecutor(
          number,
          number,
          10,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(), // each user of the threads has a bound
          task -> Threads.daemon("repartee-password", task));
      pool.allowCoreThreadTimeOut(true);
      return pool;
    }
  }

  private final WatchedFile<Users> file;
  private final Clock clock;
  private final Executor threads;
  private final Digest.Keyed digests = new Digest.Keyed();
  private final Generations<Digest, Verified> remembered = new Generations<>(MOST_REMEMBERED);
  private final Checks<@Nullable Principal> checks = new Checks<@Nullable Principal>();

  Basic(Path path, Clock clock) throws IOException {
    this(path, clock, Shared.THREADS);
  }

  Basic(Path path, Clock clock, Executor threads) throws IOException {
    this.clock = clock;
    this.threads = threads;
    this.file = new WatchedFile<>(path, true, clock, text -> Users.parse(text, path));
  }

  @Override
  public CompletionStage<@Nullable Principal> authenticate(Credentials credentials) {
    String encoded = TokenField.credentials(credentials, "Basic ");
    if (encoded == null) {
      return CompletableFuture.completedFuture(null);
    }
    String decoded = encoded.length() > LONGEST ? null : decoded(encoded);
    int colon = decoded == null ? -1 : decoded.indexOf(':');
    if (decoded == null || colon < 0 || !PasswordFile.isPossible(decoded.substring(colon + 1))) {
      return Refusals.refuse(Refusals.wrong());
    }
    String name = decoded.substring(0, colon);
    Users users = file.value();
    User user = users.byName.get(name);
    Digest key = digests.of(decoded);
    Verified verified = remembered.get(key);
    if (verified != null
        && user != null
        && verified.hash.equals(user.hash)
        && clock.nanos() < verified.until) {
      return CompletableFuture.completedFuture(user.principal);
    }
    String hash = user == null ? nobody(name, users.costs) : user.hash;
    String password = decoded.substring(colon + 1);
    return checks.run(
        key,
        credentials,
        () -> CompletableFuture.supplyAsync(() -> check(key, name, hash, password), threads));
  }

  private static @Nullable String decoded(String encoded) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
      return UTF_8.newDecoder().decode(bytes).toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      return null;
    }
  }

  /** Returns a hash with a cost that depends on the name, as for known names. */
  private String nobody(String name, List<Integer> costs) {
    int cost = costs.isEmpty()
        ? PasswordFile.COST
        : costs.get((int) Math.floorMod(digests.of(name).a(), (long) costs.size()));
    return String.format(NOBODY, cost);
  }

  private Principal check(Digest key, String name, String hash, String password) {
    boolean correct =
        BCrypt.verifyer().verify(password.getBytes(UTF_8), hash.getBytes(UTF_8)).verified;
    User user = file.value().byName.get(name); // which may have changed while the check waited
    if (!correct || user == null || !user.hash.equals(hash)) {
      throw Refusals.wrong();
    }
    remembered.put(key, new Verified(hash, clock.after(REMEMBERED)));
    return user.principal;
  }

  @Override
  public String field() {
    return "Authorization: Basic";
  }

  @Override
  public List<String> challenges() {
    return CHALLENGES;
  }
}
