package dev.repartee.benchmarks.peers;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.repartee.benchmarks.load.Document;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The protobuf messages, written by hand: the same work as generated code, without a protobuf
 * compiler in the build and without builders.
 */
final class GrpcCodec {
  private static final int VARINT = WireFormat.WIRETYPE_VARINT;
  private static final int FIXED64 = WireFormat.WIRETYPE_FIXED64;
  private static final int LENGTH = WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private GrpcCodec() {}

  /** The operands of a subtraction, or its result, with 0 as the second operand. */
  record Operands(int minuend, int subtrahend) {}

  static final MethodDescriptor.Marshaller<Operands> OPERANDS = new Marshaller<>() {
    @Override
    int size(Operands value) {
      return CodedOutputStream.computeInt32Size(1, value.minuend())
          + CodedOutputStream.computeInt32Size(2, value.subtrahend());
    }

    @Override
    void write(Operands value, CodedOutputStream out) throws IOException {
      out.writeInt32(1, value.minuend());
      out.writeInt32(2, value.subtrahend());
    }

    @Override
    Operands read(CodedInputStream in) throws IOException {
      int minuend = 0;
      int subtrahend = 0;
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == tag(1, VARINT)) {
          minuend = in.readInt32();
        } else if (tag == tag(2, VARINT)) {
          subtrahend = in.readInt32();
        } else {
          in.skipField(tag);
        }
      }
      return new Operands(minuend, subtrahend);
    }
  };

  static final MethodDescriptor.Marshaller<Document> DOCUMENT = new Marshaller<>() {
    @Override
    int size(Document value) {
      int size = 0;
      for (Document.Item item : value.items()) {
        int length = itemSize(item);
        size += CodedOutputStream.computeTagSize(1)
            + CodedOutputStream.computeUInt32SizeNoTag(length)
            + length;
      }
      return size;
    }

    @Override
    void write(Document value, CodedOutputStream out) throws IOException {
      for (Document.Item item : value.items()) {
        out.writeTag(1, LENGTH);
        out.writeUInt32NoTag(itemSize(item));
        writeItem(item, out);
      }
    }

    @Override
    Document read(CodedInputStream in) throws IOException {
      List<Document.Item> items = new ArrayList<>();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == tag(1, LENGTH)) {
          int outer = in.pushLimit(in.readRawVarint32());
          items.add(readItem(in));
          in.popLimit(outer);
        } else {
          in.skipField(tag);
        }
      }
      return new Document(items);
    }
  };

  private static int itemSize(Document.Item item) {
    int size = CodedOutputStream.computeInt32Size(1, item.id())
        + CodedOutputStream.computeStringSize(2, item.name())
        + CodedOutputStream.computeDoubleSize(3, item.score())
        + CodedOutputStream.computeBoolSize(5, item.active())
        + CodedOutputStream.computeStringSize(6, item.note());
    for (String tag : item.tags()) {
      size += CodedOutputStream.computeStringSize(4, tag);
    }
    return size;
  }

  private static void writeItem(Document.Item item, CodedOutputStream out) throws IOException {
    out.writeInt32(1, item.id());
    out.writeString(2, item.name());
    out.writeDouble(3, item.score());
    for (String tag : item.tags()) {
      out.writeString(4, tag);
    }
    out.writeBool(5, item.active());
    out.writeString(6, item.note());
  }

  private static Document.Item readItem(CodedInputStream in) throws IOException {
    int id = 0;
    String name = "";
    double score = 0;
    List<String> tags = new ArrayList<>(2);
    boolean active = false;
    String note = "";
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case 1 << 3 | VARINT -> id = in.readInt32();
        case 2 << 3 | LENGTH -> name = in.readStringRequireUtf8();
        case 3 << 3 | FIXED64 -> score = in.readDouble();
        case 4 << 3 | LENGTH -> tags.add(in.readStringRequireUtf8());
        case 5 << 3 | VARINT -> active = in.readBool();
        case 6 << 3 | LENGTH -> note = in.readStringRequireUtf8();
        default -> in.skipField(tag);
      }
    }
    return new Document.Item(id, name, score, tags, active, note);
  }

  private static int tag(int field, int type) {
    return field << 3 | type;
  }

  /**
   * Like grpc-java's own marshaller for protobuf: reports the size first, and writes the bytes
   * late.
   */
  private abstract static class Marshaller<T> implements MethodDescriptor.Marshaller<T> {
    abstract int size(T value);

    abstract void write(T value, CodedOutputStream out) throws IOException;

    abstract T read(CodedInputStream in) throws IOException;

    @Override
    public InputStream stream(T value) {
      return new Lazy<>(this, value);
    }

    @Override
    public T parse(InputStream stream) {
      try {
        byte[] bytes = new byte[((KnownLength) stream).available()];
        int count = stream.readNBytes(bytes, 0, bytes.length);
        return read(CodedInputStream.newInstance(bytes, 0, count));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class Lazy<T> extends InputStream implements Drainable, KnownLength {
    private final Marshaller<T> marshaller;
    private final T value;
    private final int size;

    Lazy(Marshaller<T> marshaller, T value) {
      this.marshaller = marshaller;
      this.value = value;
      this.size = marshaller.size(value);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      CodedOutputStream out = CodedOutputStream.newInstance(target, Math.min(4_096, size));
      marshaller.write(value, out);
      out.flush();
      return size;
    }

    @Override
    public int available() {
      return size;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException("the transport drains it");
    }
  }
}
