package dev.repartee.javadoc;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.Diagnostic;
import javax.tools.StandardLocation;

/**
 * Writes the Javadoc of types of JSON-RPC services beside their class files, where {@code
 * rpc.discover} finds it: {@code META-INF/repartee/javadoc/BINARY-NAME.properties}. These are the
 * classes and interfaces with a method that has {@code @Rpc}, the records and the enums, and the
 * interfaces with {@code @OneOf}. Other annotations and types are not read, and no code is
 * generated. {@code dev.repartee.internal.reflect.Javadoc} of core reads the files and lists their keys.
 */
@SupportedAnnotationTypes("*")
public final class JavadocProcessor extends AbstractProcessor {
  private static final String FOLDER = "META-INF/repartee/javadoc/";
  private static final String RPC = "dev.repartee.Rpc";
  private static final String ONE_OF = "dev.repartee.json.OneOf";

  /** Creates a processor; the compiler calls this. */
  public JavadocProcessor() {}

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  /** Writes the texts of the types of one round. Claims no annotation. */
  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    for (TypeElement type : ElementFilter.typesIn(round.getRootElements())) {
      keep(type);
    }
    return false;
  }

  private void keep(TypeElement type) {
    ElementFilter.typesIn(type.getEnclosedElements()).forEach(this::keep);
    Map<String, String> texts = new TreeMap<>();
    boolean serves = methods(type).stream().anyMatch(method -> has(method, RPC));
    if (serves) {
      methods(type).forEach(method -> describe(method, texts));
    }
    if (serves
        || type.getKind() == ElementKind.RECORD
        || type.getKind() == ElementKind.ENUM
        || has(type, ONE_OF)) {
      describe(type, texts);
    }
    if (!texts.isEmpty()) {
      write(type, texts);
    }
  }

  private static List<ExecutableElement> methods(TypeElement type) {
    return ElementFilter.methodsIn(type.getEnclosedElements());
  }

  private static boolean has(Element element, String annotation) {
    return element.getAnnotationMirrors().stream()
        .map(each -> (TypeElement) each.getAnnotationType().asElement())
        .anyMatch(each -> each.getQualifiedName().contentEquals(annotation));
  }

  private DocText text(Element element) {
    Elements elements = processingEnv.getElementUtils();
    String comment = elements.getDocComment(element);
    if (comment == null) {
      return DocText.of("");
    }
    return isMarkdown(elements, element) ? DocText.ofMarkdown(comment) : DocText.of(comment);
  }

  /** Returns whether the lines of a comment begin with {@code ///}, which Java 23 has added. */
  private static boolean isMarkdown(Elements elements, Element element) {
    try {
      Object kind =
          Elements.class.getMethod("getDocCommentKind", Element.class).invoke(elements, element);
      return kind != null && kind.toString().equals("END_OF_LINE");
    } catch (ReflectiveOperationException e) { // a compiler that does not know the form
      return false;
    }
  }

  private void describe(TypeElement type, Map<String, String> texts) {
    DocText text = text(type);
    put(texts, "description", text.main());
    if (type.getKind() == ElementKind.RECORD) {
      text.params().forEach((name, param) -> put(texts, "component#" + name, param));
    }
  }

  private void describe(ExecutableElement method, Map<String, String> texts) {
    if (method.getModifiers().contains(Modifier.PRIVATE)) {
      return;
    }
    DocText text = text(method);
    String key = method.getSimpleName()
        + method.getParameters().stream()
            .map(parameter -> binaryName(parameter.asType()))
            .collect(Collectors.joining(",", "(", ")"));
    put(texts, key, text.main());
    String summary = text.firstSentence();
    if (!summary.equals(text.main())) {
      put(texts, key + "#summary", summary);
    }
    List<? extends VariableElement> parameters = method.getParameters();
    for (int i = 0; i < parameters.size(); i++) {
      String param = text.params().get(parameters.get(i).getSimpleName().toString());
      put(texts, key + "#" + i, param == null ? "" : param);
    }
    put(texts, key + "#return", text.result());
  }

  private static void put(Map<String, String> texts, String key, String text) {
    if (!text.isEmpty()) {
      texts.put(key, text);
    }
  }

  /** Returns the name of the erasure of a type, as {@link Class#getTypeName} returns it. */
  private String binaryName(TypeMirror type) {
    TypeMirror erased = processingEnv.getTypeUtils().erasure(type);
    if (erased instanceof ArrayType array) {
      return binaryName(array.getComponentType()) + "[]";
    } else if (erased instanceof DeclaredType declared) {
      return binaryName((TypeElement) declared.asElement());
    }
    return String.valueOf(erased.getKind()).toLowerCase(Locale.ROOT); // a primitive type
  }

  private String binaryName(TypeElement type) {
    return processingEnv.getElementUtils().getBinaryName(type).toString();
  }

  private void write(TypeElement type, Map<String, String> texts) {
    String file = FOLDER + binaryName(type) + ".properties";
    try (Writer out = processingEnv
        .getFiler()
        .createResource(StandardLocation.CLASS_OUTPUT, "", file, type)
        .openWriter()) {
      for (Map.Entry<String, String> text : texts.entrySet()) {
        out.write(escaped(text.getKey()) + "=" + escaped(text.getValue()) + "\n");
      }
    } catch (IOException e) {
      processingEnv
          .getMessager()
          .printMessage(
              Diagnostic.Kind.ERROR, "cannot write " + file + ": " + e.getMessage(), type);
    }
  }

  /**
   * Returns a text as {@link java.util.Properties} reads it: ASCII, whatever the encoding of the
   * compiler's files is. Unlike {@code Properties.store}, without the date: equal sources give equal
   * files.
   */
  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\n' -> escaped.append("\\n");
        case '\\', '=', ':', '#', '!', ' ' -> escaped.append('\\').append(c);
        default -> {
          if (c < ' ' || c > '~') {
            escaped.append(String.format("\\u%04x", (int) c));
          } else {
            escaped.append(c);
          }
        }
      }
    }
    return escaped.toString();
  }
}
