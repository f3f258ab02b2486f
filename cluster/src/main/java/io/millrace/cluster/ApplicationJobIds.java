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
 * Ids of an application's jobs, the same each time it is started, so that a job is recognised that
 * an earlier attempt submitted. An id is the beginning of a hash over the cluster's id ({@code
 * high-availability.cluster-id}), the job's name, and how many jobs of that name the program
 * submitted before. Counting by name, jobs that a program submits from several threads keep their
 * ids as long as they have names of their own.
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
    // With their lengths, or else two different pairs could read the same.
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
