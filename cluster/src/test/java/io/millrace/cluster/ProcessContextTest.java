package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.sink.TextFileSink;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.MaskedFiles;
import io.millrace.core.testplugin.TestPlugin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The process context, and jobs of an embedded cluster that use it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ProcessContextTest {
  private static final int MASK = 5;

  @TempDir Path directory;

  @Test
  @Behaviour("B2: file systems of plugins serve jobs")
  void jobUsesFileSystemOfPlugin() throws Exception {
    MaskedFiles.write(plugins(), "masked", "masked", MASK);
    Path input = directory.resolve("input");
    Files.write(input, MaskedFiles.masked("grain\nstone\nwater\nweir\n", MASK));
    Path output = directory.resolve("output");
    run(
        () -> {
          StreamEnvironment env = StreamEnvironment.current().parallelism(2);
          env.readText("masked://" + input)
              .map(String::toUpperCase)
              .sinkTo(TextFileSink.to("masked://" + output));
          return env.execute("masked");
        });
    List<String> written = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output)) {
      for (Path part : parts.toList()) {
        written.addAll(lines(part));
      }
    }
    assertThat(written).containsExactlyInAnyOrder("GRAIN", "STONE", "WATER", "WEIR");
  }

  @Test
  void unknownSchemeIsReportedWithKnownOnes() throws Exception {
    MaskedFiles.write(plugins(), "masked", "masked", MASK);
    assertThatThrownBy(
            () ->
                run(
                    () ->
                        StreamEnvironment.current()
                            .readText("hdfs://host/x")
                            .collect("unknown")
                            .toList()))
        .hasMessageContainingAll("scheme 'hdfs'", "known are file, masked", plugins().toString());
  }

  @Test
  @Behaviour("B2: a failure half way through the start closes what was started")
  void closesPluginsIfContextCannotBeCreated() throws Exception {
    MaskedFiles.write(plugins(), "one", "masked", 1);
    MaskedFiles.write(plugins(), "two", "masked", 2);
    assertThatThrownBy(() -> create(Configuration.EMPTY)).hasMessageContaining("'masked'");
    Files.delete(plugins().resolve("two/two.jar"));
    try (ProcessContext context = create(Configuration.EMPTY)) {
      assertThat(context.plugins().names()).containsExactly("one");
      assertThat(context.plugins().withoutJars()).containsExactly(plugins().resolve("two"));
      assertThat(context.files().schemes()).containsExactly("file", "masked");
    }
  }

  @Test
  void additionalPrefixesAreSharedWithPlugins() throws Exception {
    TestPlugin.in(plugins(), "finds")
        .source(
            "com.example.Finds",
            """
            package com.example;

            public final class Finds implements java.util.concurrent.Callable<Boolean> {
              @Override
              public Boolean call() {
                try {
                  Class.forName("io.netty.buffer.ByteBuf");
                  return true;
                } catch (ClassNotFoundException e) {
                  return false;
                }
              }
            }
            """)
        .service(Callable.class, "com.example.Finds")
        .write();
    assertThat(finds(Configuration.EMPTY)).isEqualTo(false);
    assertThat(
            finds(
                Configuration.EMPTY.with(
                    CoreOptions.PLUGIN_PARENT_FIRST_PATTERNS_ADDITIONAL, "io.netty.")))
        .isEqualTo(true);
  }

  @Test
  void hasLocalFilesWithoutPluginDirectory() throws Exception {
    try (ProcessContext context = ProcessContext.createWithoutPlugins(Configuration.EMPTY)) {
      assertThat(context.files().of(FilePath.parse("x")).schemes()).containsExactly("file");
      assertThat(context.plugins().services(FileSystem.class)).isEmpty();
    }
  }

  @Test
  void rejectsKeytabWithoutSecurityModule() throws Exception {
    Path keytab = Files.writeString(directory.resolve("keytab"), "secret");
    Configuration configuration =
        Configuration.EMPTY
            .with(SecurityOptions.KERBEROS_KEYTAB, keytab.toString())
            .with(SecurityOptions.KERBEROS_PRINCIPAL, "miller");
    assertThatThrownBy(() -> create(configuration))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll("SecurityModule", plugins().toString());
  }

  private Path plugins() {
    return directory.resolve("plugins");
  }

  private ProcessContext create(Configuration configuration) {
    return ProcessContext.create(configuration, plugins());
  }

  private Object finds(Configuration configuration) throws Exception {
    try (ProcessContext context = create(configuration)) {
      return context.plugins().services(Callable.class).get(0).instance().call();
    }
  }

  private <T> T run(Callable<T> program) throws Exception {
    Configuration configuration =
        Configuration.EMPTY.with(
            CoreOptions.TMP_DIRS, Files.createDirectories(directory.resolve("tmp")).toString());
    try (EmbeddedCluster cluster = new EmbeddedCluster(configuration, create(configuration))) {
      return new ProgramContext(
              new ClusterJobExecutor(
                  cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE),
              configuration)
          .during(program);
    }
  }

  private static List<String> lines(Path part) throws Exception {
    byte[] bytes = Files.readAllBytes(part);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= MASK;
    }
    return new String(bytes, java.nio.charset.StandardCharsets.UTF_8).lines().toList();
  }
}
