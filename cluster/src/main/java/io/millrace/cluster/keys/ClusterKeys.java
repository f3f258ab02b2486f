package io.millrace.cluster.keys;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.PrivateFile;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.ClusterCertificateAuthority;
import io.millrace.core.tls.ClusterKeyFiles;
import io.millrace.core.tls.ProcessCertificate;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;

/**
 * The keys of a cluster in a directory that only its owner can access. The authority, the secret
 * and the password last as long as the directory. The key of a process is signed anew at each of
 * its starts.
 */
public final class ClusterKeys {
  /** The name of the directory in that of a cluster. */
  public static final String DIRECTORY = "keys";

  private static final String AUTHORITY = "authority.jks";
  private static final String PASSWORD = "password";
  private static final String SUFFIX = ".jks";

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path directory;
  private final ClusterCertificateAuthority authority;
  private final String password;

  private ClusterKeys(Path directory, ClusterCertificateAuthority authority, String password) {
    this.directory = directory;
    this.authority = authority;
    this.password = password;
  }

  /** Whether {@link #create} has completed in the directory. */
  public static boolean exist(Path directory) {
    return Files.exists(directory.resolve(AUTHORITY));
  }

  /** Whether a process with this configuration has a key that was signed in the directory. */
  public static boolean areUsed(Configuration configuration, Path directory) {
    return exist(directory)
        && configuration
            .find(TlsOptions.KEYSTORE)
            .filter(store -> Path.of(store).startsWith(directory))
            .isPresent();
  }

  /**
   * Creates an authority with a new secret.
   *
   * @param directory does not exist
   */
  public static ClusterKeys create(Path directory, Instant now) throws IOException {
    Files.createDirectories(directory.toAbsolutePath().getParent(), OWNER_ONLY);
    try {
      Files.createDirectory(directory, OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      throw new MillraceException(
          ErrorKind.USER,
          directory
              + " exists already. Processes and bundles with its keys would be refused after new ones"
              + " are made. Remove it if no process uses it, or name another directory.",
          e);
    }
    String password = RestToken.random();
    ClusterCertificateAuthority authority =
        ClusterCertificateAuthority.create(
            "Millrace cluster " + RestToken.random().substring(0, 8), now);
    PrivateFile.create(directory.resolve(PASSWORD), password);
    ClusterKeys keys = new ClusterKeys(directory, authority, password);
    PrivateFile.create(keys.secret(), RestToken.random());
    PrivateFile.create(keys.trustStore(), authority.trustStore(password));
    PrivateFile.create(keys.certificate(), authority.pem());
    // The last file, because it marks a complete directory.
    PrivateFile.create(directory.resolve(AUTHORITY), authority.file(password));
    return keys;
  }

  /** Reads the keys that {@link #create} has written. */
  public static ClusterKeys open(Path directory) {
    Path file = directory.resolve(AUTHORITY);
    try {
      PrivateFile.check("The certificate authority", file);
      String password = Files.readString(directory.resolve(PASSWORD));
      return new ClusterKeys(
          directory,
          ClusterCertificateAuthority.read(Files.readAllBytes(file), password),
          password);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The keys of the cluster in " + directory + " cannot be read: " + Failure.sentence(e),
          e);
    }
  }

  /** The file with the secret of the processes. */
  public Path secret() {
    return directory.resolve("secret");
  }

  /** The trust store of REST clients. */
  public Path trustStore() {
    return directory.resolve("trust.jks");
  }

  /** The certificate of the authority as text. */
  public Path certificate() {
    return directory.resolve("authority.pem");
  }

  /** The SHA-256 fingerprint of the authority. */
  public String fingerprint() {
    return authority.fingerprint();
  }

  public String password() {
    return password;
  }

  /**
   * Signs a key for a JobManager.
   *
   * @param process the name of the file
   * @param hosts the names and addresses under which clients reach REST
   */
  public ClusterKeyFiles jobManager(String process, List<String> hosts, Instant now)
      throws IOException {
    return issue(
        directory.resolve(process + SUFFIX),
        new ProcessCertificate(ClusterKeyFiles.JOB_MANAGER, hosts, authority.until()),
        now);
  }

  /**
   * Signs a key for a TaskManager on this machine.
   *
   * @param store the file to write
   */
  public ClusterKeyFiles worker(WorkerId worker, Path store, Instant now) throws IOException {
    return issue(store, certificate(worker, authority.until()), now);
  }

  /**
   * Signs a key for a TaskManager on another machine.
   *
   * @param until no connection is accepted with the key after this time
   * @param password of the result
   */
  byte[] remoteWorker(WorkerId worker, Instant until, String password, Instant now) {
    Instant end = until.isBefore(authority.until()) ? until : authority.until();
    return authority.issue(certificate(worker, end), password, now);
  }

  private static ProcessCertificate certificate(WorkerId worker, Instant until) {
    // Certificates with this name are those of JobManagers, in any case of letters.
    if (worker.value().equalsIgnoreCase(ClusterKeyFiles.JOB_MANAGER)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A TaskManager cannot have the id " + worker + ": that is the name of JobManagers.");
    }
    return new ProcessCertificate(worker.value(), List.of(), until);
  }

  private ClusterKeyFiles issue(Path store, ProcessCertificate certificate, Instant now)
      throws IOException {
    PrivateFile.replace(store, authority.issue(certificate, password, now));
    return new ClusterKeyFiles(store.toString(), password);
  }

  String readSecret() throws IOException {
    return Files.readString(secret());
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
