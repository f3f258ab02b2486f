package io.millrace.it;

import static io.millrace.it.ExactCounts.FAST;
import static io.millrace.it.ExactCounts.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.core.testing.Behaviour;
import io.millrace.soak.FaultyDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A disk for checkpoints that is full, read-only or gone for some time. */
class CheckpointStorageIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @TempDir private Path directory;

  private interface Action {
    void run() throws Exception;
  }

  @Test
  @Behaviour(
      "H4: a job continues while the storage of checkpoints is full, read-only or gone, and takes"
          + " checkpoints when it is back")
  void jobContinuesWhileTheStorageOfCheckpointsDoesNotWork() throws Exception {
    ExactCounts counts = new ExactCounts(SHELL.directory());
    Path savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
    try (FaultyDisk disk = FaultyDisk.mount(directory, "checkpoints", 1)) {
      assumeTrue(disk.isMounted(), "A file system can be mounted");
      try (Cluster cluster =
          SHELL.startCluster(
              "--taskmanagers",
              "2",
              "--slots",
              "1",
              "-D",
              "execution.checkpointing.dir=" + disk.directory())) {
        List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
        // Each piece of state has a file; the interval is that of the test.
        options.addAll(List.of("-D", "execution.checkpointing.data-inline-threshold=0 b"));
        options.addAll(List.of("-D", "execution.checkpointing.interval=1 h"));
        String job = cluster.submit(counts.job(SLOW, options));
        cluster.rest().awaitAllRunning(job, 2);
        cluster.millrace("checkpoint", job).succeeded();

        during(cluster, job, disk::fill, disk::empty, "No space left on device");
        during(cluster, job, disk::makeReadOnly, disk::makeWritable, "Read-only file system");
        during(cluster, job, disk::takeAway, disk::bringBack, "Read-only file system");

        assertThat(cluster.rest().failures(job)).as("failures of tasks").isZero();
        disk.takeAway();
        cluster.kill(cluster.anyBusyTaskManager());
        Wait.untilTrue(
            "tasks cannot start without their checkpoint", () -> cluster.rest().failures(job) > 1);
        disk.bringBack();
        cluster.rest().awaitAllRunning(job, 2);
        String stopped = cluster.millrace("stop", job, "-p", savepoints.toString()).savepointPath();
        cluster.run(counts.job(FAST, "-s", stopped)).succeeded();
        counts.assertExact();
      }
    }
  }

  /** A checkpoint fails while something is wrong with the disk, and succeeds when it is mended. */
  private static void during(
      Cluster cluster, String job, Action disturb, Action mend, String message) throws Exception {
    disturb.run();
    try {
      Outcome failed = cluster.millrace("checkpoint", job);
      assertThat(failed.code()).as("%s", failed).isEqualTo(1);
      assertThat(failed.refusedInOneLine()).contains(message);
      assertThat(String.join(" ", cluster.millrace("explain", job).succeeded().out()))
          .contains(message);
      long before = cluster.rest().recordsRead(job);
      Wait.untilTrue("the job goes on", () -> cluster.rest().recordsRead(job) > before);
    } finally {
      mend.run();
    }
    cluster.millrace("checkpoint", job).succeeded();
    assertThat(cluster.rest().state(job)).isEqualTo("RUNNING");
  }
}
