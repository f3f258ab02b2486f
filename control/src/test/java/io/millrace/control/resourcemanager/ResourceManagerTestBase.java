package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.testing.FragileStore;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.ResourceManagerGateway.Workers;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A ResourceManager in one process, with fake workers and JobMasters in others. */
abstract class ResourceManagerTestBase {
  static final JobId JOB = new JobId(new Id128(0, 1));

  final ManualEnv env = new ManualEnv();
  final InProcessNetwork network = new InProcessNetwork();
  final EmbeddedLeaderElection leadership = new EmbeddedLeaderElection(env);
  final Rpc rpc = rpc("jobmanager");
  final Mailbox mailbox = env.mailbox("test");
  final FragileStore store = new FragileStore();
  final List<Throwable> fatal = new ArrayList<>();
  final Map<String, Rpc> processes = new LinkedHashMap<>();
  final FakeDriver driver = new FakeDriver();
  Optional<Leader> leader = Optional.empty();

  @BeforeEach
  void follow() {
    leadership.follow(ComponentNames.RESOURCE_MANAGER, mailbox, current -> leader = current);
  }

  @AfterEach
  void assertNoFatalError() {
    assertThat(fatal).isEmpty();
  }

  Rpc rpc(String process) {
    return new Rpc(env, network.join(process), Duration.ofSeconds(10));
  }

  void start() {
    start(Configuration.EMPTY, new StandaloneDriver());
  }

  void start(Configuration configuration, WorkerDriver driver) {
    start(configuration, driver, DelegationTokens.NONE);
  }

  ResourceManagerRunner start(
      Configuration configuration, WorkerDriver driver, DelegationTokens tokens) {
    ResourceManagerRunner runner =
        new ResourceManagerRunner(
            new ClusterServices(
                rpc,
                leadership,
                leadership,
                configuration.with(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, "50 s")),
            new ResourceManagerRunner.Backing(driver, tokens, store),
            fatal::add);
    runner.start();
    env.settle();
    return runner;
  }

  /** Starts a ResourceManager whose driver starts workers. */
  void startActive() {
    start(
        Configuration.EMPTY
            .with(ResourceManagerOptions.DRIVER, "fake")
            .with(ResourceManagerOptions.TASK_MANAGER_TIMEOUT, Duration.ofSeconds(30)),
        driver);
  }

  /** Starts and registers a worker for the first open request. */
  FakeTaskManager startWorker(String name) {
    driver.events.started(driver.requests.remove(0), new WorkerId(name));
    env.settle();
    return registered(name, 2);
  }

  Leader leader() {
    return leader.orElseThrow();
  }

  FakeTaskManager taskManager(String name, int slots) {
    Rpc process = rpc(name);
    processes.put(name, process);
    FakeTaskManager worker = new FakeTaskManager(process, name, slots);
    env.settle();
    return worker;
  }

  TaskManagerReply register(FakeTaskManager worker, long attempt) {
    return env.answer(worker.register(leader(), attempt));
  }

  FakeTaskManager registered(String name, int slots) {
    FakeTaskManager worker = taskManager(name, slots);
    assertThat(register(worker, 1).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    worker.report(leader());
    env.settle();
    return worker;
  }

  FakeJobMaster registeredJobMaster() {
    FakeJobMaster jobMaster = new Candidate().confirm();
    JobMasterReply reply = env.answer(jobMaster.register(leader()));
    assertThat(reply.verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    return jobMaster;
  }

  List<WorkerInfo> workers() {
    CompletableFuture<Workers> workers =
        rpc.gateway(
                ResourceManagerGateway.class,
                leader().address(),
                Optional.of(leader().token()),
                mailbox)
            .listWorkers(new ListWorkers());
    return env.answer(workers).workers();
  }

  List<JournalEntry> jobJournal(Class<? extends ResourceManagerEvent> type) {
    return env.journal().of(JOB).stream().filter(entry -> type.isInstance(entry.event())).toList();
  }

  List<JournalEntry> clusterJournal(Class<? extends ResourceManagerEvent> type) {
    return env.journal().ofCluster().stream()
        .filter(entry -> type.isInstance(entry.event()))
        .toList();
  }

  static <T> T last(List<T> elements) {
    assertThat(elements).isNotEmpty();
    return elements.get(elements.size() - 1);
  }

  /** Takes part in the leader election of the job. */
  final class Candidate implements LeaderElection.Contender {
    final LeaderElection.Candidacy candidacy;
    private Optional<LeaderToken> token = Optional.empty();

    Candidate() {
      candidacy = leadership.contend(ComponentNames.jobMaster(JOB), mailbox, this);
      env.settle();
    }

    @Override
    public void granted(LeaderToken token) {
      this.token = Optional.of(token);
    }

    @Override
    public void revoked() {
      token = Optional.empty();
    }

    FakeJobMaster jobMaster() {
      String name = "jobmaster-" + (processes.size() + 1);
      Rpc process = rpc(name);
      processes.put(name, process);
      FakeJobMaster jobMaster = new FakeJobMaster(process, JOB, token.orElseThrow());
      env.settle();
      return jobMaster;
    }

    FakeJobMaster confirm() {
      return confirm(jobMaster());
    }

    FakeJobMaster confirm(FakeJobMaster jobMaster) {
      candidacy.confirm(jobMaster.leader, jobMaster.address());
      env.settle();
      return jobMaster;
    }
  }
}
