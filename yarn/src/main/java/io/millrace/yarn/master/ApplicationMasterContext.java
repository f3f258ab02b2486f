package io.millrace.yarn.master;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.security.client.RMDelegationTokenIdentifier;

/**
 * The YARN that this process is a master of an application on.
 *
 * @param application its id
 * @param user with whose tokens YARN is spoken to
 * @param staging where the application's files are, to be removed when it is over
 * @param left what YARN left for this process: the client's tokens and its own
 */
record ApplicationMasterContext(
    YarnConfiguration hadoop,
    String application,
    UserGroupInformation user,
    Optional<URI> staging,
    Credentials left) {
  /** Those of YARN itself: with them a worker could act as the master, or as the user's client. */
  private static final List<Text> OF_YARN =
      List.of(AMRMTokenIdentifier.KIND_NAME, RMDelegationTokenIdentifier.KIND_NAME);

  ApplicationMasterContext {
    Objects.requireNonNull(hadoop);
    Objects.requireNonNull(application);
    Objects.requireNonNull(user);
    Objects.requireNonNull(staging);
    left = new Credentials(left);
  }

  /** That of a process whose user has all tokens there are. */
  ApplicationMasterContext(
      YarnConfiguration hadoop,
      String application,
      UserGroupInformation user,
      Optional<URI> staging) {
    this(hadoop, application, user, staging, new Credentials());
  }

  /** What is in the file of tokens that a container has. */
  static Credentials read(File tokens) throws IOException {
    return Credentials.readTokenStorageFile(tokens, new Configuration(false));
  }

  <T> T as(Callable<T> action) throws IOException {
    try {
      return user.doAs((PrivilegedExceptionAction<T>) action::call);
    } catch (UndeclaredThrowableException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.EXTERNAL, "Interrupted while talking to YARN", e);
    }
  }

  /**
   * Whoever logs in with a keytab is somebody new to Hadoop, without the token that YARN has left
   * for its master. The other tokens there end one day, and a keytab gets better ones.
   */
  static void addMasterToken(UserGroupInformation user, Credentials left) {
    for (Token<? extends TokenIdentifier> token : left.getAllTokens()) {
      if (token.getKind().equals(AMRMTokenIdentifier.KIND_NAME)) {
        user.addToken(token);
      }
    }
  }

  /**
   * With which containers act for the user of the application, and YARN fetches their files: all
   * tokens but YARN's own. Those that this process got itself go before what it was left.
   */
  ByteBuffer tokensForWorkers() {
    Credentials credentials = new Credentials();
    for (Credentials from : List.of(left, user.getCredentials())) {
      for (Token<? extends TokenIdentifier> token : from.getAllTokens()) {
        if (!OF_YARN.contains(token.getKind())) {
          credentials.addToken(token.getService(), token);
        }
      }
    }
    if (credentials.numberOfTokens() == 0) {
      return ByteBuffer.allocate(0);
    }
    try (DataOutputBuffer bytes = new DataOutputBuffer()) {
      credentials.writeTokenStorageToStream(bytes);
      return ByteBuffer.wrap(bytes.getData(), 0, bytes.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("Memory can be written to", e);
    }
  }

  void removeStaging() throws IOException {
    if (staging.isPresent()) {
      Path directory = new Path(staging.get());
      as(() -> FileSystem.get(directory.toUri(), hadoop).delete(directory, true));
    }
  }
}
