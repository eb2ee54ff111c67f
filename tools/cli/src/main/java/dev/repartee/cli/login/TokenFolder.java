package dev.repartee.cli.login;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.mcp.oauth.OAuthClient;
import dev.repartee.mcp.oauth.TokenStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder with the tokens of this user. All logins share one store. Each client with credentials
 * has a separate store; a command therefore never uses the tokens of another client.
 */
public final class TokenFolder {
  private static final String USERS = "login";

  private final Path folder;

  TokenFolder(Path folder) {
    this.folder = folder;
  }

  /** Returns the folder of this user. */
  public static TokenFolder ofUser() {
    Path settings = settings(
        System.getProperty("os.name"), Path.of(System.getProperty("user.home")), System::getenv);
    return new TokenFolder(settings.resolve("repartee").resolve("tokens"));
  }

  /** Returns the folder of a system for settings. */
  static Path settings(String system, Path home, Function<String, @Nullable String> environment) {
    String name = system.toLowerCase(Locale.ROOT);
    if (name.startsWith("windows")) {
      String roaming = environment.apply("APPDATA");
      return roaming == null || roaming.isEmpty()
          ? home.resolve("AppData").resolve("Roaming")
          : Path.of(roaming);
    }
    String given = environment.apply("XDG_CONFIG_HOME");
    if (given != null && given.startsWith("/")) { // the specification ignores relative paths
      return Path.of(given);
    }
    return name.startsWith("mac")
        ? home.resolve("Library").resolve("Application Support")
        : home.resolve(".config");
  }

  /** Returns the store of the logins of users. */
  TokenStore ofUsers() {
    return store(folder.resolve(USERS));
  }

  /** Returns the store of a client with credentials. */
  TokenStore ofClient(String id) {
    return store(folder.resolve("client-" + UUID.nameUUIDFromBytes(id.getBytes(UTF_8))));
  }

  /** Returns a store. It is in memory if the file system cannot hide it from other users. */
  private static TokenStore store(Path folder) {
    try {
      return TokenStore.folder(folder);
    } catch (UnsupportedOperationException e) {
      return TokenStore.memory();
    }
  }

  /** Deletes all tokens for a server, and returns whether there were any. */
  public boolean forget(URI server) {
    boolean found = false;
    try {
      for (Path store : stores()) {
        found |= OAuthClient.builder("repartee")
            .clientCredentials()
            .store(store(store))
            .build()
            .forget(server);
      }
    } catch (IOException e) {
      throw Failure.usage("the tokens in " + folder + " cannot be deleted: " + Failure.reason(e));
    }
    return found;
  }

  private List<Path> stores() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return new ArrayList<>(all.filter(Files::isDirectory).toList());
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
