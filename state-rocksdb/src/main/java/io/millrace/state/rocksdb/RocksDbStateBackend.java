package io.millrace.state.rocksdb;

import io.millrace.core.memory.ManagedMemory;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.StateBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** The backend {@code rocksdb}. */
public final class RocksDbStateBackend implements StateBackend {
  private static boolean isLoaded;

  @Override
  public String name() {
    return "rocksdb";
  }

  /**
   * Loads the native library.
   *
   * @param directory gets the file of the library; by default a process that is killed would leave
   *     it among the temporary files of the machine
   */
  private static synchronized void loadLibrary(Path directory) throws IOException {
    if (!isLoaded) {
      NativeLibraryLoader.getInstance()
          .loadLibrary(Files.createTempDirectory(directory, "native-").toString());
      RocksDB.loadLibrary();
      isLoaded = true;
    }
  }

  @Override
  public KeyValueStore open(StoreSettings settings) throws IOException {
    loadLibrary(settings.directory().getParent());
    ManagedMemory.Use<SlotCache> cache =
        settings
            .memory()
            .share(settings.task(), SlotCache.class, SlotCache.LEAST_BYTES, SlotCache::new);
    try {
      return RocksDbStore.open(settings.directory(), cache, settings.whenClosed());
    } catch (RocksDBException e) {
      cache.close();
      throw new IOException(e.getMessage(), e);
    } catch (RuntimeException e) {
      cache.close();
      throw e;
    }
  }
}
