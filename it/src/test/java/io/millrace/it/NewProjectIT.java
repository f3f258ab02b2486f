package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A project of {@code millrace new}, from its first file to a job on a cluster. */
class NewProjectIT {
  private static final List<String> COUNTS =
      List.of("be\t2", "is\t1", "not\t1", "or\t1", "question\t1", "that\t1", "the\t1", "to\t2");

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  void newProjectIsBuiltTestedAndRun() throws Exception {
    Path maven = maven();
    Path project = SHELL.directory().resolve("words");
    Outcome written =
        SHELL
            .millrace(
                "new", project.toString(), "--group-id", "org.acme", "--package", "org.acme.app")
            .succeeded();
    // What a user types next, line by line.
    assertThat(written.out())
        .containsExactly("cd " + project, "mvn package", "millrace run target/words.jar");
    Outcome again = SHELL.millrace("new", project.toString());
    assertThat(again.refusedInOneLine()).contains("is not empty");

    Path local = SHELL.directory().resolve("m2");
    Outcome built =
        new Command(
                new ProcessBuilder(
                        maven.toString(),
                        "-B",
                        "-ntp",
                        "-s",
                        settings().toString(),
                        "-Dmaven.repo.local=" + local,
                        "package")
                    .directory(project.toFile()))
            .await();
    assertThat(built.code()).as("%s", built).isZero();
    assertThat(built.out()).anyMatch(line -> line.contains("Tests run: 2, Failures: 0, Errors: 0"));
    assertThat(local.resolve("io/millrace/millrace-api")).isDirectory();

    String jar = project.resolve("target/words.jar").toString();
    assertThat(SHELL.millrace("run", jar).succeeded().out().stream().sorted())
        .containsExactlyElementsOf(COUNTS);
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "2")) {
      assertThat(cluster.run("-p", "2", jar).succeeded().out()).containsAll(COUNTS);
      Path input = Files.writeString(SHELL.directory().resolve("in.txt"), "To be, or not to be\n");
      Path output = SHELL.directory().resolve("out");
      cluster.run(jar, input.toString(), output.toString()).succeeded();
      try (Stream<Path> parts = Files.list(output)) {
        assertThat(Files.readAllLines(parts.findFirst().orElseThrow()))
            .containsExactlyInAnyOrder("to\t2", "be\t2", "or\t1", "not\t1");
      }
    }
  }

  private static Path maven() {
    Path found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(directory -> Path.of(directory, "mvn"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    Assumptions.assumeTrue(found != null, "Maven (mvn) is not on the PATH");
    return found;
  }

  /**
   * Libraries and plugins of others come from the local repository of this build, which has used
   * them all, so that the test needs no network. Millrace's own come from the distribution.
   */
  private static Path settings() throws IOException {
    String repository =
        System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository");
    return Files.writeString(
        SHELL.directory().resolve("settings.xml"),
        "<settings><mirrors><mirror><id>local</id><mirrorOf>central</mirrorOf><url>"
            + Path.of(repository).toUri()
            + "</url></mirror></mirrors></settings>");
  }
}
