package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.ha.DeploymentStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.testing.Checkpoints;
import io.millrace.control.testing.FakeResourceManager;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.control.testing.SmallCluster;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.DescribeExecution;
import io.millrace.protocol.JobMasterGateway.OverviewExecution;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;

/** A JobMaster with fake ResourceManagers and TaskManagers. */
abstract class WithJobMaster {
  static final Duration SECOND = Duration.ofSeconds(1);

  final SmallCluster world = new SmallCluster();
  final JobStores stores = Checkpoints.stores(new MemoryHaStore());
  final JobResultStore results = stores.results();
  final CheckpointServices checkpoints = stores.checkpoints();
  final DeploymentStore deployments = stores.deployments();
  FakeResourceManager resourceManager;
  JobMasterRunner runner;
  JobGraph graph;
  JobId job;

  @BeforeEach
  void startResourceManager() {
    resourceManager = world.resourceManager();
  }

  void run(Graphs graphs) {
    graph = graphs.build();
    job = graph.id();
    restart();
  }

  /** Starts a runner, as the process of the next leader does. */
  void restart() {
    runner =
        new JobMasterRunner(
            world.cluster(Configuration.EMPTY),
            new AcceptedJob(graph, BlobKey.of(Bytes.EMPTY)),
            stores);
    runner.start();
    world.env.settle();
  }

  FakeTaskManager worker(String name, int slots) {
    FakeTaskManager worker = world.taskManager(name);
    join(worker, slots);
    return worker;
  }

  void join(FakeTaskManager worker, int slots) {
    worker.follow(job);
    world.env.settle();
    assertThat(world.settled(worker.register(job)).verdict())
        .isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(world.settled(worker.offer(slots)).accepted()).hasSize(slots);
    world.env.settle();
  }

  Leader leader() {
    return world.leader(ComponentNames.jobMaster(job)).orElseThrow();
  }

  JobMasterGateway gateway() {
    return world.gateway(JobMasterGateway.class, leader());
  }

  JobStatus status() {
    return world.settled(gateway().overview(new OverviewExecution())).status();
  }

  JobDetails details() {
    return world.settled(gateway().describe(new DescribeExecution()));
  }

  JobTermination ended() {
    JobMasterRunner.Outcome outcome = world.settled(runner.outcome());
    assertThat(outcome).isInstanceOf(JobMasterRunner.Outcome.Ended.class);
    return ((JobMasterRunner.Outcome.Ended) outcome).end();
  }
}
