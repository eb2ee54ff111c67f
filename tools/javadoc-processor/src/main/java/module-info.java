/** An annotation processor that keeps the Javadoc of services for {@code rpc.discover}. */
module dev.repartee.javadoc {
  requires static org.jspecify;
  requires java.compiler;

  provides javax.annotation.processing.Processor with
      dev.repartee.javadoc.JavadocProcessor;
}
