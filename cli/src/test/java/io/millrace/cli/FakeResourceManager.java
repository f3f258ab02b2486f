package io.millrace.cli;

import io.millrace.client.ClusterAddress;
import io.millrace.client.ClusterClient;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.HostPort;
import io.millrace.client.JobListener;
import io.millrace.client.ProgramTarget;
import io.millrace.client.Progress;
import io.millrace.client.RunningProgram;
import io.millrace.client.Session;
import io.millrace.client.SessionFiles;
import io.millrace.client.SessionTarget;
import io.millrace.client.ShippedProgram;
import io.millrace.client.StyleArguments;
import io.millrace.client.StyleOption;
import io.millrace.client.Target;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.OptionProvider;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.reason.ApplicationStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The plugin of a resource manager, as the service loader finds it: targets, a command-line style
 * with options that begin with r, and options of its own. Its targets remember the configuration
 * that they were called with.
 */
final class FakeResourceManager {
  static final String SESSION = "application_1700000000000_0007";

  /** A session of another user, which does not answer. */
  static final String DEAF_SESSION = "application_1700000000000_0008";

  private static volatile Configuration asked = Configuration.EMPTY;
  private static volatile Optional<ShippedProgram> shipped = Optional.empty();

  private FakeResourceManager() {}

  /** The configuration of the last call. */
  static Configuration asked() {
    return asked;
  }

  static ShippedProgram shipped() {
    return shipped.orElseThrow();
  }

  /** Public for the service loader. */
  public static final class PerJob implements Target {
    @Override
    public String name() {
      return "rack-per-job";
    }

    @Override
    public boolean outlivesClient() {
      return true;
    }

    @Override
    public ClusterClient open(Configuration configuration) {
      asked = configuration;
      return FakeTarget.cluster();
    }
  }

  /** Its programs end the way their first argument says. */
  public static final class Programs implements ProgramTarget {
    @Override
    public String name() {
      return "rack-application";
    }

    @Override
    public RunningProgram start(
        ShippedProgram program, Configuration configuration, Progress progress) {
      asked = configuration;
      shipped = Optional.of(program);
      progress.report("Submitted");
      return new RunningProgram() {
        @Override
        public String id() {
          return "application_1";
        }

        @Override
        public Outcome await(JobListener listener) {
          ApplicationStatus status = ApplicationStatus.valueOf(program.arguments().get(0));
          return new Outcome(status, status == ApplicationStatus.SUCCEEDED ? "" : "a\nreason");
        }

        @Override
        public void end() {}

        @Override
        public String followUpCommands() {
          return "Go on";
        }
      };
    }
  }

  /** Has one session, which has ended at the first request for its outcome. */
  public static final class Sessions implements Target, SessionTarget {
    @Override
    public String name() {
      return "rack-session";
    }

    @Override
    public boolean outlivesClient() {
      return true;
    }

    @Override
    public ClusterClient open(Configuration configuration) {
      asked = configuration;
      return FakeTarget.cluster();
    }

    @Override
    public Session start(Configuration configuration, Progress progress) {
      asked = configuration;
      return new FakeSession(SESSION);
    }

    @Override
    public Configuration naming(Configuration configuration, String id) {
      return configuration.with(RackOptions.APPLICATION_ID, RackOptions.APPLICATION_ID.parse(id));
    }

    @Override
    public Session find(Configuration configuration) {
      asked = configuration;
      return new FakeSession(configuration.find(RackOptions.APPLICATION_ID).orElse(SESSION));
    }

    @Override
    public List<Session> list(Configuration configuration, boolean allUsers) {
      return allUsers
          ? List.of(new FakeSession(SESSION), new FakeSession(DEAF_SESSION))
          : List.of(new FakeSession(SESSION));
    }
  }

  private record FakeSession(String id) implements Session {
    private static final RunningProgram.Outcome END =
        new RunningProgram.Outcome(ApplicationStatus.SUCCEEDED, "");

    @Override
    public Info info() {
      return new Info(id, "mine", "miller", "RUNNING", "default", 0);
    }

    @Override
    public ClusterAddress address() {
      return new ClusterAddress(
          new HostPort("127.0.0.1", 1), Optional.of("hidden-token"), Optional.empty());
    }

    @Override
    public Optional<RunningProgram.Outcome> ended() {
      return Optional.of(END);
    }

    @Override
    public RunningProgram.Outcome stop(Progress progress, Predicate<String> mayKill) {
      if (id.equals(DEAF_SESSION) && !mayKill.test("It does not answer.")) {
        throw new MillraceException(ErrorKind.USER, "It was not stopped.");
      }
      return END;
    }
  }

  /** Its options. */
  static final class RackOptions {
    public static final Option<String> APPLICATION_ID =
        Option.text(
                "rack.application.id",
                Pattern.compile("application_\\d+_\\d+"),
                "application_1700000000000_0001",
                "The running application that is meant.")
            .perCommand();
    public static final Option<List<String>> TAGS = Option.list("rack.tags", "", "Tags.");

