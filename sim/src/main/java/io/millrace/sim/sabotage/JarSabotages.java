package io.millrace.sim.sabotage;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.sim.SimProcess;
import io.millrace.sim.cluster.SimWiring;
import io.millrace.worker.blobcache.BlobCacheStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Optional;

/** Sabotages of the jars at workers. */
final class JarSabotages {
  private JarSabotages() {}

  static final class DeletedEarly extends SimWiring {
    @Override
    public BlobCacheStore workerBlobs(SimProcess process, BlobCacheStore real) {
      return new DeletingStore(real);
    }
  }

  /** Deletes a blob as soon as a class loader has its path. */
  private record DeletingStore(BlobCacheStore real) implements BlobCacheStore {
    @Override
    public Incoming receive(BlobKey key) throws IOException {
      return real.receive(key);
    }

    @Override
    public Bytes read(BlobKey key) throws IOException {
      return real.read(key);
    }

    @Override
    public Optional<URL> location(BlobKey key) {
      Optional<URL> location = real.location(key);
      try {
        real.delete(key);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return location;
    }

    @Override
    public void delete(BlobKey key) throws IOException {
      real.delete(key);
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }
}
