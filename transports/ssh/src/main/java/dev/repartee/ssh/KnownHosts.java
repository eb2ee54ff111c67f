package dev.repartee.ssh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.sshd.client.config.hosts.KnownHostHashValue;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.common.signature.Signature;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one host in files of known hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT), and the
 * check of the key that the host presents. A key that is not in the files is refused; nothing is
 * ever added to them. Lines with {@code @cert-authority} are not used. Immutable.
 */
final class KnownHosts {
  private static final String REVOKED = "@revoked";

  /** The place of a known key. */
  private record Known(PublicKey key, boolean revoked, Path file) {}

  private final SshAddress address;
  private final Path first;
  private final List<Known> keys = new ArrayList<>();

  /**
   * Reads the files that exist.
   *
   * @param files the first one is suggested in messages as the place for a new key
   */
  KnownHosts(SshAddress address, List<Path> files) throws IOException {
    this.address = address;
    this.first = files.get(0);
    for (Path file : files) {
      if (Files.exists(file)) {
        read(file);
      }
    }
  }

  private void read(Path file) throws IOException {
    for (String line : Files.readAllLines(file)) {
      List<String> words = List.of(line.strip().split("\\s+"));
      boolean marked = words.get(0).startsWith("@");
      boolean revoked = words.get(0).equals(REVOKED);
      List<String> entry = marked ? words.subList(1, words.size()) : words;
      if (entry.size() >= 3 && (revoked || !marked) && isOfHost(entry.get(0))) {
        PublicKey key = key(entry.get(1) + " " + entry.get(2));
        if (key != null) {
          keys.add(new Known(key, revoked, file));
        }
      }
    }
  }

  /** Reads a key; null if it is damaged or of an unknown type. Then it counts as missing. */
  private static @Nullable PublicKey key(String text) {
    try {
      return PublicKeyEntry.parsePublicKeyEntry(text)
          .resolvePublicKey(null, Map.of(), PublicKeyEntryResolver.IGNORING);
    } catch (GeneralSecurityException | IOException | RuntimeException e) {
      return null;
    }
  }

  /**
   * Returns whether patterns match this host. The library compares the port separately: with it, a
   * revocation of {@code *} would not apply to ports other than 22.
   */
  private boolean isOfHost(String patterns) {
    if (patterns.startsWith("|")) {
      try {
        KnownHostHashValue hash = KnownHostHashValue.parse(patterns);
        return hash != null && hash.isHostMatch(address.host(), address.port());
      } catch (RuntimeException e) {
        return false; // damaged
      }
    }
    boolean found = false;
    for (String pattern : patterns.split(",")) {
      boolean negated = pattern.startsWith("!");
      if (matches(negated ? pattern.substring(1) : pattern, address.knownHost())) {
        if (negated) {
          return false;
        }
        found = true;
      }
    }
    return found;
  }

  /** Matches a name with a pattern with the wildcards {@code *} and {@code ?}. */
  private static boolean matches(String pattern, String name) {
    StringBuilder regex = new StringBuilder();
    for (char c : pattern.toCharArray()) {
      regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
    }
    return name.matches(regex.toString());
  }

  /**
   * Sorts signature algorithms: the algorithms of known keys first, so that the server presents
   * such a key if it has several.
   */
  List<NamedFactory<Signature>> sorted(List<NamedFactory<Signature>> all) {
    List<String> types = keys.stream()
        .filter(known -> !known.revoked())
        .map(known -> type(known.key()))
        .toList();
    List<NamedFactory<Signature>> sorted = new ArrayList<>();
    for (boolean wanted : new boolean[] {true, false}) {
      for (NamedFactory<Signature> one : all) {
        if (types.contains(KeyUtils.getCanonicalKeyType(one.getName())) == wanted) {
          sorted.add(one);
        }
      }
    }
    return sorted;
  }

  private static String type(PublicKey key) {
    return String.valueOf(KeyUtils.getKeyType(key));
  }

  /** Returns the reason to refuse the key that the host presents; null if the key is known. */
  @Nullable String refusal(PublicKey shown) {
    Known other = null;
    boolean known = false;
    for (Known candidate : keys) {
      boolean same = KeyUtils.compareKeys(candidate.key(), shown);
      if (same && candidate.revoked()) {
        return "its host key " + fingerprint(shown) + " is marked as revoked in " + candidate.file()
            + "; do not use this host before its key is replaced";
      }
      known |= same;
      if (!candidate.revoked()) {
        other = candidate;
      }
    }
    if (known) {
      return null;
    }
    return other == null ? unknown(shown) : changed(shown, other);
  }

  private String unknown(PublicKey shown) {
    return "its host key is not in " + first + ": " + type(shown) + " " + fingerprint(shown)
        + ". Compare this fingerprint with the one on the server (there: ssh-keygen -l -f"
        + " /etc/ssh/ssh_host_ed25519_key.pub); if they are equal, add this line to the file: "
        + address.knownHost() + " " + PublicKeyEntry.toString(shown);
  }

  private String changed(PublicKey shown, Known other) {
    return "its host key has changed: " + other.file() + " has " + type(other.key()) + " "
        + fingerprint(other.key()) + ", the server shows " + type(shown) + " " + fingerprint(shown)
        + ". Somebody may intercept the connection. If the administrator of the server confirms the"
        + " new key, remove the old one with: ssh-keygen -R '" + address.knownHost() + "' -f "
        + other.file();
  }

  /** Returns the fingerprint as OpenSSH prints it. */
  static String fingerprint(PublicKey key) {
    return String.valueOf(KeyUtils.getFingerPrint(BuiltinDigests.sha256, key));
  }
}
