package io.millrace.control.ha;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileHaStoreContractTest extends HaStoreContract {
  @TempDir Path temporary;
  private final List<FileHaStore> opened = new ArrayList<>();

  @Override
  protected HaStore store() {
    FileHaStore store = FileHaStore.open(temporary.resolve("store"));
    opened.add(store);
    return store;
  }

  @AfterEach
  void close() {
    opened.forEach(FileHaStore::close);
  }

  @Test
  void otherProcessesReadTheAddressWhileTheJobManagerOwnsTheStore() throws IOException {
    FencedHaStoreContractTest.assertAddressIsReadPast(store(), temporary.resolve("store"));
  }
}
