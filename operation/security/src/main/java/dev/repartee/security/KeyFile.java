package dev.repartee.security;

import dev.repartee.security.Entries.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A file with the SHA-256 digests of random keys, for {@link Authenticators#bearer} and {@link
 * Authenticators#apiKey}. Each line is {@code NAME:DIGEST:ROLE,ROLE}; the roles may be omitted. The
 * digest has 64 hexadecimal digits: {@code printf %s "$KEY" | sha256sum} prints it. Lines that
 * begin with {@code #} are comments.
 *
 * <p>A key must be random, with at least 128 bits: a digest does not protect a word. {@link #add}
 * makes such a key. Changes keep the other lines. A new file can be read only by its owner. Not
 * thread-safe; two processes must not change a file at the same time.
 */
public final class KeyFile {
  private static final Pattern DIGEST = Pattern.compile("[0-9A-Fa-f]{64}");

  private final CallerFile file;

  /** Creates a view of a file, which need not exist. */
  public KeyFile(Path file) {
    this.file = new CallerFile(file);
  }

  /**
   * Makes a random key of 256 bits and writes its digest. Replaces the key with the same name.
   *
   * @return the key, 43 characters of base64url. The file does not contain it
   * @throws IllegalArgumentException if the name or a role has a colon or another character that
   *     cannot be written
   * @throws IOException if the file cannot be read or written
   */
  public String add(String name, Set<String> roles) throws IOException {
    String key = Digest.randomToken();
    file.put(name, Digest.of(key).hex(), roles);
    return key;
  }

  /**
   * Returns the roles of a key; empty if there is no such key.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if the file has an invalid line
   */
  public Set<String> roles(String name) throws IOException {
    return file.roles(name, KeyFile::parse);
  }

  /**
   * Removes the key with a name.
   *
   * @return whether there was one
   * @throws IOException if the file cannot be read or written
   */
  public boolean remove(String name) throws IOException {
    return file.remove(name);
  }

  static List<Entry> parse(String text, Path path) {
    List<Entry> entries = Entries.parse(text, path, "DIGEST", false);
    for (Entry entry : entries) {
      if (!DIGEST.matcher(entry.proof()).matches()) {
        throw Entries.invalid(
            path,
            entry.line(),
            "has no SHA-256 digest of a key, 64 hexadecimal"
                + " digits; make it with: printf %s \"$KEY\" | sha256sum");
      }
    }
    return entries;
  }

  static Digest digest(Entry entry) {
    return Digest.ofHex(entry.proof());
  }
}
