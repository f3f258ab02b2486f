package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.testing.Fenced;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FencedHaStoreContractTest extends HaStoreContract {
  @TempDir Path temporary;

  @Override
  protected HaStore store() {
    return new FencedHaStore(Fenced.take(temporary, "me"), "store");
  }

  @Test
  void otherProcessesReadTheAddressWhileTheJobManagerOwnsTheStore() throws IOException {
    assertAddressIsReadPast(store(), temporary.resolve("store"));
  }

  /** Other processes read the address in a store that the JobManager owns. */
  static void assertAddressIsReadPast(HaStore store, Path path) throws IOException {
    FilePath directory = FilePath.parse(path.toString());
    FileSystem system = FileSystems.withoutPlugins().of(directory);
    assertThat(LeaderRecord.read(system, directory)).isEmpty();
    assertThat(LeaderRecord.read(system, directory.child("missing"))).isEmpty();

    TermCounter.reserve(store, 10);
    new LeaderRecord("one:1", "one:2").publish(store);
    TermCounter.reserve(store, 10);
    LeaderRecord next = new LeaderRecord("two:1", "two:2");
    next.publish(store);

    assertThat(LeaderRecord.read(system, directory)).contains(next);
  }
}
