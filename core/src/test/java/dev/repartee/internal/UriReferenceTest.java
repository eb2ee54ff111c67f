package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of RFC 3986 section 5.4, and further bases. */
class UriReferenceTest {
  @ParameterizedTest
  @CsvSource({
    "http://a/b/c/d;p?q, g:h, g:h",
    "http://a/b/c/d;p?q, g, http://a/b/c/g",
    "http://a/b/c/d;p?q, ./g, http://a/b/c/g",
    "http://a/b/c/d;p?q, g/, http://a/b/c/g/",
    "http://a/b/c/d;p?q, /g, http://a/g",
    "http://a/b/c/d;p?q, //g, http://g",
    "http://a/b/c/d;p?q, ?y, http://a/b/c/d;p?y",
    "http://a/b/c/d;p?q, g?y, http://a/b/c/g?y",
    "http://a/b/c/d;p?q, #s, http://a/b/c/d;p?q#s",
    "http://a/b/c/d;p?q, ;x, http://a/b/c/;x",
    "http://a/b/c/d;p?q, '', http://a/b/c/d;p?q",
    "http://a/b/c/d;p?q, ., http://a/b/c/",
    "http://a/b/c/d;p?q, .., http://a/b/",
    "http://a/b/c/d;p?q, ../../g, http://a/g",
    "http://a/b/c/d;p?q, ../../../g, http://a/g",
    "http://a/b/c/d;p?q, ../../../../g, http://a/g",
    "http://a/b/c/d;p?q, /../g, http://a/g",
    "http://a/b/c/d;p?q, ../../..?y, http://a/?y",
    "http://a/b/c/d;p?q, ..g, http://a/b/c/..g",
    "http://a?q#s, #t, http://a?q#t",
    "http://a, g, http://a/g",
    "http://a//b, ?y, http://a//b?y"
  })
  void aReferenceIsResolvedAsRfc3986Says(String base, String reference, String target) {
    assertThat(UriReference.resolve(URI.create(base), reference)).hasToString(target);
  }
}
