package dev.repartee.mcp.lsp;

import dev.repartee.lsp.types.LanguageKind;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The language of a file by its name. */
final class LanguageIds {
  private static final Map<String, String> BY_NAME = table("""
      bazel BUILD WORKSPACE
      cmake CMakeLists.txt
      dockerfile Dockerfile Containerfile
      go.mod go.mod
      go.sum go.sum
      go.work go.work
      jsonc tsconfig.json jsconfig.json
      makefile Makefile GNUmakefile
      ruby Gemfile Rakefile
      shellscript .bashrc .profile .zshrc""");

  private static final Map<String, String> BY_EXTENSION = table("""
      ada adb ads
      bat bat cmd
      c c
      clojure clj cljc cljs edn
      cmake cmake
      coffeescript coffee
      cpp cc cpp cxx c++ h hh hpp hxx h++ inl ipp tpp cppm ixx
      csharp cs csx
      css css
      cuda-cpp cu cuh
      dart dart
      diff diff patch
      elixir ex exs
      elm elm
      erlang erl hrl
      fortran f f90 f95 f03 f08
      fsharp fs fsi fsx
      go go
      graphql graphql gql
      groovy groovy gradle
      handlebars hbs handlebars
      haskell hs lhs
      html html htm
      ini ini cfg conf
      java java
      javascript js mjs cjs
      javascriptreact jsx
      json json
      jsonc jsonc
      julia jl
      kotlin kt kts
      latex tex
      less less
      lua lua
      makefile mk
      markdown md markdown
      nix nix
      objective-c m
      objective-cpp mm
      ocaml ml mli
      perl pl pm
      php php
      powershell ps1 psm1 psd1
      proto proto
      python py pyi pyw
      r r
      ruby rb
      rust rs
      sass sass
      scala scala sc sbt
      scss scss
      shellscript sh bash zsh ksh
      solidity sol
      sql sql
      svelte svelte
      swift swift
      terraform tf
      toml toml
      typescript ts mts cts
      typescriptreact tsx
      vb vb
      vue vue
      xml xml xsd svg
      xsl xsl xslt
      yaml yaml yml
      zig zig""");

  private LanguageIds() {}

  /** Returns the language of a file name; its extension, or {@code plaintext}, if it is unknown. */
  static LanguageKind of(String name) {
    String known = BY_NAME.get(name);
    if (known == null) {
      String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
      boolean none = extension.length() == name.length() || extension.isEmpty();
      known = none ? "plaintext" : BY_EXTENSION.getOrDefault(extension, extension);
    }
    return LanguageKind.of(known);
  }

  /** Returns the first word of each line by each of the others. */
  private static Map<String, String> table(String lines) {
    Map<String, String> table = new HashMap<>();
    lines.lines().forEach(line -> {
      String[] words = line.split(" ");
      for (int i = 1; i < words.length; i++) {
        table.put(words[i], words[0]);
      }
    });
    return table;
  }
}
