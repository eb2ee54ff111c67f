package dev.repartee.ssh;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.sshd.common.config.keys.AuthorizedKeyEntry;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.jspecify.annotations.Nullable;

/** The public keys of the clients of a server (sshd(8), AUTHORIZED_KEYS FILE FORMAT). */
final class AuthorizedKeys {
  /** The options that only forbid features that this server does not offer. */
  private static final Set<String> HARMLESS = Set.of(
      "restrict",
      "no-agent-forwarding",
      "no-port-forwarding",
      "no-pty",
      "no-user-rc",
      "no-x11-forwarding");

  private final Path file;

  AuthorizedKeys(Path file) {
    this.file = file;
  }

  /**
   * Checks the file.
   *
   * @throws IOException if it cannot be used; the message contains the file and the remedy
   */
  void check() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("there is no file of authorized keys '" + file
          + "'; make it from public keys: cat ~/.ssh/id_ed25519.pub >> " + file);
    }
    read();
  }

  /** Returns the comment of a key, empty if it has none; null if the key is not authorized. */
  @Nullable String comment(PublicKey shown) throws IOException {
    for (AuthorizedKeyEntry entry : read()) {
      try {
        PublicKey key = entry.resolvePublicKey(null, PublicKeyEntryResolver.IGNORING);
        if (key != null && KeyUtils.compareKeys(key, shown)) {
          String comment = entry.getComment();
          return comment == null ? "" : comment;
        }
      } catch (GeneralSecurityException e) {
        throw new IOException("the file of authorized keys '" + file + "' has a damaged key", e);
      }
    }
    return null;
  }

  private List<AuthorizedKeyEntry> read() throws IOException {
    OwnersFile.requireUnchangeableByOthers(file);
    List<AuthorizedKeyEntry> entries;
    try {
      entries =
          AuthorizedKeyEntry.readAuthorizedKeys(new StringReader(Files.readString(file)), true);
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the file of authorized keys '" + file + "' has a line that is not a public key", e);
    }
    Set<String> unknown = new TreeSet<>();
    entries.forEach(entry -> unknown.addAll(entry.getLoginOptions().keySet()));
    unknown.removeIf(HARMLESS::contains);
    if (!unknown.isEmpty()) {
      throw new IOException("the file of authorized keys '" + file + "' has the options "
          + String.join(", ", unknown) + ", which this server would have to ignore;"
          + " use a file without them");
    }
    return entries;
  }
}
