package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.GatedCopy;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on YARN and HDFS with Kerberos. */
class SecureYarnIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir static Path storage;

  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /** Tokens are replaced often, so that the first one expires during the test. */
  private static final String RENEWAL = "security.delegation.tokens.renewal.time-ratio=0.4";

  private static SecureHadoop hadoop;

  @BeforeAll
  static void start() throws Exception {
    hadoop = SecureHadoop.start(storage);
  }

  @AfterAll
  static void stop() throws Exception {
    hadoop.close();
  }

  @AfterEach
  void nothingIsLeft() {
    Wait.untilTrue(
        "all applications have ended",
        () -> hadoop.applications().stream().noneMatch(line -> line.endsWith("UNDEFINED")));
    Wait.untilTrue(
        "no file of an application is left",
        () -> hadoop.names("/user/miller/.millrace").isEmpty());
  }

  @Test
  @Behaviour("B5: with a keytab a job runs on secure YARN and HDFS")
  void wordCountRunsWithAKeytab() throws Exception {
    String output = "/user/miller/counts";
    run(byKeytab(), "-t yarn-application -p 2", wordCount("hdfs:///input", output)).succeeded();
    assertThat(hadoop.lines(output))
        .containsExactlyInAnyOrder("mill\t1000", "stone\t1000", "the\t2001", "weir\t1");
  }

  /**
   * With a keytab the JobManager obtains new tokens and distributes them. With only a ticket of the
   * client, YARN renews the client's tokens. TaskManagers get only tokens of HDFS.
   */
  @Test
  @Behaviour(
      "B5: with a ticket the client's delegation tokens serve the whole application, and YARN"
          + " renews them")
  @Behaviour("B5: with a keytab TaskManagers get new tokens and run on after the first ones expire")
  @Behaviour(
      "B5: only the JobManager gets the keytab, unless tokens are disabled, and only its user can"
          + " read it")
  @Behaviour("B5: TaskManagers get none of YARN's own tokens")
  void jobsOutliveTheirFirstTokens(@TempDir Path own) throws Exception {
    Path jar = ProgramJar.of(own, GatedCopy.class);
    Map<String, Path> gates = new TreeMap<>();
    Map<String, String> applications = new TreeMap<>();
    for (String by : List.of("keytab", "ticket")) {
      Path gate = Files.createDirectory(own.resolve(by));
      gates.put(by, gate);
      Outcome submitted =
          run(
                  by.equals("keytab") ? byKeytab() : byTicket(hadoop.ticket()),
                  "-d -t yarn-per-job -D " + RENEWAL,
                  List.of(jar.toString(), "hdfs:///input", "hdfs://" + copy(by), gate.toString()))
              .succeeded();
      Matcher id = APPLICATION.matcher(submitted.toString());
      assertThat(id.find()).isTrue();
      applications.put(by, id.group());
    }
    gates.forEach(
        (by, gate) ->
            Wait.untilTrue(
                "the job by " + by + " has begun", () -> Files.exists(gate.resolve("reached"))));
    containersHaveWhatTheyShould(applications);

    // By then three intervals of 0.4 of the first token's lifetime have passed.
    Path log = files(applications.get("keytab"), "taskmanager.log").get(0);
    Wait.untilTrue("the third token after the first is there", () -> taken(log) >= 3);
    for (Path gate : gates.values()) {
      Files.createFile(gate.resolve("gate"));
    }
    applications.forEach(
        (by, id) ->
            Wait.untilTrue(
                "the job by " + by + " has ended",
                () -> status(id).filter(status -> !status.equals("UNDEFINED")).isPresent()));
    for (String by : gates.keySet()) {
      assertThat(hadoop.lines(copy(by))).as(by).hasSize(1001).contains("the weir");
    }
    assertThat(applications.values())
        .allSatisfy(id -> assertThat(status(id)).contains("SUCCEEDED"));
  }

  /** The final status of an application of the user. */
  private static Optional<String> status(String application) {
    return hadoop.applications().stream()
        .filter(line -> line.startsWith(application + " miller "))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .findFirst();
  }

  private static void containersHaveWhatTheyShould(Map<String, String> applications)
      throws IOException {
    List<Path> keytabs = files(applications.get("keytab"), "login.keytab");
    assertThat(keytabs).hasSize(1);
    assertThat(Files.getPosixFilePermissions(keytabs.get(0)))
        .doesNotContain(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
    assertThat(files(applications.get("ticket"), "login.keytab")).isEmpty();
    assertThat(keytabs.get(0).toString()).contains("_000001/");
    for (String application : applications.values()) {
      for (Path tokens : files(application, "container_tokens")) {
        List<String> kinds =
            Credentials.readTokenStorageFile(tokens.toFile(), new Configuration(false))
                .getAllTokens()
                .stream()
                .map(Token::getKind)
                .map(Object::toString)
                .toList();
        if (tokens.toString().contains("_000001/")) {
          assertThat(kinds).contains("HDFS_DELEGATION_TOKEN", "YARN_AM_RM_TOKEN");
        } else {
          assertThat(kinds).containsExactly("HDFS_DELEGATION_TOKEN");
        }
      }
    }
  }

  /** How many times a TaskManager has received new tokens. */
  private static long taken(Path log) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains("uses new delegation tokens")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files of this name in the container directories of an application. */
  private static List<Path> files(String application, String name) throws IOException {
    try (Stream<Path> all = Files.walk(hadoop.node())) {
      return all.filter(
              file ->
                  file.endsWith(name)
                      && file.getParent().getFileName().toString().startsWith("container_")
                      && file.getParent().getParent().endsWith(application))
          .toList();
    }
  }

  @Test
  @Behaviour(
      "B5: a client with neither keytab nor valid ticket gets an error and leaves nothing behind")
  void errorWithoutCredentialsNamesTheRemedy() throws Exception {
    // Applications of other tests may still change their state.
    List<String> before = ids(hadoop.applications());
    List<String> program = wordCount("hdfs:///input", "/user/miller/nothing");
    for (List<String> none : List.of(List.<String>of(), byTicket(hadoop.expiredTicket()))) {
      assertThat(run(none, "-t yarn-per-job", program).refusedInOneLine())
          .contains(
              "there is no ticket, or it has expired",
              "Run kinit",
              "security.kerberos.login.keytab",
              "security.kerberos.login.principal");
    }
    assertThat(ids(hadoop.applications())).isEqualTo(before);
    assertThat(hadoop.names("/user/miller")).doesNotContain("nothing");
  }

  private static List<String> ids(List<String> applications) {
    return applications.stream()
        .map(line -> line.substring(0, line.indexOf(' ')))
        .sorted()
        .toList();
  }

  private static List<String> wordCount(String input, String output) {
    return List.of(
        Shell.example("word-count.jar").toString(),
        "--input",
        input,
        "--output",
        "hdfs://" + output);
  }

  private static String copy(String name) {
    return "/user/miller/copy-by-" + name;
  }

  private static List<String> byKeytab() {
    return List.of(
        "-D",
        "security.kerberos.login.keytab=" + hadoop.keytab(),
        "-D",
        "security.kerberos.login.principal=" + hadoop.principal());
  }

  /** The ticket cache is found through the environment. */
  private static List<String> byTicket(Path ticket) {
    return List.of("KRB5CCNAME=" + ticket);
  }

  private static Outcome run(List<String> credentials, String options, List<String> program)
      throws IOException {
    Map<String, String> environment = new TreeMap<>();
    environment.put("HADOOP_CONF_DIR", hadoop.configurationDirectory().toString());
    // Hides the credentials of the user that runs the tests.
    environment.put("KRB5CCNAME", storage.resolve("no.ticket").toString());
    List<String> words = new ArrayList<>(List.of("run"));
    words.addAll(List.of(options.split(" ")));
    words.addAll(
        List.of(
            "-D", "security.kerberos.krb5-conf.path=" + hadoop.krb5Conf(),
            "-D", "jobmanager.memory.process.size=768m",
            "-D", "taskmanager.memory.process.size=1g",
            "-D", "taskmanager.numberOfTaskSlots=2"));
    for (String word : credentials) {
      if (word.startsWith("KRB5CCNAME=")) {
        environment.put("KRB5CCNAME", word.substring(word.indexOf('=') + 1));
      } else {
        words.add(word);
      }
    }
    words.addAll(program);
    return SHELL.millrace(environment, words.toArray(String[]::new));
  }
}
