package io.millrace.yarn.launch;

import java.util.List;

/** The paths in the working directory of a container, and the names of its variables. */
public final class ContainerLayout {
  /** The distribution: {@code lib}, {@code lib/server}, {@code plugins}. An archive, unpacked. */
  public static final String HOME = "millrace";

  /** The CDS archive in it, for the class path of its libraries. */
  public static final String CDS_ARCHIVE = "server.jsa";

  /** Directories of the distribution whose jars are on the class path, in this order. */
  public static final List<String> CLASS_PATH =
      List.of("lib", "lib/server", "plugins/hadoop", "plugins/hadoop/lib");

  /** The files of this application, which a process unpacks first, see {@link ContainerFiles}. */
  public static final String APPLICATION_ARCHIVE = "application.zip";

  /** The files of this application: {@code config.yaml}, the job graph and secrets. */
  public static final String APPLICATION = "application";

  /** Hadoop's configuration of the client. */
  public static final String HADOOP_CONFIGURATION = APPLICATION + "/hadoop";

  /** The job graph of a per-job cluster, encoded with the codec of graphs. */
  public static final String JOB_GRAPH = APPLICATION + "/job.graph";

  /** The secret with which the processes of the cluster authenticate each other. */
  public static final String SECRET = APPLICATION + "/secret";

  /** Files that came with the tokens of the container, see {@link SecretFiles}. */
  public static final String SECRETS = "secrets";

  /** The key of the container's process and the certificates that it trusts. */
  public static final String KEY_STORE = SECRETS + "/process.jks";

  /** The certificate authority of the cluster. Only the JobManager has it. */
  public static final String AUTHORITY = SECRETS + "/authority.jks";

  /** The token of REST clients. Only the JobManager has it. */
  public static final String REST_TOKEN = SECRETS + "/rest.token";

  /** The keytab of the JobManager. TaskManagers have it only without delegation tokens. */
  public static final String KEYTAB = "login.keytab";

  /** The Kerberos configuration of the client, if it has set one. */
  public static final String KERBEROS_CONFIGURATION = "krb5.conf";

  /** The jars of the program, with their own names. */
  public static final String USER_JARS = "usrlib";

  /** The staging directory, which the JobManager removes. */
  public static final String STAGING_VARIABLE = "MILLRACE_YARN_STAGING";

  /** The files of TaskManagers' containers, encoded with {@link StagedFile#encode}. */
  public static final String FILES_VARIABLE = "MILLRACE_YARN_FILES";

  /** The time of the client before the submission in milliseconds, a part of the job's life. */
  public static final String CLIENT_TIME_VARIABLE = "MILLRACE_YARN_CLIENT_MILLIS";

  /** The directory of Hadoop's configuration of the node, if the NodeManager names it. */
  public static final String NODE_CONFIGURATION_VARIABLE = "MILLRACE_NODE_HADOOP_CONF_DIR";

  private ContainerLayout() {}
}
