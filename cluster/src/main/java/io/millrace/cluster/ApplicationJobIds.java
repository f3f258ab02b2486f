package io.millrace.cluster;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ids of the jobs of an application. They are the same in each attempt, so that a job of an
 * earlier attempt is recognised. An id is the first half of a SHA-256 hash over the id of the
 * cluster ({@code high-availability.cluster-id}), the name of the job, and the number of earlier
 * jobs with this name. Because jobs are counted by name, programs that submit from several threads
 * get stable ids if their jobs have different names.
 */
final class ApplicationJobIds {
  private final String clusterId;
  private final Map<String, Integer> submitted = new LinkedHashMap<>();

  ApplicationJobIds(String clusterId) {
    this.clusterId = clusterId;
  }

  synchronized JobId next(String name) {
    int before = submitted.merge(name, 1, Integer::sum) - 1;
    MessageDigest hash = sha256();
    // With their lengths, so that two different pairs have different bytes.
    add(hash, clusterId);
    add(hash, name);
    hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(before).flip());
    ByteBuffer id = ByteBuffer.wrap(hash.digest());
    return new JobId(new Id128(id.getLong(), id.getLong()));
  }

  private static void add(MessageDigest hash, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    hash.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }
}
