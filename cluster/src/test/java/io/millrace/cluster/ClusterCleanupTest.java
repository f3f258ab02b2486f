package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupFinding.Verdict;
import io.millrace.client.CleanupRequest;
import io.millrace.control.ha.CheckpointStore;
import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.Messages;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterCleanupTest {
  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");
  private static final CleanupRequest DEFAULT =
      new CleanupRequest(false, Duration.ofHours(1), false, false);
  private static final JobId JOB = JobId.parse("00000000000000000000000000000001");

  @TempDir Path directory;
  private final Registry registry = new Registry();

  /** Clusters in memory. */
  private static final class Registry implements ClusterRegistry {
    private final Map<String, Cluster> clusters = new LinkedHashMap<>();
    private final Map<String, HaStore> stores = new LinkedHashMap<>();

    /** Whether a JobManager contends for each cluster as soon as it shall be removed. */
    private boolean revived;

    @Override
    public List<Cluster> clusters() {
      return List.copyOf(clusters.values());
    }

    @Override
    public Optional<LeaderRecord> leader(String id) {
      return clusters.get(id).leader();
    }

    @Override
    public HaStore store(Cluster cluster) {
      return stores.get(cluster.id());
    }

    @Override
    public boolean remove(Cluster cluster) {
      return !revived && clusters.remove(cluster.id()) != null;
    }

    @Override
    public void close() {}
  }

  private HaStore cluster(String id, int contenders, Instant lastChange) throws IOException {
    Path storage = Files.createDirectories(directory.resolve("ha").resolve(id));
    Files.writeString(storage.resolve("blob"), "");
    registry.clusters.put(
        id,
        new ClusterRegistry.Cluster(
            id,
            "/root/" + id,
            contenders,
            contenders > 0 ? Optional.of(new LeaderRecord("a:1", "a:2")) : Optional.empty(),
            Optional.of(storage.toString()),
            lastChange));
    HaStore store = new MemoryHaStore();
    registry.stores.put(id, store);
    return store;
  }

  private Path checkpoints(HaStore store, JobId job, CheckpointRetention retention)
      throws IOException {
    Path all = directory.resolve("checkpoints").resolve(job.toString());
    Path one = Files.createDirectories(all.resolve("chk-1"));
    Files.writeString(one.resolve(CheckpointStorage.METADATA), "");
    CheckpointStore stored = new CheckpointStore(store, Messages.codec());
    stored.begin(job, true, 1);
    stored.reserve(job, 1, all.toString(), retention, 1);
    stored.complete(
        job,
        List.of(
            new CompletedCheckpoint(1, 0, CheckpointRequest.Type.CHECKPOINT, one.toString(), 10)),
        List.of(),
        1);
    return all;
  }

  private static void job(HaStore store, JobId job) {
    new JobStore(store, Messages.codec()).put(new SubmitJob(job, BlobKey.of(new byte[32])), 1);
  }

  private List<CleanupFinding> clean(CleanupRequest request) {
    return new ClusterCleanup(
            request,
            Configuration.EMPTY
                .with(HighAvailabilityOptions.HA_STORAGE_PATH, directory.resolve("ha"))
                .with(CheckpointingOptions.DIRECTORY, directory.resolve("checkpoints")),
            FileSystems.withoutPlugins())
        .clean(registry);
  }

  private static CleanupFinding of(List<CleanupFinding> findings, String item) {
    return findings.stream()
        .filter(finding -> finding.item().equals(item))
        .reduce((first, second) -> second)
        .orElseThrow(() -> new AssertionError(item + " is not in " + findings));
  }

  @Test
  @Behaviour("G2: `cleanup` removes what ended clusters left, and nothing that a living one uses")
  void onlyClustersWithoutJobManagersAreRemoved() throws Exception {
    cluster("ended", 0, LONG_AGO);
    Path live =
        checkpoints(
            cluster("living", 2, LONG_AGO), JOB, CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS);
    cluster("starting", 0, Instant.now());

    List<CleanupFinding> planned =
        clean(new CleanupRequest(true, Duration.ofHours(1), false, false));
    assertThat(registry.clusters).as("a dry run removes nothing").hasSize(3);
    assertThat(directory.resolve("ha/ended/blob")).exists();
    List<CleanupFinding> findings = clean(DEFAULT);

    assertThat(findings).isEqualTo(planned);
    assertThat(of(findings, "/root/ended").verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(of(findings, "/root/living").verdict()).isEqualTo(Verdict.KEPT);
    assertThat(of(findings, "/root/living").reason()).contains("2 JobManagers contend", "a:2");
    assertThat(of(findings, "/root/starting").reason()).contains("--older-than");
    assertThat(registry.clusters).containsOnlyKeys("living", "starting");
    assertThat(directory.resolve("ha/ended")).doesNotExist();
    assertThat(directory.resolve("ha/living/blob")).exists();
    assertThat(live).exists();
  }

  @Test
  @Behaviour(
      "G2: `cleanup` keeps a cluster whose jobs can be recovered, unless it is told otherwise")
  void clusterWithJobsIsRemovedOnRequestOnly() throws Exception {
    HaStore store = cluster("stopped", 0, LONG_AGO);
    job(store, JOB);
    Path deleted = checkpoints(store, JOB, CheckpointRetention.DELETE_ON_CANCELLATION);
    JobId other = JobId.parse("00000000000000000000000000000002");
    Path retained = checkpoints(store, other, CheckpointRetention.RETAIN_ON_CANCELLATION);

    assertThat(of(clean(DEFAULT), "/root/stopped").reason()).contains("1 job has not ended");
    assertThat(deleted).exists();

    List<CleanupFinding> findings =
        clean(new CleanupRequest(false, Duration.ofHours(1), true, false));
    assertThat(of(findings, deleted.toString()).verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(of(findings, retained.toString()).verdict()).isEqualTo(Verdict.KEPT);
    assertThat(deleted).doesNotExist();
    assertThat(retained).exists();
    assertThat(registry.clusters).isEmpty();
  }

  @Test
  @Behaviour("G2: `cleanup` keeps files whose owner it does not know, and says why")
  void unreferencedDirectoriesAreRemovedOnRequestOnly() throws Exception {
    Path unknown = Files.createDirectories(directory.resolve("ha/unknown"));
    Path incomplete =
        Files.createDirectories(directory.resolve("checkpoints").resolve(JOB + "/chk-7"))
            .getParent();
    Path complete =
        Files.createDirectories(
            directory.resolve("checkpoints/00000000000000000000000000000003/chk-1"));
    Files.writeString(complete.resolve(CheckpointStorage.METADATA), "");
    Path foreign = Files.createDirectories(directory.resolve("checkpoints/mine"));

    assertThat(clean(DEFAULT)).hasSize(3).allMatch(found -> found.verdict() == Verdict.KEPT);

    List<CleanupFinding> findings =
        clean(new CleanupRequest(false, Duration.ofHours(1), false, true));
    assertThat(of(findings, unknown.toString()).verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(of(findings, incomplete.toString()).verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(of(findings, complete.getParent().toString()).verdict()).isEqualTo(Verdict.KEPT);
    assertThat(unknown).doesNotExist();
    assertThat(incomplete).doesNotExist();
    assertThat(complete).exists();
    assertThat(foreign).exists();
  }

  private static CleanupRequest removingAll() {
    return new CleanupRequest(false, Duration.ofHours(1), true, true);
  }

  /** The id of such a cluster is the path of its files. */
  @Test
  @Behaviour("G2: `cleanup` removes what ended clusters left, and nothing that a living one uses")
  void filesOfAClusterWhoseIdHasSeveralPartsAreInUse() throws Exception {
    cluster("team/living", 1, LONG_AGO);
    Path besides = Files.createDirectories(directory.resolve("ha/team-two"));

    List<CleanupFinding> findings = clean(removingAll());

    assertThat(directory.resolve("ha/team/living/blob")).exists();
    assertThat(besides).doesNotExist();
    assertThat(findings).noneMatch(found -> found.item().equals(directory + "/ha/team"));
  }

  @Test
  void clusterWhoseDataIsDamagedIsKeptWithAllThatItMayReferTo() throws Exception {
    HaStore damaged = cluster("damaged", 0, LONG_AGO);
    Path begun = checkpoints(damaged, JOB, CheckpointRetention.DELETE_ON_CANCELLATION);
    Files.delete(begun.resolve("chk-1").resolve(CheckpointStorage.METADATA));
    for (String key : damaged.list("")) {
      HaStore.Versioned before = damaged.read(key).orElseThrow();
      damaged.write(key, Bytes.utf8("?"), before.version(), 1);
    }
    cluster("ended", 0, LONG_AGO);

    List<CleanupFinding> findings = clean(removingAll());

    assertThat(of(findings, "/root/damaged").reason()).contains("its data cannot be read");
    assertThat(of(findings, begun.toString()).verdict()).isEqualTo(Verdict.KEPT);
    assertThat(begun).exists();
    assertThat(directory.resolve("ha/damaged/blob")).exists();
    assertThat(of(findings, "/root/ended").verdict())
        .as("the others are removed")
        .isEqualTo(Verdict.REMOVED);
  }

  @Test
  void clusterWhoseLeaderIsStillPublishedIsKept() throws Exception {
    cluster("a", 0, LONG_AGO);
    ClusterRegistry.Cluster ended = registry.clusters.get("a");
    registry.clusters.put(
        "a",
        new ClusterRegistry.Cluster(
            "a",
            ended.place(),
            0,
            Optional.of(new LeaderRecord("a:1", "a:2")),
            ended.storage(),
            LONG_AGO));

    assertThat(of(clean(removingAll()), "/root/a").reason())
        .isEqualTo("the session of its leader a:2 has not ended");
    assertThat(directory.resolve("ha/a/blob")).exists();
  }

  @Test
  void clusterThatLivesAgainByThenIsReportedAsKept() throws Exception {
    cluster("a", 0, LONG_AGO);
    registry.revived = true;

    assertThat(of(clean(DEFAULT), "/root/a").reason()).isEqualTo("it is in use again");
    assertThat(registry.clusters).containsOnlyKeys("a");
  }

  /** The directory is in the data of the cluster, which may be wrong. */
  @Test
  void checkpointsInADirectoryOfAnotherNameAreKept() throws Exception {
    HaStore store = cluster("a", 0, LONG_AGO);
    Path precious = Files.createDirectories(directory.resolve("precious"));
    CheckpointStore stored = new CheckpointStore(store, Messages.codec());
    stored.begin(JOB, true, 1);
    stored.reserve(JOB, 1, precious.toString(), CheckpointRetention.DELETE_ON_CANCELLATION, 1);

    CleanupFinding finding = of(clean(removingAll()), precious.toString());

    assertThat(finding.verdict()).isEqualTo(Verdict.KEPT);
    assertThat(finding.reason()).contains("it is not named after its job " + JOB);
    assertThat(precious).exists();
    assertThat(registry.clusters).isEmpty();
  }

  @Test
  void directoriesThatDoNotExistAreNoFailure() {
    assertThat(clean(removingAll())).isEmpty();
  }

  @Test
  void directoryThatIsAFileFails() throws Exception {
    Files.writeString(directory.resolve("ha"), "");

    assertThat(clean(removingAll()))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.verdict()).isEqualTo(Verdict.FAILED);
              assertThat(found.item()).isEqualTo(directory.resolve("ha").toString());
              assertThat(found.reason()).startsWith("it cannot be listed: ");
            });
  }
}
