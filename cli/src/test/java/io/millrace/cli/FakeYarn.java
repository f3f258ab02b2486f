package io.millrace.cli;

import io.millrace.client.ClusterAddress;
import io.millrace.client.ClusterClient;
import io.millrace.client.HostPort;
import io.millrace.client.JobListener;
import io.millrace.client.ProgramTarget;
import io.millrace.client.Progress;
import io.millrace.client.RunningProgram;
import io.millrace.client.Session;
import io.millrace.client.SessionTarget;
import io.millrace.client.ShippedProgram;
import io.millrace.client.Target;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.YarnOptions;
import io.millrace.protocol.ApplicationStatus;
import java.util.List;
import java.util.Optional;

/** Targets by the names of those on YARN, which remember what they were asked for. */
final class FakeYarn {
  static final String SESSION = "application_1700000000000_0007";

  private static volatile Configuration asked = Configuration.EMPTY;
  private static volatile Optional<ShippedProgram> shipped = Optional.empty();

  private FakeYarn() {}

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
      return "yarn-per-job";
    }

    @Override
    public boolean outlivesClient() {
      return true;
    }

    @Override
    public ClusterClient open(Configuration configuration) {
      asked = configuration;
      return new FakeTarget.FakeCluster();
    }
  }

  /** Its programs end the way their first argument says. */
  public static final class Programs implements ProgramTarget {
    @Override
    public String name() {
      return "yarn-application";
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

  /** Has one session, which has ended as soon as somebody asks. */
  public static final class Sessions implements Target, SessionTarget {
    @Override
    public String name() {
      return "yarn-session";
    }

    @Override
    public boolean outlivesClient() {
      return true;
    }

    @Override
    public ClusterClient open(Configuration configuration) {
      asked = configuration;
      return new FakeTarget.FakeCluster();
    }

    @Override
    public Session start(Configuration configuration, Progress progress) {
      asked = configuration;
      return new FakeSession(SESSION);
    }

    @Override
    public Session find(Configuration configuration) {
      asked = configuration;
      return new FakeSession(configuration.find(YarnOptions.APPLICATION_ID).orElse(SESSION));
    }

    @Override
    public List<Session> list(Configuration configuration) {
      return List.of(new FakeSession(SESSION));
    }
  }

  private record FakeSession(String id) implements Session {
    private static final RunningProgram.Outcome END =
        new RunningProgram.Outcome(ApplicationStatus.SUCCEEDED, "");

    @Override
    public Info info() {
      return new Info(id, "mine", "RUNNING", "default", 0);
    }

    @Override
    public ClusterAddress address() {
      return new ClusterAddress(new HostPort("127.0.0.1", 1), Optional.of("hidden-token"));
    }

    @Override
    public Optional<RunningProgram.Outcome> ended() {
      return Optional.of(END);
    }

    @Override
    public RunningProgram.Outcome stop(Progress progress) {
      return END;
    }
  }
}
