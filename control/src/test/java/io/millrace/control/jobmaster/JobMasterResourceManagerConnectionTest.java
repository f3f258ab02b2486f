package io.millrace.control.jobmaster;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.testing.Checkpoints;
import io.millrace.control.testing.FakeResourceManager;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.control.testing.SmallCluster;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.ResourceManagerForgets;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskState;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the registration at the ResourceManager and of the declaration of requirements. */
class JobMasterResourceManagerConnectionTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final SmallCluster world = new SmallCluster();
  private FakeResourceManager resourceManager;
  private JobId job;

  @BeforeEach
  void startResourceManager() {
    resourceManager = world.resourceManager();
  }

  @Test
  void registersAndDeclaresAllRequirementsOnce() {
    run(Graphs.pair(3));

    assertThat(resourceManager.registrations).hasSize(1);
    assertThat(resourceManager.registrations.get(0).leader()).isEqualTo(leader().token());
    assertThat(resourceManager.declarations).hasSize(1);
    assertThat(resourceManager.required()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "E3: requirements are kept without a ResourceManager and declared in full to each one until"
          + " it acknowledges them")
  void declaresAllRequirementsToEachNewResourceManager() {
    run(Graphs.pair(3));

    FakeResourceManager next = world.resourceManager();
    world.env.advance(SECOND);

    assertThat(next.registrations).hasSize(1);
    assertThat(next.required()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "E2: the ResourceManager sends heartbeats to the JobMaster, which registers anew when they"
          + " stop")
  void registersAgainWhenHeartbeatsStop() {
    run(Graphs.pair(1));

    world.env.advance(Duration.ofSeconds(51));

    assertThat(resourceManager.registrations).hasSize(2);
    assertThat(resourceManager.declarations).hasSize(2);
  }

  @Test
  @Behaviour(
      "E2: the ResourceManager sends heartbeats to the JobMaster, which registers anew when they"
          + " stop")
  void staysRegisteredWhileHeartbeatsArrive() {
    run(Graphs.pair(1));

    for (int i = 0; i < 10; i++) {
      world.env.advance(Duration.ofSeconds(40));
      world.settled(
          gateway()
              .heartbeatFromResourceManager(
                  new AskJobMaster(resourceManager.token().orElseThrow())));
    }

    assertThat(resourceManager.registrations).hasSize(1);
  }

  @Test
  @Behaviour(
      "E2: the ResourceManager sends heartbeats to the JobMaster, which registers anew when they"
          + " stop")
  void registersAgainWhenTheResourceManagerEndsTheRegistration() {
    run(Graphs.pair(1));

    gateway()
        .disconnectResourceManager(
            new ResourceManagerForgets(SmallCluster.unknownToken(), words("outdated")));
    world.env.settle();
    assertThat(resourceManager.registrations).hasSize(1);
    gateway()
        .disconnectResourceManager(
            new ResourceManagerForgets(resourceManager.token().orElseThrow(), words("a test")));
    world.env.settle();

    assertThat(resourceManager.registrations).hasSize(2);
    assertThat(resourceManager.declarations).hasSize(2);
  }

  @Test
  @Behaviour("D2: a JobMaster ignores a success that does not come from the leader it follows")
  void ignoresASuccessOfAnotherLeader() {
    resourceManager.leader = SmallCluster.unknownToken();
    run(Graphs.pair(1));

    assertThat(resourceManager.registrations).hasSize(1);
    assertThat(resourceManager.declarations).isEmpty();

    FakeResourceManager next = world.resourceManager();
    world.env.settle();
    assertThat(next.declarations).hasSize(1);
  }

  @Test
  @Behaviour("E2: a change of the leader cancels the attempts and cuts delays short")
  void refusalOfAnEarlierLeaderDoesNotDelayTheNextOne() {
    resourceManager.verdict = RegistrationStatus.REFUSED;
    run(Graphs.pair(1));
    assertThat(resourceManager.registrations).hasSize(1);
    assertThat(resourceManager.declarations).isEmpty();

    FakeResourceManager next = world.resourceManager();
    world.env.settle();

    assertThat(next.registrations).hasSize(1);
    assertThat(next.required()).isEqualTo(1);
    world.env.advance(Duration.ofSeconds(31));
    assertThat(resourceManager.registrations).as("no attempt at the former leader").hasSize(1);
  }

  @Test
  void retriesAfterARefusal() {
    resourceManager.verdict = RegistrationStatus.REFUSED;
    run(Graphs.pair(1));
    resourceManager.verdict = RegistrationStatus.ACCEPTED;

    world.env.advance(Duration.ofSeconds(30));

    assertThat(resourceManager.required()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "E3: requirements are kept without a ResourceManager and declared in full to each one until"
          + " it acknowledges them")
  void repeatsADeclarationUntilItIsAcknowledged() {
    resourceManager.acknowledgesDeclarations = false;
    run(Graphs.pair(3));
    world.env.advanceUntil(Duration.ofSeconds(20), () -> resourceManager.declarations.size() == 2);
    resourceManager.acknowledgesDeclarations = true;
    world.env.advanceUntil(Duration.ofSeconds(20), () -> resourceManager.declarations.size() == 3);
    assertThat(resourceManager.required()).isEqualTo(3);

    world.env.advance(Duration.ofSeconds(20));

    assertThat(resourceManager.declarations).as("acknowledged").hasSize(3);
    assertThat(resourceManager.registrations).hasSize(1);
  }

  @Test
  @Behaviour("E3: requirements go up and down with the scheduler")
  void requirementsDecreaseAsTasksFinish() {
    run(Graphs.lanes(2));
    FakeTaskManager one = worker("one");
    worker("two");
    assertThat(resourceManager.required()).isEqualTo(2);

    one.all(TaskState.FINISHED);
    world.env.settle();

    assertThat(resourceManager.required()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "E3: requirements are kept without a ResourceManager and declared in full to each one until"
          + " it acknowledges them")
  void requirementsThatChangeWithoutAResourceManagerAreDeclaredToTheNext() {
    world.resourceManagerLeaves();
    run(Graphs.lanes(2));
    FakeTaskManager one = worker("one");
    worker("two");
    one.all(TaskState.FINISHED);
    world.env.advance(SECOND);

    FakeResourceManager next = world.resourceManager();
    world.env.settle();

    assertThat(resourceManager.registrations).isEmpty();
    assertThat(next.declarations).hasSize(1);
    assertThat(next.required()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "D6: a JobMaster repeats the end of its job until the ResourceManager acknowledges it, also"
          + " after it was disconnected")
  void repeatsTheEndOfTheJobUntilItIsAcknowledged() {
    resourceManager.acknowledgesDepartures = false;
    run(Graphs.pair(1));

    worker("one").all(TaskState.FINISHED);
    world.env.settle();
    assertThat(resourceManager.departures).hasSize(1);
    assertThat(resourceManager.departures.get(0).ended()).isTrue();

    world.env.advance(Duration.ofSeconds(30));
    assertThat(resourceManager.departures).hasSizeGreaterThan(1);
    resourceManager.acknowledgesDepartures = true;
    world.env.advance(Duration.ofSeconds(30));
    int acknowledged = resourceManager.departures.size();
    world.env.advance(Duration.ofMinutes(10));
    assertThat(resourceManager.departures).hasSize(acknowledged);
  }

  @Test
  @Behaviour(
      "D6: the end of a job is repeated at most for resourcemanager.job.timeout, and only to the"
          + " same leader")
  void stopsRepeatingTheEndAfterTheJobTimeout() {
    resourceManager.acknowledgesDepartures = false;
    run(Graphs.pair(1));
    worker("one").all(TaskState.FINISHED);

    world.env.advance(Configuration.EMPTY.get(ResourceManagerOptions.JOB_TIMEOUT));
    int repeated = resourceManager.departures.size();
    world.env.advance(Duration.ofMinutes(10));

    assertThat(resourceManager.departures).hasSize(repeated);
  }

  @Test
  @Behaviour(
      "D6: the end of a job is repeated at most for resourcemanager.job.timeout, and only to the"
          + " same leader")
  void doesNotReportTheEndToTheNextResourceManager() {
    resourceManager.acknowledgesDepartures = false;
    run(Graphs.pair(1));
    worker("one").all(TaskState.FINISHED);
    world.env.settle();
    FakeResourceManager next = world.resourceManager();
    resourceManager.stop();

    world.env.advance(Duration.ofMinutes(1));

    assertThat(next.departures).isEmpty();
    assertThat(resourceManager.departures).hasSize(1);
  }

  @Test
  @Behaviour(
      "D6: a JobMaster repeats the end of its job until the ResourceManager acknowledges it, also"
          + " after it was disconnected")
  void reportsTheEndToTheFirstLeader() {
    world.resourceManagerLeaves();
    run(Graphs.pair(1));
    worker("one").all(TaskState.FINISHED);
    world.env.advance(SECOND);

    FakeResourceManager next = world.resourceManager();
    world.env.settle();

    assertThat(next.departures).hasSize(1);
    assertThat(next.departures.get(0).ended()).isTrue();
  }

  private void run(Graphs graphs) {
    JobGraph graph = graphs.build();
    job = graph.id();
    new JobMasterRunner(
            world.cluster(Configuration.EMPTY),
            new AcceptedJob(graph, BlobKey.of(Bytes.EMPTY)),
            Checkpoints.stores(new MemoryHaStore()))
        .start();
    world.env.settle();
  }

  /** Registers a worker that offers one slot. */
  private FakeTaskManager worker(String name) {
    FakeTaskManager worker = world.taskManager(name);
    worker.follow(job);
    world.env.settle();
    world.settled(worker.register(job));
    world.settled(worker.offer(1));
    world.env.settle();
    return worker;
  }

  private Leader leader() {
    return world.leader(ComponentNames.jobMaster(job)).orElseThrow();
  }

  private JobMasterGateway gateway() {
    return world.gateway(JobMasterGateway.class, leader());
  }
}
