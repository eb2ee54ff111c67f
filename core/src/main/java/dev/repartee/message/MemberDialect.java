package dev.repartee.message;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A dialect that reads additional members of requests and notifications. */
final class MemberDialect extends ForwardingDialect {
  private static final int MOST = 16;

  private final Dialect dialect;
  private final Set<String> names;

  /** The codec of all connections; null if each has its own. */
  private final @Nullable Codec shared;

  private MemberDialect(Dialect dialect, Set<String> names) {
    super(dialect);
    this.dialect = dialect;
    this.names = names;
    Codec codec = dialect.codec();
    this.shared = codec == dialect.codec() ? reading(codec) : null;
  }

  /** Returns a dialect that also reads the members that a given one reads. */
  static MemberDialect of(Dialect dialect, String... names) {
    Set<String> all = new HashSet<>(List.of(names));
    for (MessageMember defined : MessageMember.values()) {
      if (all.contains(defined.label())) {
        throw new IllegalArgumentException(defined + " is a member that JSON-RPC defines");
      }
    }
    Dialect inner = dialect;
    if (dialect instanceof MemberDialect reading) {
      all.addAll(reading.names);
      inner = reading.dialect;
    }
    if (all.size() > MOST) {
      throw new IllegalArgumentException(
          "a dialect reads at most " + MOST + " additional members, not " + all.size());
    }
    return new MemberDialect(inner, Set.copyOf(all));
  }

  /** Returns the dialect without the additional members. */
  Dialect dialect() {
    return dialect;
  }

  @Override
  public Codec codec() {
    return shared == null ? reading(super.codec()) : shared;
  }

  private Codec reading(Codec codec) {
    return new ForwardingCodec(codec) {
      @Override
      public void decode(byte[] frame, int from, int to, ParsedFrame into) {
        into.readOthers(names);
        try {
          super.decode(frame, from, to, into);
        } finally {
          into.readOthers(null); // the next frame may be of another connection
        }
      }
    };
  }
}
