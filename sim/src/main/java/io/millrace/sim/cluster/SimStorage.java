package io.millrace.sim.cluster;

import io.millrace.control.archive.FileArchive;
import io.millrace.control.archive.MemoryArchive;
import io.millrace.control.archive.SharedArchive;
import io.millrace.control.blob.FencedBlobStore;
import io.millrace.control.blob.FileBlobStore;
import io.millrace.control.ha.FencedHaStore;
import io.millrace.control.ha.FileHaStore;
import io.millrace.core.fs.FencedDirectory;
import io.millrace.core.fs.FilePath;
import io.millrace.sim.SimBlobs;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore;
import io.millrace.sim.Simulation;
import io.millrace.sim.disk.Mount;
import io.millrace.sim.disk.SimDisk;
import io.millrace.sim.scenario.Scenario.StoreType;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The storage of a simulated cluster, which outlives its processes. */
final class SimStorage {
  final SimStore store = new SimStore();
  final SimBlobs blobs = new SimBlobs();
  final SimCheckpointStorage checkpoints = new SimCheckpointStorage();
  final SimDisk disk;
  private final MemoryArchive archive = new MemoryArchive();
  private final StoreType type;

  SimStorage(Simulation simulation, StoreType type) {
    this.disk = new SimDisk(simulation);
    this.type = type;
  }

  /**
   * Opens the storage of a JobManager as production does.
   *
   * @param contender the process at ZooKeeper, if that has the recovery data
   * @param leads whether the process has the leading Dispatcher
   */
  SimJobManager open(SimProcess process, Optional<SimContender> contender, BooleanSupplier leads)
      throws IOException {
    if (type == StoreType.MEMORY || type == StoreType.ZOOKEEPER) {
      return new SimJobManager(
          process,
          contender
              .map(known -> store.of(process, known.store(), known.session()))
              .orElseGet(() -> store.of(process)),
          blobs.view(blobs.shared()),
          new FencedSimArchive(archive, leads),
          checkpoints.of(process),
          Optional.empty());
    }
    Mount mount = disk.mount(process);
    if (type == StoreType.FILE) {
      return new SimJobManager(
          process,
          store.of(process, FileHaStore.open(mount.path("/cluster/store")), mount),
          blobs.view(new FileBlobStore(mount.path("/cluster/blobs"))),
          new FileArchive(mount.path("/cluster/archive")),
          checkpoints.of(process),
          Optional.of(mount));
    }
    FencedDirectory taken =
        FencedDirectory.take(
            mount.shared(), new FilePath("sim", "", "/cluster"), process.toString());
    FileBlobStore copies = new FileBlobStore(mount.path("/own/" + process + "/blobs"));
    return new SimJobManager(
        process,
        store.of(process, new FencedHaStore(taken, "store"), mount),
        blobs.view(new FencedBlobStore(taken, "blobs", copies)),
        new SharedArchive(taken, "archive"),
        checkpoints.of(process),
        Optional.of(mount));
  }
}
