package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.CountsJson;
import com.example.LooksForLibraries;
import com.example.ReadsCachedFiles;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testing.ReservedPorts;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Classes in a program's jar, and classes of the engine that a program sees. */
class ProgramClassesIT {
  private static final String VISIBLE =
      "[org.slf4j.LoggerFactory, javax.sql.DataSource, io.millrace.api.DataStream]";

  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir Path directory;

  @Test
  @Behaviour("A4: jars under lib/ of the program's jar are on its class path")
  @Behaviour("H1: cached files travel with the job to the TaskManagers and are deleted with it")
  void recordsOfALibraryInTheJarAreExchangedBetweenTaskManagers() throws Exception {
    Path jar =
        ProgramJar.withLibraries(
            directory, CountsJson.class, ObjectMapper.class, JsonFactory.class, JsonProperty.class);
    String counts = "{h0=1, h1=1, h2=1, h3=1, k0=100, k1=100, k2=100, k3=100}";
    assertThat(SHELL.millrace("run", "-p", "2", jar.toString()).succeeded().out()).contains(counts);
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      Outcome run =
          cluster.millrace("run", "-m", cluster.rest().address(), "-p", "2", jar.toString());
      assertThat(run.succeeded().out()).contains(counts);
      readsCachedFiles(cluster);
    }
  }

  /** Both TaskManagers have a copy of each file while the job runs. */
  private void readsCachedFiles(Cluster cluster) throws IOException {
    Path script = Files.writeString(directory.resolve("script.sh"), "#!/bin/sh\necho hello\n");
    Path tree = Files.createDirectories(directory.resolve("tree/sub"));
    Files.writeString(tree.resolve("greeting"), "good day");
    Path archive = directory.resolve("archive.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
      zip.putNextEntry(new ZipEntry("sub/greeting"));
      zip.write("good night".getBytes(StandardCharsets.UTF_8));
    }
    Outcome run =
        cluster.millrace(
            "run",
            "-m",
            cluster.rest().address(),
            "-p",
            "2",
            ProgramJar.of(directory, ReadsCachedFiles.class).toString(),
            script.toString(),
            directory.resolve("tree").toString(),
            archive.toString());
    List<String> said =
        run.succeeded().out().stream().filter(line -> line.startsWith("said ")).toList();
    assertThat(said)
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).startsWith("said hello, good day, good night, "));
    for (String line : said) {
      Path copy = Path.of(line.substring(line.lastIndexOf(' ') + 1));
      Wait.untilTrue("the copies are deleted", () -> Files.notExists(copy.getParent()));
    }
  }

  @Test
  @Behaviour("A4: user classes load child-first, except for parent-first prefixes")
  void librariesOfTheEngineAreHiddenInEveryDeploymentMode() throws Exception {
    String jar = ProgramJar.of(directory, LooksForLibraries.class).toString();
    assertThat(SHELL.millrace("run", jar).succeeded().out())
        .contains("main: " + VISIBLE, "task: " + VISIBLE);
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      assertThat(cluster.millrace("run", "-m", cluster.rest().address(), jar).succeeded().out())
          .contains("main: " + VISIBLE, "task: " + VISIBLE);
    }
    Path own = directory.resolve("own");
    List<String> line =
        List.of(
            "jobmanager",
            "application",
            "-D",
            "jobmanager.rpc.port=" + ReservedPorts.next(),
            "-D",
            "rest.port=0",
            "-D",
            "resourcemanager.driver=process",
            "-D",
            "process.directory=" + own,
            jar);
    assertThat(SHELL.millrace(line.toArray(new String[0])).succeeded().out())
        .contains("main: " + VISIBLE, "task: " + VISIBLE);
  }

  /** Fails if a library that is added to the distribution is not hidden. */
  @Test
  void everyLibraryOfTheDistributionIsHidden() throws Exception {
    Map<String, String> classes = new TreeMap<>();
    List<URL> jars = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Shell.distribution().resolve("lib"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jar")).toList()) {
        if (!file.getFileName().toString().startsWith("millrace-")) {
          jars.add(file.toUri().toURL());
          collect(file, classes);
        }
      }
    }
    classes
        .keySet()
        .removeIf(
            name -> name.matches("(org\\.slf4j|ch\\.qos\\.logback|org\\.apache\\.fory)(\\..*)?"));
    assertThat(classes).hasSizeGreaterThan(50);
    Path jar = ProgramJar.of(directory, LooksForLibraries.class);
    try (URLClassLoader engine = new URLClassLoader(jars.toArray(new URL[0]));
        ProgramClassLoader program =
            new ProgramClassLoader(
                "test",
                List.of(jar.toUri().toURL()),
                engine,
                ProgramClassLoader.parentFirst(Configuration.EMPTY))) {
      classes.forEach(
          (packageName, name) ->
              assertThatThrownBy(() -> program.loadClass(name))
                  .as(name)
                  .isInstanceOf(ClassNotFoundException.class)
                  .hasMessageContaining("hides its own copy"));
    }
  }

  /** One class of each package. */
  private static void collect(Path jar, Map<String, String> classes) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
          .filter(name -> name.contains("/"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .forEach(name -> classes.putIfAbsent(name.substring(0, name.lastIndexOf('.')), name));
    }
  }
}
