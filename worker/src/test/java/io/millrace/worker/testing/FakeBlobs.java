package io.millrace.worker.testing;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.protocol.BlobGateway;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Serves blobs from a map in small parts. Fails or corrupts a given number of reads. */
public final class FakeBlobs extends Endpoint implements BlobGateway {
  private static final int PART = 10;

  public final Map<BlobKey, Bytes> blobs = new LinkedHashMap<>();
  public final List<ReadBlob> reads = new ArrayList<>();
  public int failures;
  public int corruptions;

  public FakeBlobs(Rpc rpc) {
    super(rpc, BlobGateway.NAME, Optional.empty());
  }

  public BlobKey put(Bytes content) {
    BlobKey key = BlobKey.of(content);
    blobs.put(key, content);
    return key;
  }

  @Override
  public CompletableFuture<BlobPart> readBlob(ReadBlob request) {
    reads.add(request);
    if (failures > 0) {
      failures--;
      throw new IllegalStateException("disk error");
    }
    Bytes content = blobs.get(request.key());
    if (content == null) {
      throw new IllegalStateException("there is no such blob");
    }
    int from = (int) request.offset();
    int to = Math.min(content.length(), from + PART);
    Bytes part = content.slice(from, to);
    if (corruptions > 0) {
      corruptions--;
      part = Bytes.wrap(new byte[part.length()]);
    }
    return CompletableFuture.completedFuture(new BlobPart(part, content.length()));
  }
}
