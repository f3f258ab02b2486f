package io.millrace.rest;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Gives each test its own fake cluster with files in {@link #directory}. */
abstract class RestTestBase {
  @TempDir Path directory;
  FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = new FakeCluster(directory);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }
}
