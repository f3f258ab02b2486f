package io.millrace.yarn.launch;

import java.util.List;

/** Where things are in the working directory of a container, and what its variables are called. */
public final class ContainerLayout {
  /** The distribution: {@code lib}, {@code lib/server}, {@code plugins}. An archive, unpacked. */
  public static final String HOME = "millrace";

  /** An archive of loaded classes in it, for the class path of its libraries. */
  public static final String CDS_ARCHIVE = "server.jsa";

  /** Directories of the distribution whose jars stand on the class path, in this order. */
  public static final List<String> CLASS_PATH =
      List.of("lib", "lib/server", "plugins/hadoop", "plugins/hadoop/lib");

  /**
   * What is this application's own: {@code config.yaml}, the job graph and what only its user may
   * read. An archive, unpacked.
   */
  public static final String APPLICATION = "application";

  /** Hadoop's configuration as the client has it. */
  public static final String HADOOP_CONFIGURATION = APPLICATION + "/hadoop";

  /** The graph of a per-job cluster, in the codec of graphs. */
  public static final String JOB_GRAPH = APPLICATION + "/job.graph";

  /** By which the processes of the cluster know each other. */
  public static final String SECRET = APPLICATION + "/secret";

  /** What came with the container's own tokens, see {@link SecretFiles}. */
  public static final String SECRETS = "secrets";

  /** The key of the container's process, and whom it trusts. */
  public static final String KEY_STORE = SECRETS + "/process.jks";

  /** Only the JobManager has it: who signs the keys of the cluster's processes. */
  public static final String AUTHORITY = SECRETS + "/authority.jks";

  /** Only the JobManager has it: what clients of REST present. */
  public static final String REST_TOKEN = SECRETS + "/rest.token";

  /**
   * What the JobManager logs in to Kerberos with, and TaskManagers only where nothing else does.
   */
  public static final String KEYTAB = "login.keytab";

  /** Where the Kerberos servers are, if the client has said so. */
  public static final String KERBEROS_CONFIGURATION = "krb5.conf";

  /** The program's jars, under their own names. */
  public static final String USER_JARS = "usrlib";

  /** Names the directory in which the client has staged the files, for whoever removes it. */
  public static final String STAGING_VARIABLE = "MILLRACE_YARN_STAGING";

  /** Holds {@link StagedFile#encode} of what TaskManagers' containers get. */
  public static final String FILES_VARIABLE = "MILLRACE_YARN_FILES";

  /** How long the client took before it handed over, in milliseconds: part of the job's life. */
  public static final String CLIENT_TIME_VARIABLE = "MILLRACE_YARN_CLIENT_MILLIS";

  private ContainerLayout() {}
}