    private RackOptions() {}
  }

  /** Public for the service loader. */
  public static final class Provider implements OptionProvider {
    @Override
    public List<Option<?>> options() {
      return List.of(RackOptions.APPLICATION_ID, RackOptions.TAGS);
    }

    @Override
    public Map<String, String> unsupported() {
      return Map.of("rack.*", "A rack has no such switch");
    }
  }

  /** {@code -m rack-cluster}, {@code -rid} and further options that begin with r. */
  public static final class Style implements CommandLineStyle {
    private static final StyleOption ID =
        StyleOption.value("-rid", "--rackId", "ID", "The application.");

    private static volatile Optional<String> missing = Optional.empty();

    static void removeLibrary(String library) {
      missing = Optional.of(library);
    }

    static void restoreLibraries() {
      missing = Optional.empty();
    }

    @Override
    public String name() {
      return "rack";
    }

    @Override
    public String heading() {
      return "For clusters on a rack:";
    }

    @Override
    public List<StyleOption> options(Use use) {
      List<StyleOption> deployment =
          List.of(
              StyleOption.value("-rs", "--rackSlots", "N", "Slots of a TaskManager."),
              StyleOption.list("-rt", "--rackTag", "TAG", "A tag."),
              new StyleOption(List.of("-rD"), "KEY=VALUE", "The same as -D.", true, true),
              StyleOption.flag("-rd", "--rackDetached", "The same as -d."),
              StyleOption.value("-rn", "--rackContainers", "N", "Ignored."));
      return switch (use) {
        case RUN -> Stream.concat(Stream.of(ID), deployment.stream()).toList();
        case START_SESSION -> deployment;
        case SESSION, CLUSTER -> List.of(ID);
      };
    }

    @Override
    public List<String> examples(Use use) {
      return use == Use.RUN ? List.of("millrace run -t rack-per-job x.jar") : List.of();
    }

    @Override
    public boolean isAddress(String word) {
      return word.equals("rack-cluster");
    }

    @Override
    public boolean ownsTarget(String target) {
      return target.startsWith("rack-");
    }

    @Override
    public Optional<String> missingLibraries() {
      return missing;
    }

    @Override
    public List<String> overrides(StyleArguments arguments) {
      List<String> overrides = new ArrayList<>();
      arguments
          .value("-rs")
          .ifPresent(slots -> overrides.add("taskmanager.numberOfTaskSlots=" + slots));
      if (!arguments.values("-rt").isEmpty()) {
        overrides.add("rack.tags=" + String.join(";", arguments.values("-rt")));
      }
      arguments.value("-rd").ifPresent(given -> overrides.add("execution.attached=false"));
      overrides.addAll(arguments.values("-rD"));
      return overrides;
    }

    @Override
    public List<String> warnings(StyleArguments arguments) {
      return arguments.value("-rn").isPresent() ? List.of("-rn is ignored.") : List.of();
    }

    @Override
    public boolean isActive(StyleArguments arguments, Configuration configuration) {
      return !arguments.isEmpty() || (!arguments.hasHostPort() && current(arguments).isPresent());
    }

    private static Optional<String> current(StyleArguments arguments) {
      Path file =
          SessionFiles.directory(arguments.environment()).resolve(SessionFiles.name("rack"));
      try {
        return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public Configuration decide(
        StyleArguments arguments, Configuration configuration, Consumer<String> warnings) {
      return session(arguments)
          .or(() -> arguments.isEmpty() ? current(arguments) : Optional.empty())
          .map(
              id ->
                  configuration
                      .with(DeploymentOptions.TARGET, "rack-session")
                      .with(RackOptions.APPLICATION_ID, id))
          .orElseGet(() -> configuration.with(DeploymentOptions.TARGET, "rack-per-job"));
    }

    @Override
    public List<String> ignored(String target, StyleArguments arguments) {
      return ownsTarget(target) || arguments.isEmpty() ? List.of() : List.of("options of a rack");
    }

    @Override
    public Configuration configure(
        String target, StyleArguments arguments, Configuration configuration) {
      return session(arguments)
          .map(id -> configuration.with(RackOptions.APPLICATION_ID, id))
          .orElse(configuration);
    }

    @Override
    public Optional<String> session(StyleArguments arguments) {
      return arguments.value("-rid").map(RackOptions.APPLICATION_ID::parse);
    }

    @Override
    public Optional<RunningCluster> cluster(StyleArguments arguments, Configuration configuration) {
      return session(arguments)
          .or(() -> current(arguments))
          .map(
              id ->
                  new RunningCluster(
                      "rack-session", configuration.with(RackOptions.APPLICATION_ID, id)));
    }
  }
}
