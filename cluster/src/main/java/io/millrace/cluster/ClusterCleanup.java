package io.millrace.cluster;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.client.DeploymentCleanup;
import io.millrace.client.PluginServices;
import io.millrace.client.ProcessEnvironment;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.ha.CheckpointStore;
import io.millrace.control.ha.ClusterRegistry;
import io.millrace.control.ha.Coordinators;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Durations;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.SecurityContext;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds and removes what ended clusters have left: recovery data at the coordination service, their
 * files, checkpoints of their jobs, and files at cluster managers. What a cluster uses or may use
 * is kept. A cluster lives while one of its JobManagers contends for the leadership.
 */
public final class ClusterCleanup {
  private static final String CLUSTER = "cluster";
  private static final String FILES = "files";
  private static final String CHECKPOINTS = "checkpoints";

  private final CleanupRequest request;
  private final Configuration configuration;
  private final FileSystems files;
  private final List<CleanupFinding> findings = new ArrayList<>();

  /** Directories that a cluster of the registry has, also one that is removed now. */
  private final Set<String> storages = new LinkedHashSet<>();

  private final Set<String> checkpoints = new LinkedHashSet<>();

  /** Whether the data of all clusters could be read, so that {@link #checkpoints} has all. */
  private boolean allRead = true;

  ClusterCleanup(CleanupRequest request, Configuration configuration, FileSystems files) {
    this.request = request;
    this.configuration = configuration;
    this.files = files;
  }

