package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.security.KeyFile;
import dev.repartee.security.PasswordFile;
import java.io.Console;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee passwd}: changes the passwords and tokens of the callers of a server. */
@Command(description = """
        Writes the hash of a password to a file for --auth basic:FILE of serve, bridge, mcp serve \
        and agents serve. The password is asked for twice, or read from standard input once. A \
        user with this name gets the new password; without --roles it keeps its roles. Servers \
        notice the change within a second.

        With --token, generates a random token for --auth bearer:FILE or key:HEADER,FILE instead, and \
        prints it. The file has only its digest.

        A new file can be read only by you; an existing one keeps its owner and permissions. It has \
        lines NAME:HASH:ROLE,ROLE, as htpasswd -B writes them, too.""", footer = """
          repartee passwd users ada --roles admin,user
          openssl rand -base64 18 | tee password | repartee passwd users ada
          repartee passwd users ada --delete
          repartee passwd tokens stock --token --roles service > token

        Exit codes: 0 written, 1 no such name to delete, 2 usage, or the file cannot be used.""")
final class PasswdCommand extends Subcommand {
  /** More than the longest password, with its end of line. */
  private static final int MAX_INPUT = 4 << 10;

  @Parameters(index = "0", paramLabel = "FILE", description = """
          The file; it is created if it does not exist.""")
  String file = "";

  @Parameters(index = "1", paramLabel = "NAME", description = "The name of the caller.")
  String name = "";

  @Option(names = "--roles", paramLabel = "ROLES", description = """
          The roles of the caller, with commas between them, for --allow and @Allow.""")
  @Nullable String roles;

  @Option(
      names = "--token",
      description = "Generate and print a random token instead of a password.")
  boolean token;

  @Option(names = "--delete", description = "Remove the caller from the file.")
  boolean delete;

  @Override
  public Integer call() {
    if (delete && (roles != null || token)) {
      throw Failure.usage("--delete removes the caller; leave out --roles and --token");
    }
    try {
      Path path = Path.of(file);
      if (delete) {
        return delete(path);
      }
      if (token) {
        KeyFile keys = new KeyFile(path);
        stdio.text(keys.add(name, roles == null ? keys.roles(name) : roles(roles)));
        return Exit.OK;
      }
      PasswordFile users = new PasswordFile(path);
      Set<String> given = roles == null ? users.roles(name) : roles(roles);
      char[] password = password();
      try {
        users.put(name, password, given);
      } finally {
        Arrays.fill(password, ' ');
      }
      return Exit.OK;
    } catch (IOException e) {
      throw Failure.usage("'" + file + "' cannot be changed: " + Failure.reason(e));
    } catch (InvalidPathException e) {
      throw Failure.usage("'" + file + "' is no name of a file");
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  private int delete(Path path) throws IOException {
    PasswordFile users = new PasswordFile(path);
    try {
      users.roles(name);
    } catch (IllegalArgumentException noPasswords) {
      new KeyFile(path).roles(name); // refuses any other file
    }
    if (users.remove(name)) {
      return Exit.OK;
    }
    throw Failure.refusal("'" + file + "' has no caller '" + name + "'");
  }

  private static Set<String> roles(String text) {
    Set<String> roles = new LinkedHashSet<>();
    for (String role : text.split(",")) {
      if (!role.isBlank()) {
        roles.add(role.strip());
      }
    }
    return roles;
  }

  /** Asks for the password, or reads it from standard input. */
  private char[] password() throws IOException {
    if (!stdio.isInteractive()) {
      return read();
    }
    Console console = System.console();
    if (console == null) {
      throw Failure.usage("the password cannot be asked for, because standard output is not a"
          + " terminal; do not redirect it, or give the password on standard input");
    }
    char[] password = console.readPassword("Password of %s: ", name);
    char[] again = password == null ? null : console.readPassword("Again: ");
    if (password == null || again == null) {
      throw Failure.usage("no password was given");
    }
    boolean isSame = Arrays.equals(password, again);
    Arrays.fill(again, ' ');
    if (!isSame) {
      throw Failure.usage("the two passwords differ; nothing was changed");
    }
    return password;
  }

  private char[] read() throws IOException {
    byte[] bytes = stdio.in().readNBytes(MAX_INPUT);
    CharBuffer text;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
    } catch (CharacterCodingException e) {
      throw Failure.usage("the password on standard input is not UTF-8");
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
    char[] all = new char[text.remaining()];
    text.get(all);
    Arrays.fill(text.array(), ' ');
    int end = all.length;
    for (char last : new char[] {'\n', '\r'}) {
      end -= end > 0 && all[end - 1] == last ? 1 : 0;
    }
    char[] password = Arrays.copyOf(all, end);
    Arrays.fill(all, ' ');
    if (CharBuffer.wrap(password).chars().anyMatch(c -> c == '\n')) {
      throw Failure.usage("standard input has more than one line; it has to be the password only");
    }
    return password;
  }
}
