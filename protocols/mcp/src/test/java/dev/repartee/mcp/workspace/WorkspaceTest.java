package dev.repartee.mcp.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.mcp.types.ToolException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceTest {
  @TempDir
  Path folder;

  private Path root = Path.of("");
  private Path secret = Path.of("");
  private Path file = Path.of("");

  @BeforeEach
  void files() throws IOException {
    Path real = folder.toRealPath();
    root = Files.createDirectories(real.resolve("work"));
    secret = Files.writeString(real.resolve("secret.txt"), "s");
    file = Files.writeString(root.resolve("a b.c"), "int a;");
    Files.createDirectory(root.resolve("sub"));
  }

  private Workspace workspace() throws IOException {
    return new Workspace(root, 10);
  }

  private void assertRefused(String named, String words) throws IOException {
    Workspace workspace = workspace();
    assertThatThrownBy(() -> workspace.read(workspace.file(named)))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aFileIsNamedByARelativePathAnAbsoluteOneOrAUri() throws IOException {
    assertThat(workspace().file("a b.c")).isEqualTo(file);
    assertThat(workspace().file("./sub/../a b.c")).isEqualTo(file);
    assertThat(workspace().file(file.toString())).isEqualTo(file);
    assertThat(workspace().file(file.toUri().toString())).isEqualTo(file);
    assertThat(workspace().shown(file)).isEqualTo("a b.c");
  }

  @Test
  void aPathThatLeavesTheFolderIsRefused() throws IOException {
    assertRefused("../secret.txt", "outside of the workspace");
    assertRefused("../absent.txt", "outside of the workspace");
    assertRefused("sub/../../secret.txt", "outside of the workspace");
    assertRefused(secret.toString(), "outside of the workspace");
    assertRefused(secret.toUri().toString(), "outside of the workspace");
    assertRefused(root.toUri() + "%2e%2e/secret.txt", "outside of the workspace");
    assertRefused(root + "2/a.c", "outside of the workspace");
  }

  @Test
  void aSymbolicLinkThatLeavesTheFolderIsRefused() throws IOException {
    Files.createSymbolicLink(root.resolve("link.c"), secret);
    Files.createSymbolicLink(root.resolve("up"), folder);
    assertRefused("link.c", "outside of the workspace");
    assertRefused("up/secret.txt", "outside of the workspace");
    assertThat(workspace().inside(root.resolve("link.c").toUri().toString())).isNull();
    assertThat(workspace().inside(root.resolve("up/secret.txt").toUri().toString()))
        .isNull();
  }

  @Test
  void aFileIsNotReadThroughAFolderThatBecameALink() throws IOException {
    Path named = Files.writeString(root.resolve("sub/secret.txt"), "inside");
    Path found = workspace().file("sub/secret.txt");
    assertThat(found).isEqualTo(named);
    Files.move(root.resolve("sub"), root.resolve("old"));
    Files.createSymbolicLink(root.resolve("sub"), secret.getParent());
    assertThatThrownBy(() -> workspace().read(found))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("'sub/secret.txt' is reached through a symbolic link now");
  }

  @Test
  void aFolderThatIsALinkItselfWorksByBothNames() throws IOException {
    Path link = Files.createSymbolicLink(root.resolveSibling("link"), root);
    Workspace workspace = new Workspace(link, 10);
    assertThat(workspace.file(link.resolve("a b.c").toString())).isEqualTo(file);
    assertThat(workspace.inside(link.resolve("a b.c").toUri().toString())).isEqualTo(file);
    assertThat(workspace.shown(link.resolve("a b.c").toUri().toString())).isEqualTo("a b.c");
  }

  @Test
  void aFileThatIsNoTextOfThatSizeIsRefused() throws IOException {
    Files.write(root.resolve("latin.c"), new byte[] {'a', (byte) 0xE4});
    Files.write(root.resolve("large.c"), new byte[11]);
    assertRefused("latin.c", "not a text in UTF-8");
    assertRefused("large.c", "more than 10 bytes");
    assertRefused("sub", "not a regular file");
    assertRefused("absent.c", "There is no file 'absent.c'");
    assertRefused("a\0b", "is not a path");
    assertRefused("file:///%zz", "There is no file");
  }

  @Test
  void aByteOrderMarkIsNotPartOfTheText() throws IOException {
    Path marked = Files.writeString(root.resolve("m.c"), "\uFEFFint");
    Workspace.Content content = workspace().read(marked);
    assertThat(content.text()).isEqualTo("int");
    assertThat(content.with("new"))
        .isEqualTo("\uFEFFnew".getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  @Test
  void aTextWithHalfOfASurrogatePairHasNoBytes() throws IOException {
    Workspace.Content content = workspace().read(Files.writeString(root.resolve("e.c"), "int"));
    assertThat(content.with("\uD83D\uDE00")).hasSize(4);
    for (String half : List.of("a\uD83D", "\uDE00b", "\uDE00\uD83D")) {
      assertThatThrownBy(() -> content.with(half)).isInstanceOf(CharacterCodingException.class);
    }
  }

  @Test
  void aUriThatIsNoFileIsShownAsItIs() throws IOException {
    assertThat(workspace().shown("jdt://contents/x")).isEqualTo("jdt://contents/x");
    assertThat(workspace().inside("jdt://contents/x")).isNull();
    assertThat(workspace().inside("file:///%zz")).isNull();
    assertThat(workspace().shown(secret.toUri().toString())).isEqualTo(secret.toString());
  }
}
