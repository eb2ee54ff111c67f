package dev.repartee.transport;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A message without calls: a notification, an answer, or text of code without a peer. */
final class TextMessage implements OutgoingMessage {
  private final int size;
  private final boolean isAnswer;
  private final @Nullable Consumer<Throwable> failed;
  private volatile @Nullable OutboundFrame text;

  TextMessage(OutboundFrame text, @Nullable Consumer<Throwable> failed) {
    this.text = text;
    this.failed = failed;
    this.size = text.size();
    this.isAnswer = !text.isInitiated();
  }

  @Override
  public OutboundFrame text() {
    OutboundFrame present = text;
    if (present == null) {
      throw new IllegalStateException("the text was dropped");
    }
    return present;
  }

  @Override
  public void dropText() {
    text = null;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean isAnswer() {
    return isAnswer;
  }

  @Override
  public boolean fail(Throwable cause) {
    if (failed != null) {
      failed.accept(cause);
    }
    return failed != null;
  }
}
