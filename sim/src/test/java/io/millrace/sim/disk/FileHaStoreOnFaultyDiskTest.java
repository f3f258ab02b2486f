package io.millrace.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.ha.FileHaStore;
import io.millrace.control.ha.HaStore;
import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.Messages;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimStore.FailureMode;
import io.millrace.sim.Simulation;
import io.millrace.sim.Trace;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a store in a local directory has promised is there after a loss of power. */
class FileHaStoreOnFaultyDiskTest {
  private static final String KEY = "jobs/1";

  /** The file was deleted and the directory not forced, and the next attempt found no file. */
  @Test
  @Behaviour("G2: a deletion of recovery data that was repeated until it succeeded is durable")
  void repeatedDeletionIsDurable() {
    for (int seed = 0; seed < 100; seed++) {
      Simulation simulation = new Simulation(seed, Messages.codec(), new Trace());
      SimDisk disk = new SimDisk(simulation);
      SimProcess first = simulation.process("jobmanager-1");
      Mount mount = disk.mount(first);
      FileHaStore store = FileHaStore.open(mount.path("/store"));
      store.write(KEY, Bytes.utf8("job"), 0, 1);
      mount.failureMode(FailureMode.OUTCOME_UNKNOWN);
      while (!isDeleted(store)) {
        assertThat(store.list("jobs/")).as("seed %d", seed).containsExactly(KEY);
      }
      first.kill();
      disk.losePower();

      FileHaStore recovered =
          FileHaStore.open(disk.mount(simulation.process("jobmanager-1")).path("/store"));
      assertThat(recovered.read(KEY)).as("seed %d", seed).isEmpty();
      assertThat(recovered.list("jobs/")).isEmpty();
    }
  }

  /** Deletes as the Dispatcher does, which reads first. */
  private static boolean isDeleted(HaStore store) {
    try {
      Optional<HaStore.Versioned> found = store.read(KEY);
      found.ifPresent(value -> store.delete(KEY, value.version(), 1));
      return true;
    } catch (MillraceException failed) {
      return false;
    }
  }
}