  /** Looks in all places that the configuration and the environment name. Blocks. */
  public static List<CleanupFinding> run(
      CleanupRequest request, Configuration configuration, ProcessEnvironment environment)
      throws Exception {
    Plugins plugins = PluginServices.plugins(environment, configuration);
    List<DeploymentCleanup> deployments =
        PluginServices.all(DeploymentCleanup.class, plugins).stream()
            .filter(found -> found.isConfigured(configuration, environment))
            .toList();
    if (!Coordinators.isConfigured(configuration) && deployments.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no place to look for ended clusters. Set "
              + HighAvailabilityOptions.HA_MODE.key()
              + " to zookeeper and the options of ZooKeeper, or HADOOP_CONF_DIR for Hadoop.");
    }
    try (SecurityContext security = SecurityContext.of(configuration, plugins)) {
      return security.call(
          () -> {
            List<CleanupFinding> all = new ArrayList<>();
            if (Coordinators.isConfigured(configuration)) {
              try (ClusterRegistry registry = Coordinators.of(plugins).registry(configuration)) {
                all.addAll(
                    new ClusterCleanup(
                            request, configuration, FileSystems.of(plugins, configuration))
                        .clean(registry));
              }
            }
            deployments.forEach(
                manager -> all.addAll(manager.clean(request, configuration, environment)));
            return all;
          });
    }
  }

  List<CleanupFinding> clean(ClusterRegistry registry) {
    List<ClusterRegistry.Cluster> clusters = registry.clusters();
    for (ClusterRegistry.Cluster cluster : clusters) {
      cluster.storage().ifPresent(storages::add);
      try {
        clean(registry, cluster);
      } catch (RuntimeException e) {
        allRead = false;
        findings.add(
            CleanupFinding.kept(
                CLUSTER, cluster.place(), "its data cannot be read: " + Failure.sentence(e)));
      }
    }
    configuration
        .find(HighAvailabilityOptions.HA_STORAGE_PATH)
        .ifPresent(directory -> cleanUnreferencedFiles(FilePath.parse(directory)));
    configuration
        .find(CheckpointingOptions.DIRECTORY)
        .ifPresent(directory -> cleanUnreferencedCheckpoints(FilePath.parse(directory)));
    return findings;
  }

  private void clean(ClusterRegistry registry, ClusterRegistry.Cluster cluster) {
    HaStore store = registry.store(cluster);
    CheckpointStore stored = new CheckpointStore(store, Messages.codec());
    List<JobId> checkpointed = stored.jobs();
    checkpointed.forEach(job -> checkpoints.add(stored.read(job).directory()));
    Optional<String> needed = whyNeeded(cluster, store);
    if (needed.isPresent()) {
      findings.add(CleanupFinding.kept(CLUSTER, cluster.place(), needed.get()));
      return;
    }
    // The nodes go last: they name the files, should one of the steps fail.
    int failed = failures();
    JobResultStore results = new JobResultStore(store, Messages.codec());
    for (JobId job : checkpointed) {
      cleanCheckpoints(cluster, job, stored.read(job), results.find(job));
    }
    cluster
        .storage()
        .ifPresent(
            directory ->
                findings.add(
                    request.remove(
                        FILES,
                        directory,
                        "of cluster " + cluster.place(),
                        () -> delete(FilePath.parse(directory)))));
    if (failures() == failed) {
      findings.add(
          request.remove(
              CLUSTER,
              cluster.place(),
              "no JobManager contends for its leadership",
              () -> registry.remove(cluster)));
    } else {
      findings.add(CleanupFinding.kept(CLUSTER, cluster.place(), "its files could not be removed"));
    }
  }

  private int failures() {
    return (int)
        findings.stream()
            .filter(finding -> finding.verdict() == CleanupFinding.Verdict.FAILED)
            .count();
  }

  private Optional<String> whyNeeded(ClusterRegistry.Cluster cluster, HaStore store) {
    if (cluster.contenders() > 0) {
      return Optional.of(
          cluster.contenders()
              + (cluster.contenders() == 1 ? " JobManager contends" : " JobManagers contend")
              + " for its leadership"
              + cluster
                  .leader()
                  .map(LeaderRecord::rest)
                  .map(rest -> ", led by " + rest)
                  .orElse(""));
    }
    if (cluster.leader().isPresent()) {
      return Optional.of(
          "the session of its leader " + cluster.leader().get().rest() + " has not ended");
    }
    if (request.isRecent(cluster.lastChange())) {
      return Optional.of(
          "it changed less than "
              + Durations.readable(request.minAge())
              + " ago (--older-than), so it may be starting");
    }
    JobResultStore results = new JobResultStore(store, Messages.codec());
    long jobs =
        new JobStore(store, Messages.codec())
            .all().stream().filter(job -> results.find(job.job()).isEmpty()).count();
    return jobs > 0 && !request.withJobs()
        ? Optional.of(
            jobs
                + (jobs == 1 ? " job has" : " jobs have")
                + " not ended; a JobManager with this "
                + HighAvailabilityOptions.HA_CLUSTER_ID.key()
                + " would recover "
                + (jobs == 1 ? "it" : "them")
                + ". --with-jobs removes the cluster nevertheless")
        : Optional.empty();
  }

  /** A job that has not ended is treated as a cancelled one. */
  private void cleanCheckpoints(
      ClusterRegistry.Cluster cluster,
      JobId job,
      StoredCheckpoints stored,
      Optional<EndedJob> end) {
    String directory = stored.directory();
    if (directory.isEmpty()) {
      return;
    }
    boolean retained =
        end.map(ended -> CheckpointServices.isRetained(stored.retention(), ended.result().status()))
            .orElse(stored.retention() == CheckpointRetention.RETAIN_ON_CANCELLATION);
    if (retained && !stored.completed().isEmpty()) {
      findings.add(
          CleanupFinding.kept(
              CHECKPOINTS,
              directory,
              "of job "
                  + job
                  + ", whose checkpoints are retained ("
                  + CheckpointingOptions.EXTERNALIZED_RETENTION.key()
                  + ")"));
    } else if (!FilePath.parse(directory).name().equals(job.toString())) {
      findings.add(
          CleanupFinding.kept(CHECKPOINTS, directory, "it is not named after its job " + job));
    } else {
      findings.add(
          request.remove(
              CHECKPOINTS,
              directory,
              "of job " + job + " of cluster " + cluster.place(),
              () -> delete(FilePath.parse(directory))));
    }
  }

  private boolean delete(FilePath directory) throws IOException {
    files.of(directory).deleteAll(directory);
    return true;
  }

  private List<FileStatus> directories(FilePath parent) {
    try {
      return files.of(parent).list(parent).stream().filter(FileStatus::isDirectory).toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException | RuntimeException e) {
      findings.add(
          new CleanupFinding(
              CleanupFinding.Verdict.FAILED,
              "directory",
              parent.toString(),
              "it cannot be listed: " + Failure.sentence(e)));
      return List.of();
    }
  }

  private void cleanUnreferencedFiles(FilePath parent) {
    for (FileStatus directory : directories(parent)) {
      if (!isStorage(directory.path().toString())) {
        removeUnreferenced(
            FILES,
            directory.path(),
            "a cluster with another root, or with another "
                + HighAvailabilityOptions.HA_MODE.key()
                + ", may use it");
      }
    }
  }

  /** Whether a cluster has its files in the directory, or below it if its id has several parts. */
  private boolean isStorage(String directory) {
    return storages.stream()
        .anyMatch(used -> used.equals(directory) || used.startsWith(directory + "/"));
  }

  private void removeUnreferenced(String kind, FilePath directory, String doubt) {
    String reason = "no cluster of this root refers to it";
    findings.add(
        request.unreferenced()
            ? request.remove(kind, directory.toString(), reason, () -> delete(directory))
            : CleanupFinding.kept(
                kind,
                directory.toString(),
                reason + ", but " + doubt + ". --unreferenced removes it"));
  }

  private void cleanUnreferencedCheckpoints(FilePath parent) {
    for (FileStatus directory : directories(parent)) {
      FilePath path = directory.path();
      if (path.name().matches("[0-9a-f]{32}(-[0-9]+)?") && !checkpoints.contains(path.toString())) {
        try {
          if (hasCheckpoint(path)) {
            findings.add(
                CleanupFinding.kept(
                    CHECKPOINTS,
                    path.toString(),
                    "no cluster of this root refers to it, but it has a completed checkpoint, from"
                        + " which a job can start. `millrace savepoint dispose` deletes one"));
          } else if (!allRead) {
            findings.add(
                CleanupFinding.kept(
                    CHECKPOINTS,
                    path.toString(),
                    "a cluster whose data cannot be read may refer to it"));
          } else {
            removeUnreferenced(
                CHECKPOINTS,
                path,
                "a cluster with another root, or without high availability, may use it");
          }
        } catch (IOException e) {
          findings.add(
              CleanupFinding.kept(
                  CHECKPOINTS, path.toString(), "it cannot be read: " + Failure.sentence(e)));
        }
      }
    }
  }

  private boolean hasCheckpoint(FilePath job) throws IOException {
    FileSystem system = files.of(job);
    for (FileStatus entry : system.list(job)) {
      if (entry.isDirectory()
          && system.status(entry.path().child(CheckpointStorage.METADATA)).isPresent()) {
        return true;
      }
    }
    return false;
  }
}
