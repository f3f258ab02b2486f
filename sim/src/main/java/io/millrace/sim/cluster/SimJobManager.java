package io.millrace.sim.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveStore;
import io.millrace.sim.SimBlobs;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.disk.Mount;
import java.util.Optional;

/** A JobManager process and its storage. */
final class SimJobManager {
  final SimProcess process;
  final SimStore.View store;
  final SimBlobs.View blobs;
  final ArchiveStore archive;
  final SimCheckpointStorage.View checkpoints;

  /** The disk below all of these, if there is one. */
  final Optional<Mount> mount;

  Optional<JobManager> services = Optional.empty();

  SimJobManager(
      SimProcess process,
      SimStore.View store,
      SimBlobs.View blobs,
      ArchiveStore archive,
      SimCheckpointStorage.View checkpoints,
      Optional<Mount> mount) {
    this.process = process;
    this.store = store;
    this.blobs = blobs;
    this.archive = archive;
    this.checkpoints = checkpoints;
    this.mount = mount;
  }

  void failureMode(SimStore.FailureMode now) {
    store.failureMode(now);
    checkpoints.failureMode(now);
    if (mount.isEmpty()) {
      blobs.failureMode(now);
    }
  }
}
