package dev.repartee.acp.local;

import static dev.repartee.acp.local.Folder.invalid;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.acp.handlers.ReadTextFileHandler;
import dev.repartee.acp.handlers.WriteTextFileHandler;
import dev.repartee.acp.types.ReadTextFileRequest;
import dev.repartee.acp.types.ReadTextFileResponse;
import dev.repartee.acp.types.WriteTextFileRequest;
import dev.repartee.acp.types.WriteTextFileResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads and writes the text files of one folder for an agent. A path outside of the folder is
 * refused, even if it leads there through a symbolic link. Files are UTF-8 and have at most 10 MiB.
 * Writing creates missing folders. Thread-safe.
 *
 * <p>A path is checked before its file is opened. Between the check and the opening, another
 * program could replace a folder by a link. The check therefore protects against agents, but not
 * against other local programs.
 */
public final class FolderFiles implements ReadTextFileHandler, WriteTextFileHandler {
  private static final int MOST_BYTES = 10 << 20;

  private final Folder folder;

  /**
   * Creates handlers for the files of a folder.
   *
   * @throws IOException if the folder does not exist
   */
  public FolderFiles(Path folder) throws IOException {
    this.folder = new Folder(folder);
  }

  @Override
  public ReadTextFileResponse readTextFile(ReadTextFileRequest request) {
    Path file = folder.existing(request.path());
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw invalid("'" + request.path() + "' is not a regular file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    } catch (IOException e) {
      throw invalid("'" + request.path() + "' cannot be read");
    }
    if (bytes.length > MOST_BYTES) {
      throw invalid("'" + request.path() + "' has more than " + MOST_BYTES + " bytes");
    }
    return new ReadTextFileResponse(
        Lines.of(decode(request.path(), bytes), request.line(), request.limit()));
  }

  private static String decode(String path, byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw invalid("'" + path + "' is not a text in UTF-8");
    }
  }

  @Override
  public WriteTextFileResponse writeTextFile(WriteTextFileRequest request) {
    Path file = folder.place(request.path());
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw invalid("'" + request.path() + "' is not a regular file"); // opening a pipe may block
    }
    byte[] bytes = request.content().getBytes(UTF_8);
    if (bytes.length > MOST_BYTES) {
      throw invalid("the text has more than " + MOST_BYTES + " bytes");
    }
    try {
      Path parent = file.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      try (OutputStream out = Files.newOutputStream(
          file,
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS)) {
        out.write(bytes);
      }
    } catch (IOException e) {
      throw invalid("'" + request.path() + "' cannot be written");
    }
    return new WriteTextFileResponse();
  }
}
