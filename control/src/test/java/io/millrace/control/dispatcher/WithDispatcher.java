package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.testing.FakeResourceManager;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.FragileStore;
import io.millrace.control.testing.SmallCluster;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/** A Dispatcher with a store that can fail, and fake ResourceManagers and TaskManagers. */
abstract class WithDispatcher {
  static final Duration MINUTE = Duration.ofMinutes(1);

  final SmallCluster world = new SmallCluster();
  final RecordCodec codec = RecordCodec.of(Messages.table());
  final MemoryBlobStore blobs = new MemoryBlobStore();
  final FragileStore store = new FragileStore();
  final FragileArchive archive = new FragileArchive();
  final FakeHistory published = new FakeHistory();
  final List<Throwable> fatal = new ArrayList<>();
  FakeResourceManager resourceManager;
  DispatcherRunner runner;
  int shutDowns;

  /** For calls in the same step: looking up the leader advances the simulated cluster. */
  DispatcherGateway lastGateway;

  @BeforeEach
  void start() {
    resourceManager = world.resourceManager();
    startDispatcher(Configuration.EMPTY);
  }

  void startDispatcher(Configuration configuration) {
    startDispatcher(world.cluster(configuration));
  }

  void startDispatcher(ClusterServices cluster) {
    runner =
        new DispatcherRunner(
            cluster,
            new JobStorage(
                blobs,
                store,
                new FileCheckpointStorage(FileSystems.withoutPlugins()),
                new ArchiveTargets(Optional.of(archive), Optional.of(published)),
                codec),
            () -> shutDowns++,
            fatal::add);
    runner.start();
    world.env.settle();
  }

  DispatcherGateway dispatcher() {
    return world.gateway(
        DispatcherGateway.class, world.leader(ComponentNames.DISPATCHER).orElseThrow());
  }

  CompletableFuture<Acknowledge> submit(JobGraph graph) throws IOException {
    BlobKey key = blobs.put(Bytes.wrap(codec.encode(graph)));
    lastGateway = dispatcher();
    return lastGateway.submitJob(new SubmitJob(graph.id(), key));
  }

  BlobKey key(JobGraph graph) {
    return BlobKey.of(Bytes.wrap(codec.encode(graph)));
  }

  FakeTaskManager worker(JobId job, String name) {
    FakeTaskManager worker = world.taskManager(name + world.processes.size());
    worker.follow(job);
    world.env.settle();
    assertThat(world.settled(worker.register(job)).verdict())
        .isEqualTo(RegistrationStatus.ACCEPTED);
    world.settled(worker.offer(4));
    world.env.settle();
    return worker;
  }

  void finish(JobId job) {
    FakeTaskManager worker = worker(job, "finisher");
    worker.all(TaskState.FINISHED);
    world.env.settle();
  }

  List<JobOverview> list() {
    return world.settled(dispatcher().listJobs(new ListJobs())).jobs();
  }

  JobDetails details(JobId job) {
    return world.settled(dispatcher().describeJob(new DescribeJob(job))).job().orElseThrow();
  }

  CancelOutcome cancel(JobId job) {
    return world.settled(dispatcher().cancelJob(new CancelJob(job))).outcome();
  }

  DispatcherGateway.CollectedPage fetch(JobId job, long next) {
    return world.settled(
        dispatcher().fetchCollected(new FetchCollected(job, "out", next, Duration.ZERO)));
  }

  List<JournalEntry> history(JobId job) {
    return world.settled(dispatcher().readJournal(new ReadJournal(job))).history().events();
  }
}
