package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.FailingJob;
import com.example.RunsNothing;
import com.example.Throws;
import com.example.WithoutMain;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** User errors before a cluster exists: one clear line each and a non-zero exit code. */
class WrongInputIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  void missingJar() throws Exception {
    assertThat(SHELL.millrace("run", "no-such.jar").refusedInOneLine()).contains("no-such.jar");
  }

  @Test
  void fileThatIsNotAJar() throws Exception {
    Path text = Files.writeString(SHELL.directory().resolve("text.jar"), "not a jar");
    assertThat(SHELL.millrace("run", text.toString()).refusedInOneLine())
        .contains(text.getFileName().toString());
  }

  @Test
  void jarWithoutMainClass() throws Exception {
    Path jar =
        ProgramJar.write(
            SHELL.directory().resolve("unnamed.jar"), Optional.empty(), Optional.of(Throws.class));
    assertThat(SHELL.millrace("run", jar.toString()).refusedInOneLine())
        .contains("unnamed.jar", "-c");
  }

  @Test
  @Behaviour("A4: a missing jar or class and an unusable main give one line that names the cause")
  void classWithoutMain() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), WithoutMain.class);
    assertThat(SHELL.millrace("run", jar.toString()).refusedInOneLine())
        .contains("com.example.WithoutMain", "main");
  }

  @Test
  void missingClass() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), Throws.class);
    assertThat(
            SHELL.millrace("run", "-c", "com.example.Nowhere", jar.toString()).refusedInOneLine())
        .contains("com.example.Nowhere");
  }

  @Test
  @Behaviour("A4: an exception in main is one line; --verbose shows the stack")
  void mainThatThrows() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), Throws.class);
    assertThat(SHELL.millrace("run", jar.toString()).refusedInOneLine())
        .contains("com.example.Throws", "the river is dry");
    Outcome verbose = SHELL.millrace("run", "--verbose", jar.toString());
    assertThat(verbose.code()).isNotZero();
    assertThat(verbose.err()).anyMatch(line -> line.contains("com.example.Throws.main("));
  }

  @Test
  void mainThatRunsNoJob() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), RunsNothing.class);
    assertThat(SHELL.millrace("run", jar.toString()).refusedInOneLine())
        .contains("without running a job", "execute");
  }

  @Test
  void functionThatThrows() throws Exception {
    Path jar = ProgramJar.of(SHELL.directory(), FailingJob.class);
    Outcome outcome = SHELL.millrace("run", jar.toString());
    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.refusedInOneLine()).contains("cannot mill a stone");
    Outcome verbose = SHELL.millrace("run", "--verbose", jar.toString());
    assertThat(verbose.err()).anyMatch(line -> line.contains("com.example.FailingJob.mill("));
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownOptionKey() throws Exception {
    assertThat(
            SHELL
                .millrace("run", "-D", "paralelism.default=2", "examples/word-count.jar")
                .refusedInOneLine())
        .contains("paralelism.default", "parallelism.default");
  }

  @Test
  void valueThatIsNotANumber() throws Exception {
    assertThat(
            SHELL
                .millrace("run", "-D", "parallelism.default=two", "examples/word-count.jar")
                .refusedInOneLine())
        .contains("parallelism.default", "two");
  }

  @Test
  @Behaviour("A2: an unknown command, flag or option key is refused with a hint")
  void unknownCommand() throws Exception {
    assertThat(SHELL.millrace("rum", "examples/word-count.jar").refusedInOneLine()).contains("rum");
  }

  @Test
  void missingInput() throws Exception {
    assertThat(
            SHELL
                .millrace("run", "examples/word-count.jar", "--input", "/no/such/file")
                .refusedInOneLine())
        .contains("/no/such/file");
  }

  @Test
  @Behaviour("A3: -d is refused on the embedded cluster with a hint")
  void detachedOnTheEmbeddedCluster() throws Exception {
    assertThat(
            SHELL
                .millrace("run", "-t", "local", "-d", "examples/word-count.jar")
                .refusedInOneLine())
        .contains("cluster start");
  }

  @ParameterizedTest
  @CsvSource({
    "list",
    "run -d examples/rate-counter.jar",
    "cancel 5e20cb6b0f357591171dfcca2eea09de"
  })
  void unreachableJobManager(String line) throws Exception {
    int unusedPort;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unusedPort = socket.getLocalPort();
    }
    String[] words = line.split(" ", 2);
    String address = "127.0.0.1:" + unusedPort;
    String all = words[0] + " -m " + address + (words.length > 1 ? " " + words[1] : "");
    assertThat(SHELL.millrace(all.split(" ")).refusedInOneLine()).contains(address);
  }

  @ParameterizedTest
  @CsvSource({"run -m nowhere examples/word-count.jar", "list -m 127.0.0.1:99999"})
  void invalidAddress(String line) throws Exception {
    assertThat(SHELL.millrace(line.split(" ")).refusedInOneLine()).contains(line.split(" ")[2]);
  }

  @ParameterizedTest
  @CsvSource({"--rest-port", "--rpc-port"})
  void portInUseOfACluster(String option) throws Exception {
    Path place = SHELL.directory().resolve("cluster-in-use");
    try (ServerSocket taken = taken()) {
      Outcome start =
          SHELL.millrace(
              "cluster",
              "start",
              "--dir",
              place.toString(),
              option,
              String.valueOf(taken.getLocalPort()));
      assertThat(start.refusedInOneLine()).contains(String.valueOf(taken.getLocalPort()), option);
    }
    assertThat(place).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"rest.port,jobmanager.rpc.port", "jobmanager.rpc.port,rest.port"})
  void portInUseOfAJobManager(String option, String other) throws Exception {
    try (ServerSocket taken = taken()) {
      String[] line = {
        "jobmanager",
        "-D",
        option + "=" + taken.getLocalPort(),
        "-D",
        other + "=0",
        "-D",
        "io.tmp.dirs=" + SHELL.temporaryFiles()
      };
      Outcome outcome = SHELL.millrace(line);
      assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
      assertThat(outcome.err())
          .noneMatch(Outcome::isOfStackTrace)
          .filteredOn(text -> text.startsWith("JobManager could not start"))
          .singleElement()
          .asString()
          .contains(String.valueOf(taken.getLocalPort()), option);

      String[] verbose =
          Stream.concat(Stream.of(line), Stream.of("--verbose")).toArray(String[]::new);
      assertThat(SHELL.millrace(verbose).err()).anyMatch(Outcome::isOfStackTrace);
    }
  }

  private static ServerSocket taken() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }
}
