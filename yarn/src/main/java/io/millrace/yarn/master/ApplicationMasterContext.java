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
 * The connection settings of an ApplicationMaster.
 *
 * @param application the id of its application
 * @param user whose tokens authenticate this process to YARN
 * @param staging the directory with the application's files, which is removed when it is over
 * @param credentials that YARN has put into the container: tokens of the client and of YARN
 */
record ApplicationMasterContext(
    YarnConfiguration hadoop,
    String application,
    UserGroupInformation user,
    Optional<URI> staging,
    Credentials credentials) {
  /** Tokens of YARN. With them a worker could act as the ApplicationMaster or as the client. */
  private static final List<Text> YARN_TOKENS =
      List.of(AMRMTokenIdentifier.KIND_NAME, RMDelegationTokenIdentifier.KIND_NAME);

  ApplicationMasterContext {
    Objects.requireNonNull(hadoop);
    Objects.requireNonNull(application);
    Objects.requireNonNull(user);
    Objects.requireNonNull(staging);
    credentials = new Credentials(credentials);
  }

  /** Reads the token file of a container. */
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
      throw new MillraceException(ErrorKind.EXTERNAL, "Interrupted during a call of YARN", e);
    }
  }

  /**
   * Adds the token of the ApplicationMaster to a user. A login with a keytab creates a user without
   * it. The other tokens are not added: they expire, and the keytab obtains new ones.
   */
  static void addMasterToken(UserGroupInformation user, Credentials credentials) {
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      if (token.getKind().equals(AMRMTokenIdentifier.KIND_NAME)) {
        user.addToken(token);
      }
    }
  }

  /**
   * The tokens with which containers act for the user, and with which YARN fetches their files: all
   * but those of YARN. Tokens that this process has obtained replace those of the container.
   */
  ByteBuffer tokensForWorkers() {
    Credentials selected = new Credentials();
    for (Credentials source : List.of(credentials, user.getCredentials())) {
      for (Token<? extends TokenIdentifier> token : source.getAllTokens()) {
        if (!YARN_TOKENS.contains(token.getKind())) {
          selected.addToken(token.getService(), token);
        }
      }
    }
    if (selected.numberOfTokens() == 0) {
      return ByteBuffer.allocate(0);
    }
    try (DataOutputBuffer bytes = new DataOutputBuffer()) {
      selected.writeTokenStorageToStream(bytes);
      return ByteBuffer.wrap(bytes.getData(), 0, bytes.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("A buffer in memory cannot be written", e);
    }
  }

  void removeStaging() throws IOException {
    if (staging.isPresent()) {
      Path directory = new Path(staging.get());
      as(() -> FileSystem.get(directory.toUri(), hadoop).delete(directory, true));
    }
  }
}
