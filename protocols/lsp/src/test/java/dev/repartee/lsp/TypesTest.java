package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonType;
import dev.repartee.lsp.types.*;
import java.io.File;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TypesTest {
  /**
   * Structures that the members of other variants make ambiguous: with all members they are read as
   * another variant with the same JSON.
   */
  private static final Set<Class<?>> AMBIGUOUS = Set.of(
      TextDocumentFilterScheme.class,
      TextDocumentFilterPattern.class,
      NotebookDocumentFilterScheme.class,
      NotebookDocumentFilterPattern.class,
      NotebookDocumentFilterWithCells.class,
      NotebookDocumentSyncOptions.class,
      TextDocumentContentOptions.class,
      SymbolInformation.class);

  /** Returns all generated types, those inside of unions too. */
  static List<Class<?>> types() throws URISyntaxException, ClassNotFoundException {
    File folder = new File(Hover.class
        .getProtectionDomain()
        .getCodeSource()
        .getLocation()
        .toURI()
        .resolve(Hover.class.getPackageName().replace('.', '/')));
    List<Class<?>> types = new ArrayList<>();
    for (String file : folder.list()) {
      if (file.endsWith(".class")) {
        Class<?> type = Class.forName(
            Hover.class.getPackageName() + "." + file.substring(0, file.length() - 6));
        if (type.isAnnotationPresent(GeneratedType.class)) {
          types.add(type);
        }
      }
    }
    return types;
  }

  static Stream<Arguments> values() throws ReflectiveOperationException, URISyntaxException {
    List<Arguments> values = new ArrayList<>();
    for (Class<?> type : types()) {
      if (type.isRecord()) {
        for (boolean all : new boolean[] {false, true}) {
          values.add(arguments(
              type, all ? "with all members" : "with as little as possible", value(type, all, 0)));
        }
      }
    }
    return values.stream();
  }

  @Test
  void allTypesOfTheMetaModelAreThere() throws Exception {
    assertThat(types().stream().filter(type -> type.getDeclaringClass() == null))
        .hasSizeGreaterThan(386 + 40 + 60)
        .allMatch(type -> type.isRecord() || type.isSealed());
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("values")
  void eachTypeIsReadAsItWasWritten(Class<?> type, String form, Object value) {
    Json json = json(value);
    Class<?> declared = type.getDeclaringClass() == null ? type : type.getDeclaringClass();

    Object read = json.as((Type) declared);

    assertThat(Json.of(read)).isEqualTo(json);
    if (AMBIGUOUS.stream().noneMatch(each -> value.toString().contains(each.getSimpleName()))) {
      assertThat(read).isEqualTo(value);
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("values")
  void eachVariantOfAUnionIsFoundByItsJson(Class<?> type, String form, Object value) {
    for (Class<?> union : type.getInterfaces()) {
      Json json = json(value);

      Object read = json.as((Type) union);

      assertThat(Json.of(read)).isEqualTo(json);
      if (AMBIGUOUS.stream().noneMatch(each -> value.toString().contains(each.getSimpleName()))) {
        assertThat(read).isEqualTo(value);
      }
    }
  }

  /**
   * Returns the JSON of a value, without a member of SymbolInformation that is deprecated: in results
   * of workspace/symbol, which both types may have, WorkspaceSymbol is read, and has it not.
   */
  private static Json json(Object value) {
    return Json.parse(
        Json.of(value).toString().replace("\"deprecated\":true,\"location\"", "\"location\""));
  }

  @Test
  void absentMembersAreLeftOutAndNullIsKeptWhereTheMetaModelRequiresIt() {
    assertThat(Json.of(new Hover(MarkedString.of("x")))).hasToString("{\"contents\":\"x\"}");
    assertThat(Json.of(new OptionalVersionedTextDocumentIdentifier("file:///a", null)))
        .hasToString("{\"uri\":\"file:///a\",\"version\":null}");
  }

  @Test
  void aMemberThatMayBeAbsentOrNullKeepsTheDifference() {
    SignatureHelp help = new SignatureHelp(List.of());

    assertThat(help.activeParameter()).isNull();
    assertThat(Json.of(help)).hasToString("{\"signatures\":[]}");
    assertThat(Json.of(help.withActiveParameter(null)))
        .hasToString("{\"signatures\":[],\"activeParameter\":null}");
    assertThat(Json.parse("{\"signatures\":[],\"activeParameter\":null}")
            .as(SignatureHelp.class)
            .activeParameter())
        .isEmpty();
    assertThat(Json.of(help.withActiveParameter(2)).as(SignatureHelp.class).activeParameter())
        .contains(2);
  }

  @Test
  void unknownMembersAreIgnored() {
    assertThat(Json.parse("{\"line\":1,\"column\":{\"x\":[]},\"character\":2}").as(Position.class))
        .isEqualTo(new Position(1, 2));
  }

  @Test
  void anUnknownValueOfAnEnumerationIsKept() {
    SymbolKind unknown = Json.parse("99").as(SymbolKind.class);

    assertThat(unknown).isEqualTo(new SymbolKind(99));
    assertThat(Json.of(unknown)).hasToString("99");
    assertThat(Json.parse("5").as(SymbolKind.class)).isSameAs(SymbolKind.CLASS);
    assertThat(Json.parse("\"quickfix\"").as(CodeActionKind.class))
        .isSameAs(CodeActionKind.QUICK_FIX);
  }

  @Test
  void valuesOfAnyKindAreJson() {
    CompletionItem item = new CompletionItem("a").withData(Json.NULL);

    assertThat(Json.of(item)).hasToString("{\"label\":\"a\",\"data\":null}");
    assertThat(Json.of(item).as(CompletionItem.class)).isEqualTo(item);
  }

  @Test
  void aFaultIsNamedByItsPath() {
    Json json = Json.parse("""
        {"uri":"a","diagnostics":[{"message":"m","range":{"start":{"line":0,"character":"x"}}}]}""");

    assertThatThrownBy(() -> json.as(PublishDiagnosticsParams.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("member 'diagnostics': element 0: member 'range': member 'start': member"
            + " 'character': expected an integer from 0 to 2147483647, got a string");
  }

  @Test
  void anUnsignedIntegerIsNotNegative() {
    assertThatThrownBy(() -> Json.parse("{\"line\":-1,\"character\":0}").as(Position.class))
        .hasMessage("member 'line': expected an integer from 0 to 2147483647, got another number");
    assertThatThrownBy(() -> Json.parse("{\"data\":[1,-1]}").as(SemanticTokens.class))
        .hasMessageContaining("element 1: expected an integer from 0 to 2147483647");
    assertThatThrownBy(() -> Json.parse("-3").as(SymbolKind.class))
        .hasMessage("expected an integer from 0 to 2147483647, got another number");
    assertThat(Json.parse("-32700").as(ErrorCodes.class)).isSameAs(ErrorCodes.PARSE_ERROR);
    assertThat(Json.parse("{\"uri\":\"a\",\"version\":-1}")
            .as(VersionedTextDocumentIdentifier.class)
            .version())
        .isEqualTo(-1);
  }

  @Test
  void missingMembersAreNamed() {
    assertThatThrownBy(() -> Json.parse("{}").as(Position.class))
        .hasMessage("missing: line, character");
    assertThatThrownBy(() -> Json.parse("{\"line\":1,\"line\":1}").as(Position.class))
        .hasMessage("member 'line' occurs twice");
  }

  @Test
  void aMissingMemberThatMayBeNullIsNull() {
    assertThat(Json.parse("{}").as(DidChangeConfigurationParams.class).settings())
        .isEqualTo(Json.NULL);
    assertThat(Json.parse("{\"token\":45}").as(ProgressParams.class).value()).isEqualTo(Json.NULL);
  }

  @Test
  void faultsInMapsNameTheMember() {
    assertThatThrownBy(
            () -> Json.parse("{\"changes\":{\"file:///a\":[{}]}}").as(WorkspaceEdit.class))
        .hasMessage("member 'changes': member 'file:///a': element 0: missing: range, newText");
    assertThatThrownBy(
            () -> Json.parse("{\"changes\":{\"a\":[],\"a\":[]}}").as(WorkspaceEdit.class))
        .hasMessage("member 'changes': member 'a' occurs twice");
  }

  @Test
  void aValueThatNoVariantOfAUnionHasIsRefused() {
    assertThatThrownBy(() -> Json.parse("true").as(HoverContents.class))
        .hasMessage("expected a string or an array or an object, got a boolean");
    assertThatThrownBy(() -> Json.parse("{\"kind\":\"other\"}").as(CreateFile.class))
        .hasMessage("member 'kind': expected \"create\"");
  }

  @Test
  void anObjectThatIsNoVariantOfAUnionIsRefusedWithAllVariantsAndItsMembers() {
    assertThatThrownBy(() -> Json.parse("{\"text\":\"x\",\"mime\":\"y\"}").as(HoverContents.class))
        .hasMessage("expected one of MarkupContent {kind, value}, MarkedStringWithLanguage"
            + " {language, value}, got an object with 'text', 'mime'");
    assertThatThrownBy(() -> Json.parse("{}").as(TextDocumentContentChangeEvent.class))
        .hasMessage("expected one of TextDocumentContentChangePartial {range, text},"
            + " TextDocumentContentChangeWholeDocument {text}, got an object without members");
    assertThatThrownBy(
            () -> Json.parse("{\"kind\":\"move\",\"uri\":\"a\"}").as(DocumentChange.class))
        .hasMessageContainingAll(
            "CreateFile {kind 'create', uri}",
            "TextDocumentEdit {textDocument, edits}",
            "got an object with 'kind' 'move', 'uri'");
    assertThatThrownBy(() -> Json.parse("{\"kind\":\"half\"}").as(DocumentDiagnosticReport.class))
        .hasMessageContainingAll(
            "kind 'full'", "kind 'unchanged'", "got an object with 'kind' 'half'");
  }

  @Test
  void aFaultInTheRightVariantOfAUnionIsNamedByItsPath() {
    assertThatThrownBy(() -> Json.parse("{\"language\":1,\"value\":\"x\"}").as(HoverContents.class))
        .hasMessage("member 'language': expected a string, got a number");
    assertThatThrownBy(
            () -> Json.parse("{\"textDocument\":{},\"edits\":[]}").as(DocumentChange.class))
        .hasMessage("member 'textDocument': missing: uri");
  }

  @Test
  void aResultThatIsNeverNullIsNotReadFromNull() {
    assertThatThrownBy(() -> Json.NULL.as(InitializeResult.class))
        .hasMessage("expected an object, got null");
    assertThatThrownBy(() -> Json.NULL.as(DocumentDiagnosticReport.class))
        .hasMessageEndingWith("got null");
    assertThat(Json.NULL.as(Hover.class)).isNull();
  }

  @Test
  void aRequiredMemberIsNeverNull() {
    assertThatThrownBy(() -> new Hover(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("contents");
    assertThatThrownBy(() -> Json.parse("{\"contents\":null}").as(Hover.class))
        .hasMessage("member 'contents': expected a string or an array or an object, got null");
  }

  @Test
  void aCommandAndACodeActionAreToldApartByTheKindOfTheirCommand() {
    assertThat(Json.parse("{\"title\":\"t\",\"command\":\"c\"}").as(CommandOrCodeAction.class))
        .isEqualTo(new Command("t", "c"));
    assertThat(Json.parse("""
        {"title":"t","command":{"title":"t","command":"c"}}""").as(CommandOrCodeAction.class))
        .isEqualTo(new CodeAction("t").withCommand(new Command("t", "c")));
  }

  @Test
  void theMessageOfADiagnosticIsAStringOrMarkup() {
    Range range = new Range(new Position(0, 0), new Position(0, 1));
    Diagnostic plain = new Diagnostic(range, "odd");
    Diagnostic markup = new Diagnostic(range, new MarkupContent(MarkupKind.MARKDOWN, "**odd**"));

    assertThat(Json.of(plain).get("message")).hasToString("\"odd\"");
    assertThat(Json.of(markup).get("message"))
        .hasToString("{\"kind\":\"markdown\",\"value\":\"**odd**\"}");
    assertThat(Json.of(plain).as(Diagnostic.class)).isEqualTo(plain);
    assertThat(Json.of(markup).as(Diagnostic.class)).isEqualTo(markup);
    assertThat(plain.message().text()).isEqualTo("odd");
    assertThat(markup.message().text()).isEqualTo("**odd**");
  }

  @Test
  void generatedTypesStandInOtherTypes() {
    record Pair(Position first, Optional<List<Position>> more) {}

    Pair pair = new Pair(new Position(1, 2), Optional.of(List.of(new Position(3, 4))));

    assertThat(Json.of(pair).as(JsonType.of(Pair.class))).isEqualTo(pair);
  }

  private static Object value(Type type, boolean all, int depth)
      throws ReflectiveOperationException, URISyntaxException {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class) {
        return depth > 6 ? List.of() : List.of(value(arguments[0], all, depth + 1));
      } else if (generic.getRawType() == Map.class) {
        return Map.of("key", value(arguments[1], all, depth + 1));
      }
      return Optional.of(value(arguments[0], all, depth + 1));
    }
    Class<?> raw = (Class<?>) type;
    if (raw == String.class) {
      return "täxt \"" + depth + '"';
    } else if (raw == int.class || raw == Integer.class) {
      return 40 + depth;
    } else if (raw == double.class || raw == Double.class) {
      return 0.5;
    } else if (raw == boolean.class || raw == Boolean.class) {
      return true;
    } else if (raw == Json.class) {
      return Json.parse("{\"any\":[1,null]}");
    } else if (raw.isSealed()) {
      Class<?>[] variants = raw.getPermittedSubclasses();
      return value(variants[all ? variants.length - 1 : 0], all, depth + 1);
    }
    RecordComponent[] components = raw.getRecordComponents();
    Constructor<?> constructor = raw.getDeclaredConstructor(
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      boolean optional = Arrays.stream(components[i].getAnnotatedType().getAnnotations())
          .anyMatch(annotation -> annotation instanceof org.jspecify.annotations.Nullable);
      if (!optional || all && depth < 6) {
        values[i] = value(components[i].getGenericType(), all, depth + 1);
      }
    }
    return constructor.newInstance(values);
  }
}
