package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.internal.PrivateFile;
import dev.repartee.security.Entries.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** Changes the lines of a file of callers. Other processes see the file before or after. */
final class CallerFile {
  private final Path path;

  CallerFile(Path path) {
    this.path = path;
  }

  /**
   * Adds a line, or replaces the line with its name.
   *
   * @throws IllegalArgumentException if the name or a role cannot be written
   */
  void put(String name, String proof, Set<String> roles) throws IOException {
    roles.forEach(Entries::requireRole);
    Entry entry = new Entry(Entries.requireName(name), proof, roles, 0);
    List<String> lines = lines();
    int at = indexOf(lines, name);
    if (at < 0) {
      lines.add(entry.text());
    } else {
      lines.set(at, entry.text());
    }
    write(lines);
  }

  /** Returns the roles in the line with a name; empty if there is none. */
  Set<String> roles(String name, BiFunction<String, Path, List<Entry>> parser) throws IOException {
    return parser.apply(String.join("\n", lines()), path).stream()
        .filter(entry -> entry.name().equals(name))
        .map(Entry::roles)
        .findFirst()
        .orElse(Set.of());
  }

  /** Removes the line with a name; returns whether there was one. */
  boolean remove(String name) throws IOException {
    List<String> lines = lines();
    int at = indexOf(lines, name);
    if (at >= 0) {
      lines.remove(at);
      write(lines);
    }
    return at >= 0;
  }

  private List<String> lines() throws IOException {
    try {
      return new ArrayList<>(Files.readAllLines(path));
    } catch (NoSuchFileException e) {
      return new ArrayList<>();
    }
  }

  private static int indexOf(List<String> lines, String name) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(name + ":")) {
        return i;
      }
    }
    return -1;
  }

  private void write(List<String> lines) throws IOException {
    boolean exists = Files.exists(path);
    Path file = exists ? path.toRealPath() : path.toAbsolutePath();
    FileAttribute<?>[] own = PrivateFile.attributes(file);
    Path draft = Files.createTempFile(file.getParent(), file.getFileName() + ".", null, own);
    try {
      Files.write(draft, lines, UTF_8);
      if (exists && own.length > 0) {
        keepAttributes(file, draft);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** Keeps user, group and permissions: the server that reads the file may be another user. */
  private static void keepAttributes(Path file, Path draft) throws IOException {
    PosixFileAttributes before = Files.readAttributes(file, PosixFileAttributes.class);
    PosixFileAttributes now = Files.readAttributes(draft, PosixFileAttributes.class);
    PosixFileAttributeView view = Files.getFileAttributeView(draft, PosixFileAttributeView.class);
    if (!before.owner().equals(now.owner())) {
      view.setOwner(before.owner());
    }
    if (!before.group().equals(now.group())) {
      view.setGroup(before.group());
    }
    view.setPermissions(before.permissions());
  }
}
