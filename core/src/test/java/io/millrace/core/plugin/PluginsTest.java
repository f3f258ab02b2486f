package io.millrace.core.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.MaskedFiles;
import io.millrace.core.testplugin.TestPlugin;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginsTest {
  @TempDir Path plugins;
  @TempDir Path files;

  @Test
  @Behaviour("B2: each plugin has its own class loader")
  void pluginsMayHaveDifferentVersionsOfAClass() throws Exception {
    MaskedFiles.write(plugins, "one", "one", 1);
    MaskedFiles.write(plugins, "two", "two", 2);
    Path file = Files.write(files.resolve("file"), MaskedFiles.masked("grain", 1));
    try (Plugins loaded = load()) {
      List<DiscoveredService<FileSystem>> systems = loaded.services(FileSystem.class);
      assertThat(read(systems.get(0).instance(), "one", file)).isEqualTo("grain");
      assertThat(read(systems.get(1).instance(), "two", file))
          .isEqualTo(new String(MaskedFiles.masked("grain", 3), StandardCharsets.UTF_8));
    }
  }

  @Test
  void servicesAreOrderedByPluginName() throws Exception {
    for (String name : List.of("delta", "alpha", "gamma", "beta")) {
      MaskedFiles.write(plugins, name, name, 1);
    }
    Files.writeString(plugins.resolve("README"), "not a plugin");
    Files.createDirectory(plugins.resolve(".hidden"));
    try (Plugins loaded = load()) {
      assertThat(loaded.names()).containsExactly("alpha", "beta", "delta", "gamma");
      assertThat(loaded.services(FileSystem.class))
          .extracting(service -> service.instance().schemes().get(0))
          .containsExactly("alpha", "beta", "delta", "gamma");
      assertThat(loaded.services(FileSystem.class).get(0).origin())
          .isEqualTo("plugin 'alpha' in " + plugins.resolve("alpha"));
    }
  }

  /** The plugin rejects calls without its class loader, also those to its streams. */
  @Test
  void callsHaveThePluginsClassLoaderAndRestoreTheCallers() throws Exception {
    MaskedFiles.write(plugins, "masked", "masked", 7);
    ClassLoader callers = new ClassLoader() {};
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(callers);
    try (Plugins loaded = load()) {
      FileSystem system = loaded.services(FileSystem.class).get(0).instance();
      FilePath file = FilePath.parse("masked://" + files.resolve("file"));
      try (OutputStream out = system.create(file)) {
        out.write("stone".getBytes(StandardCharsets.UTF_8));
        out.write('s');
        out.flush();
      }
      assertThat(read(system, "masked", files.resolve("file"))).isEqualTo("stones");
      assertThatThrownBy(() -> system.create(file))
          .isExactlyInstanceOf(FileAlreadyExistsException.class);
      assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(callers);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  @Test
  @Behaviour("B2: each plugin has its own class loader")
  void librariesOfTheEngineAreHidden() throws Exception {
    writeLookup("org.assertj.core.api.Assertions");
    try (Plugins loaded = load()) {
      assertThat(lookUp(loaded)).isEqualTo("nowhere");
    }
  }

  @Test
  void configuredPrefixesAreSharedWithTheEngine() throws Exception {
    writeLookup("org.assertj.core.api.Assertions");
    try (Plugins loaded = Plugins.load(plugins, List.of("org.assertj."))) {
      assertThat(lookUp(loaded))
          .isEqualTo(org.assertj.core.api.Assertions.class.getClassLoader().toString());
    }
  }

  @Test
  void engineIsSharedWhateverIsConfigured() throws Exception {
    writeLookup(MillraceException.class.getName());
    try (Plugins loaded = Plugins.load(plugins, List.of())) {
      assertThat(lookUp(loaded)).isEqualTo(Plugins.class.getClassLoader().toString());
    }
  }

  @Test
  void pluginMayHavePackagesWithASharedPrefix() throws Exception {
    TestPlugin.in(plugins, "beside")
        .source(
            "io.millrace.beside.Beside",
            """
            package io.millrace.beside;

            public final class Beside implements java.util.concurrent.Callable<String> {
              @Override
              public String call() {
                return "here";
              }
            }
            """)
        .service(Callable.class, "io.millrace.beside.Beside")
        .write();
    try (Plugins loaded = load()) {
      assertThat(lookUp(loaded)).isEqualTo("here");
    }
  }

  @Test
  void librariesInLibAreUsedButNotSearchedForServices() throws Exception {
    writeLookup("com.example.masked.Masked");
    MaskedFiles.write(files, "library", "masked", 7);
    Path lib = Files.createDirectory(plugins.resolve("lookup").resolve("lib"));
    Files.move(files.resolve("library/library.jar"), lib.resolve("library.jar"));
    try (Plugins loaded = load()) {
      assertThat(lookUp(loaded)).asString().contains("PluginClassLoader");
      assertThat(loaded.services(FileSystem.class)).isEmpty();
    }
  }

  @Test
  void invalidLibraryJarIsReported() throws Exception {
    MaskedFiles.write(plugins, "masked", "masked", 7);
    Path lib = Files.createDirectory(plugins.resolve("masked").resolve("lib"));
    Files.writeString(lib.resolve("half.jar"), "PK and then nothing");
    assertThatThrownBy(this::load)
        .hasMessageStartingWith("Plugin 'masked' is broken: jar half.jar cannot be read: ");
  }

  @Test
  void invalidJarIsReportedWithItsDirectory() throws Exception {
    Path broken = Files.createDirectory(plugins.resolve("broken"));
    Files.writeString(broken.resolve("half.jar"), "PK and then nothing");
    assertThatThrownBy(this::load)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageStartingWith("Plugin 'broken' is broken: jar half.jar cannot be read: ")
        .hasMessageEndingWith(". Install it again, or remove the directory " + broken + ".");
  }

  @Test
  void serviceThatCannotBeCreatedIsReportedWithTheReason() throws Exception {
    TestPlugin.in(plugins, "throws")
        .source(
            "com.example.Throws",
            """
            package com.example;

            public final class Throws implements java.util.concurrent.Callable<String> {
              public Throws() {
                throw new IllegalStateException("no licence");
              }

              @Override
              public String call() {
                return "never";
              }
            }
            """)
        .service(Callable.class, "com.example.Throws")
        .write();
    try (Plugins loaded = load()) {
      assertThatThrownBy(() -> loaded.services(Callable.class))
          .isInstanceOf(MillraceException.class)
          .hasMessageContainingAll(
              "Plugin 'throws' is broken: its Callable cannot be used",
              "com.example.Throws",
              "IllegalStateException: no licence",
              "remove the directory " + plugins.resolve("throws"));
    }
  }

  @Test
  void missingServiceClassIsReported() throws Exception {
    TestPlugin.in(plugins, "empty").service(FileSystem.class, "com.example.Missing").write();
    try (Plugins loaded = load()) {
      assertThatThrownBy(() -> loaded.services(FileSystem.class))
          .hasMessageContainingAll("Plugin 'empty' is broken", "com.example.Missing not found");
    }
  }

  @Test
  void directoryWithoutJarsIsReported() throws Exception {
    Path nested = Files.createDirectories(plugins.resolve("unpacked/lib")).getParent();
    try (Plugins loaded = load()) {
      assertThat(loaded.names()).isEmpty();
      assertThat(loaded.withoutJars()).containsExactly(nested);
    }
  }

  @Test
  void absentDirectoryHasNoPlugins() throws Exception {
    try (Plugins loaded = Plugins.load(plugins.resolve("absent"), List.of())) {
      assertThat(loaded.names()).isEmpty();
      assertThat(loaded.services(FileSystem.class)).isEmpty();
    }
  }

  @Test
  void environmentTakesPrecedenceOverTheDistribution() {
    Path home = Path.of("/opt/millrace");
    assertThat(Plugins.directory(Map.of(), Optional.empty())).isEmpty();
    assertThat(Plugins.directory(Map.of(), Optional.of(home))).hasValue(home.resolve("plugins"));
    Map<String, String> environment = Map.of("MILLRACE_PLUGINS_DIR", plugins.toString());
    assertThat(Plugins.directory(environment, Optional.of(home))).hasValue(plugins);
  }

  @Test
  void configuredDirectoryMustExist() {
    Path absent = plugins.resolve("absent");
    assertThatThrownBy(
            () ->
                Plugins.directory(
                    Map.of("MILLRACE_PLUGINS_DIR", absent.toString()), Optional.empty()))
        .hasMessage("MILLRACE_PLUGINS_DIR names " + absent + ", but there is no such directory.");
  }

  @Test
  void closedPluginsLoadNoClasses() throws Exception {
    MaskedFiles.write(plugins, "masked", "masked", 1);
    Plugins loaded = load();
    loaded.close();
    assertThat(loaded.services(FileSystem.class)).isEmpty();
  }

  private Plugins load() {
    return Plugins.load(plugins, List.of());
  }

  private static String read(FileSystem system, String scheme, Path file) throws IOException {
    try (InputStream in = system.open(FilePath.parse(scheme + "://" + file), 0)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** A plugin that reports the class loader of a class. */
  private void writeLookup(String className) throws IOException {
    TestPlugin.in(plugins, "lookup")
        .source(
            "com.example.Lookup",
            """
            package com.example;

            public final class Lookup implements java.util.concurrent.Callable<String> {
              @Override
              public String call() {
                try {
                  return Class.forName("%s").getClassLoader().toString();
                } catch (ClassNotFoundException e) {
                  return "nowhere";
                }
              }
            }
            """
                .formatted(className))
        .service(Callable.class, "com.example.Lookup")
        .write();
  }

  private static Object lookUp(Plugins loaded) throws Exception {
    return loaded.services(Callable.class).get(0).instance().call();
  }
}
