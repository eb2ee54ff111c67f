package dev.repartee.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.mcp.types.Content;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentOutputTest {
  private static final byte[] SOUND = {1, 2, 3};

  @TempDir
  Path folder;

  /** Otherwise ten thousand files of one answer would need fifty million attempts. */
  @Test
  void aNumberIsTriedOnceForAllFilesOfACommand() throws Exception {
    ContentOutput content = new ContentOutput();
    content.output = folder.toString();
    Files.createFile(folder.resolve("image-1.png"));
    assertThat(content.text(Content.image(SOUND, "image/png"))).contains("image-2.png");
    Files.delete(folder.resolve("image-1.png"));
    assertThat(content.text(Content.image(SOUND, "image/png"))).contains("image-3.png");
    assertThat(content.text(Content.image(SOUND, "image/jpeg"))).contains("image-1.jpg");
    assertThat(content.text(Content.audio(SOUND, "audio/wav"))).contains("audio-1.wav");
  }
}
