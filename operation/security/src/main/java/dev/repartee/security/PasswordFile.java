package dev.repartee.security;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.repartee.security.Entries.Entry;
import java.io.IOException;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A file with the bcrypt hashes of passwords, for {@link Authenticators#basic}. Each line is {@code
 * NAME:HASH:ROLE,ROLE}; the roles may be omitted. {@code htpasswd -B} writes and reads such files
 * too, without roles. Lines that begin with {@code #} are comments. Other hashes, such as MD5 and
 * SHA-1, and plain passwords are refused.
 *
 * <p>Changes keep the other lines. A new file can be read only by its owner. Not thread-safe; two
 * processes must not change a file at the same time.
 */
public final class PasswordFile {
  /** The maximum number of bytes of a password in UTF-8; bcrypt ignores further bytes. */
  public static final int MAX_BYTES = 72;

  /** The logarithm of the rounds: a check takes a tenth of a second. */
  static final int COST = 11;

  /** A check with this cost takes more than a second. */
  private static final int MAX_COST = 15;

  private static final Pattern HASH =
      Pattern.compile("\\$2[aby]\\$(0[4-9]|[12][0-9]|3[01])\\$[./0-9A-Za-z]{53}");

  private final CallerFile file;

  /** Creates a view of a file, which need not exist. */
  public PasswordFile(Path file) {
    this.file = new CallerFile(file);
  }

  /**
   * Writes the hash of a password. Replaces the line with the same name.
   *
   * @param password the password, which the caller may erase afterwards
   * @throws IllegalArgumentException if the password is empty, has more than {@value #MAX_BYTES}
   *     bytes or contains U+0000; if the name or a role has a colon or another character that
   *     cannot be written
   * @throws IOException if the file cannot be read or written
   */
  public void put(String name, char[] password, Set<String> roles) throws IOException {
    file.put(name, hash(password), roles);
  }

  /**
   * Returns the roles of a user; empty if there is no such user.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if the file has an invalid line
   */
  public Set<String> roles(String name) throws IOException {
    return file.roles(name, PasswordFile::parse);
  }

  /**
   * Removes the user with a name.
   *
   * @return whether there was one
   * @throws IOException if the file cannot be read or written
   */
  public boolean remove(String name) throws IOException {
    return file.remove(name);
  }

  /**
   * Returns the hash of a password in the format of the file.
   *
   * @throws IllegalArgumentException as {@link #put} does
   */
  public static String hash(char[] password) {
    if (!isPossible(CharBuffer.wrap(password))) {
      throw new IllegalArgumentException(
          "a password has 1 to " + MAX_BYTES + " bytes in UTF-8, and no character U+0000");
    }
    return BCrypt.with(BCrypt.Version.VERSION_2Y).hashToString(COST, password);
  }

  /** Returns whether bcrypt distinguishes the password from all others. */
  static boolean isPossible(CharSequence password) {
    int length = StandardCharsets.UTF_8.encode(CharBuffer.wrap(password)).remaining();
    return length > 0 && length <= MAX_BYTES && password.chars().allMatch(c -> c != 0);
  }

  static List<Entry> parse(String text, Path path) {
    List<Entry> entries = Entries.parse(text, path, "HASH", false);
    for (Entry entry : entries) {
      if (!HASH.matcher(entry.proof()).matches()) {
        throw Entries.invalid(
            path,
            entry.line(),
            "has no bcrypt hash: plain passwords and the hashes"
                + " MD5, SHA-1 and crypt are refused; write it with 'repartee passwd' or"
                + " 'htpasswd -B'");
      }
      if (cost(entry) > MAX_COST) {
        throw Entries.invalid(
            path,
            entry.line(),
            "has a hash with the cost " + cost(entry) + "; a check would take seconds; use at most "
                + MAX_COST);
      }
    }
    return entries;
  }

  static int cost(Entry entry) {
    return Integer.parseInt(entry.proof().substring(4, 6));
  }
}
